"""Options that only commands take, not the Python functions: mostly for outputs and printed text."""

# Annotations are not postponed here: `requests/option.py` explains why.

from pathlib import Path
from typing import Annotated, Required, TypedDict

from lookalike.requests.option import FIND, INPUT, OUTPUT, RUN, Option
from lookalike.requests.shared import Force

TABLES = ".parquet, .jsonl, .csv or .tsv"


FAMILIES = ("minhash", "weighted", "bits:", "hyperplanes", "signs:", "polytope:", "lines:", "unit-lines:")
"""Beginnings of the names of families, which the shell suggests."""


class Printed(TypedDict, total=False):
    """Options of every command about the text that it prints."""

    verbose: Annotated[
        bool,
        Option(
            False, "Also show versions, the configuration file, and the reasons for the plan.", RUN,
            flags=("--verbose", "-v"),
        ),
    ]  # fmt: skip
    json: Annotated[
        bool,
        Option(
            False,
            "Print one JSON object with the summary, the notices and the paths of the outputs. If the command "
            "fails, the object contains the error.",
            OUTPUT,
        ),
    ]


class Quiet(Printed, total=False):
    quiet: Annotated[bool, Option(False, "Suppress progress and summary.", RUN, flags=("--quiet", "-q"))]


class Table(Force, Quiet, total=False):
    """Options for writing one table, to a file or to standard output."""

    out: Annotated[str, Option("-", f"Write the table here: {TABLES}.", OUTPUT, "FILE", "JSONL on standard output")]


class SavePlan(TypedDict, total=False):
    save_plan: Annotated[
        Path | None, Option(None, "Save the plan as a TOML file, which {@plan} can load.", OUTPUT, "FILE", takes=Path)
    ]


class Run(SavePlan, total=False):
    """Options of runs over a corpus: additional outputs, a forecast and an audit."""

    audit: Annotated[
        bool,
        Option(
            False, "Measure the recall on 1,000 sampled documents, and show it in the summary and the report.", OUTPUT
        ),
    ]
    forecast: Annotated[
        bool, Option(False, "Forecast the run first. The summary then compares the forecast with the result.", RUN)
    ]
    keep_work: Annotated[bool, Option(False, "Keep the parts in {@work} when the run is complete.", RUN)]


class KeptRows(Force, Quiet, total=False):
    """Output options of `dedupe`."""

    out: Required[
        Annotated[
            str,
            Option(
                None, "Write the kept rows here: a file, a folder for several files, or - for standard output.", OUTPUT,
                "PATH",
            ),
        ]
    ]  # fmt: skip
    removed: Annotated[
        Path | None,
        Option(
            None, "Write the table of removed rows here.", OUTPUT, "FILE",
            "next to {@out}, under the same name followed by .removed.parquet", takes=Path,
        ),
    ]  # fmt: skip


class MissedPairs(Force, Quiet, total=False):
    """Output options of `audit`."""

    out: Annotated[Path | None, Option(None, f"Write the missed pairs here: {TABLES}.", OUTPUT, "FILE", takes=Path)]


class Passages(Printed, total=False):
    """Output options of `compare`."""

    passages: Annotated[
        int,
        Option(
            10,
            "Maximum number of shared passages to show if a text has more than 3,000 characters. The longest "
            "passages are shown.",
            OUTPUT,
            "N",
        ),
    ]


class TestData(TypedDict, total=False):
    test: Required[
        Annotated[list[str], Option(None, "The test data, which must fit in memory.", INPUT, "PATH", takes=list[str])]
    ]


class Family(TypedDict, total=False):
    """Options of `explain` for a family of hash functions instead of a plan."""

    family: Annotated[
        str | None,
        Option(
            None,
            "Family of hash functions to explain, at {@threshold} or {@distance}: minhash, weighted, bits:PLACES, "
            "hyperplanes, signs:DIMENSIONS, polytope:AXES, lines:WIDTH or unit-lines:WIDTH:DIMENSIONS.",
            FIND,
            "NAME",
            suggested=FAMILIES,
        ),
    ]
    distance: Annotated[
        float | None,
        Option(None, "With {@family}: maximum distance of a pair, instead of {@threshold}.", FIND, "NUMBER"),
    ]


class Explanation(TypedDict, total=False):
    """The option of `resolve` and `link` that prints an explanation instead of writing the table."""

    explain: Annotated[
        tuple[str, str] | None,
        Option(
            None, "Explain why two records do or do not match, instead of writing {@out}.", FIND, "ID ID",
            takes=tuple[str, str],
        ),
    ]  # fmt: skip


class RecordOutputs(Table, Explanation, total=False):
    """Output options of `resolve` and `link`."""

    save_settings: Annotated[
        Path | None,
        Option(
            None,
            "Save fields and weights as a TOML file, which can be edited and loaded with {@settings}.",
            OUTPUT,
            "FILE",
            takes=Path,
        ),
    ]


class Matches(TypedDict, total=False):
    matches: Annotated[str | None, Option(None, "Write the matching pairs here, with their scores.", OUTPUT, "FILE")]


class StoryOutputs(Table, total=False):
    """Output options of `stories`."""

    stories: Annotated[
        Path | None,
        Option(
            None,
            "Write the table of stories here, with the number of hosts and the first and last date of each story.",
            OUTPUT,
            "FILE",
            takes=Path,
        ),
    ]
    boilerplate: Annotated[
        Path | None, Option(None, "Write the boilerplate of each host here.", OUTPUT, "FILE", takes=Path)
    ]
    mirrors: Annotated[
        Path | None,
        Option(
            None, "Write the mirrors here: pairs of hosts that publish the same stories.", OUTPUT, "FILE", takes=Path
        ),
    ]


class Sources(TypedDict, total=False):
    sources: Annotated[
        list[str] | None,
        Option(
            None,
            "Texts from which passages may have been copied. The data may be larger than memory.",
            INPUT,
            "PATH",
            takes=list[str],
        ),
    ]


class PassageOutputs(Table, total=False):
    """Output options of `plagiarism`."""

    passages: Annotated[
        Path | None,
        Option(None, f"Write the passages here, with their positions: {TABLES}.", OUTPUT, "FILE", takes=Path),
    ]


class Gallery(TypedDict, total=False):
    gallery: Annotated[
        list[str] | None,
        Option(
            None,
            "Gallery of prints. The given prints are compared with the gallery instead of with each other.",
            INPUT,
            "PATH",
            takes=list[str],
        ),
    ]


class PictureOutputs(TypedDict, total=False):
    """Output options of `images`."""

    pictures: Annotated[
        Path | None,
        Option(
            None,
            "Write the table of all pictures here, with the copy to keep in the place of each.",
            OUTPUT,
            "FILE",
            takes=Path,
        ),
    ]


class Queried(TypedDict, total=False):
    query: Annotated[
        list[str] | None,
        Option(
            None,
            "Find the pictures nearest to this picture, or to those in this folder, instead of copies.",
            INPUT,
            "PATH",
            takes=list[str],
        ),
    ]
