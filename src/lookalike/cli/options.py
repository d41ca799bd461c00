"""The options that commands share, spelt once; a command gets them as one value."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli.process import Ended, Interrupted, heed_signals

INPUT, CUT, FIND, RUN, OUTPUT = "Input", "Texts to shingles", "What counts", "Running", "Output"

INPUTS_HELP = (
    "Files, folders of texts, quoted globs, URLs, or - for standard input: Parquet, JSONL, CSV, TSV "
    "or text, also .gz, .zst and .bz2."
)
Inputs = Annotated[list[str], typer.Argument(metavar="INPUT...", show_default=False, help=INPUTS_HELP)]
Out = Annotated[
    str,
    typer.Option(
        metavar="FILE",
        rich_help_panel=OUTPUT,
        show_default=False,
        help="Write the table here: .parquet, .jsonl, .csv or .tsv. Without it: JSONL on standard output.",
    ),
]


def _option(panel: str, metavar: str | None, help: str, *names: str) -> Any:
    return typer.Option(*names, metavar=metavar, help=help, show_default=False, rich_help_panel=panel)


option = _option
"""For commands that have options of their own."""

Cut = Annotated[
    str | None,
    _option(CUT, "KIND", "words:5, chars:9, tokens, stopwords or auto, which looks at the texts (default: auto)."),
]
Whitespace = Annotated[str | None, _option(CUT, "fold|drop|keep", "White space in character shingles (default: fold).")]
Case = Annotated[str | None, _option(CUT, "fold|keep", "Whether upper and lower case differ (default: fold).")]
Normalize = Annotated[str | None, _option(CUT, "nfkc|none", "Unicode normalisation (default: nfkc).")]
Bag = Annotated[
    bool | None,
    _option(CUT, None, "Count repeated shingles (default: sets, which do not).", "--bag/--no-bag"),
]
Bits = Annotated[int | None, _option(CUT, "32|64", "Size of a hashed shingle (default: 64).")]
Force = Annotated[bool, _option(OUTPUT, None, "Overwrite outputs that exist.", "--force")]
Threads = Annotated[int | None, _option(RUN, "N", "Threads (default: all cores).")]
Memory = Annotated[
    str | None,
    _option(
        RUN, "SIZE", "The most memory to hold, as in 2GiB; the rest goes to files (default: half of what is free)."
    ),
]
Quiet = Annotated[bool, _option(RUN, None, "Neither progress nor summary.", "--quiet", "-q")]


Basket = Annotated[
    str | None,
    _option(INPUT, "NAME", "Column that says which set (basket) an item is in, in a table of one item a row."),
]
Separator = Annotated[
    str | None,
    _option(
        INPUT, "CHAR", "Between the items of a basket file (default: white space; in .csv a comma, in .tsv a tab)."
    ),
]
Transpose = Annotated[
    bool,
    _option(INPUT, None, "Turn sets around: an item becomes a set, of the baskets that held it.", "--transpose"),
]


def reading(
    column: Annotated[
        str | None, _option(INPUT, "NAME", "Column of the texts, of lists of tokens or, with --basket, of the items.")
    ] = None,
    id: Annotated[
        str | None, _option(INPUT, "NAME", "Column of the ids (default: the row's position; for folders the path).")
    ] = None,
    basket: Basket = None,
    separator: Separator = None,
    transpose: Transpose = False,
    format: Annotated[
        str | None,
        _option(
            INPUT,
            "FORMAT",
            "parquet, jsonl, csv, tsv, text (a document a file), lines, or baskets (a set a line) "
            "(default: by file name).",
        ),
    ] = None,
    on_error: Annotated[
        str, _option(INPUT, "fail|skip", "What to do with a malformed row (default: fail). Skipped rows are counted.")
    ] = "fail",
) -> None:
    """How the data is read."""


def planning(
    threshold: Annotated[
        str | None, _option(FIND, "SIMILARITY", "Least similarity that counts, in (0, 1] (default: 0.8).")
    ] = None,
    recall: Annotated[
        float | None,
        _option(FIND, "SHARE", "Share of the pairs at the threshold to be found; 1 is an exact join (default: 0.99)."),
    ] = None,
    method: Annotated[
        str | None,
        _option(
            FIND, "auto|exact|lsh", "An exact join, bands of hashes, or what costs less on the data (default: auto)."
        ),
    ] = None,
    verify: Annotated[
        str | None,
        _option(FIND, "exact|signature|none", "How candidates are checked (default: exact)."),
    ] = None,
    linkage: Annotated[
        str | None,
        _option(
            FIND,
            "connected|star",
            "What makes a cluster: a chain of similar pairs, or one representative that all others are similar to "
            "(default: connected).",
        ),
    ] = None,
    hashes: Annotated[int | None, _option(FIND, "N", "Slots of a signature (default: 128).")] = None,
    bands: Annotated[int | None, _option(FIND, "N", "Bands, instead of those chosen for the recall.")] = None,
    rows: Annotated[int | None, _option(FIND, "N", "Rows of a band, instead of those chosen.")] = None,
    sketch: Annotated[str | None, _option(FIND, "fast|classic", "How signatures are made (default: fast).")] = None,
    seed: Annotated[int | None, _option(FIND, "N", "Seed of the hash functions (default: 0).")] = None,
    ignore_common: Annotated[
        str | None,
        _option(
            FIND, "SHARE", "Leave out shingles that more than this share of the documents have, as boilerplate is."
        ),
    ] = None,
    shingles: Cut = None,
    whitespace: Whitespace = None,
    case: Case = None,
    normalize: Normalize = None,
    bag: Bag = None,
    bits: Bits = None,
    plan: Annotated[
        Path | None, _option(FIND, "FILE", "Start from a saved plan; options given here change single entries of it.")
    ] = None,
    save_plan: Annotated[Path | None, _option(OUTPUT, "FILE", "Save the plan, as TOML, for --plan.")] = None,
) -> None:
    """What to find: the plan."""


def running(
    report: Annotated[
        Path | None, _option(OUTPUT, "FILE", "Write an HTML report to open in a browser, offline too.")
    ] = None,
    forecast: Annotated[
        bool,
        _option(RUN, None, "Make a dry run first; what it foretells stands beside what came.", "--forecast"),
    ] = False,
    force: Force = False,
    threads: Threads = None,
    memory: Memory = None,
    engine: Annotated[
        str, _option(RUN, "NAME", "local, reference or spark; all give the same answer (default: local).")
    ] = "local",
    master: Annotated[
        str | None,
        _option(
            RUN, "URL", "Where Spark runs, as in spark://host:7077, local[4] or sc://host (default: this machine)."
        ),
    ] = None,
    staging: Annotated[
        str | None,
        _option(RUN, "FOLDER", "For Spark on several machines: a folder or URL that all of them see."),
    ] = None,
    audit: Annotated[
        bool,
        _option(OUTPUT, None, "Measure the recall on 1000 sampled documents, for summary and report.", "--audit"),
    ] = False,
    work: Annotated[
        Path | None,
        _option(RUN, "FOLDER", "Keep finished parts here until all is done: an interrupted run can go on from them."),
    ] = None,
    resume: Annotated[
        bool, _option(RUN, None, "Go on with the run that was interrupted in --work, if there is one.", "--resume")
    ] = False,
    keep_work: Annotated[
        bool, _option(RUN, None, "Leave the parts in --work when all is done (default: removed).", "--keep-work")
    ] = False,
    quiet: Quiet = False,
) -> None:
    """How to run it, and where results go."""


def joining(
    right_column: Annotated[
        str | None, _option(INPUT, "NAME", "Column of the texts of RIGHT, where it is not --column.")
    ] = None,
    right_id: Annotated[str | None, _option(INPUT, "NAME", "Column of the ids of RIGHT, where it is not --id.")] = None,
    right_basket: Annotated[
        str | None, _option(INPUT, "NAME", "Column of the baskets of RIGHT, where it is not --basket.")
    ] = None,
    right_format: Annotated[str | None, _option(INPUT, "FORMAT", "Format of RIGHT, where it is not --format.")] = None,
    measure: Annotated[
        str,
        _option(
            FIND,
            "NAME",
            "jaccard, dice, cosine, overlap, containment (of left in right), shared (a count) or sum-bag, with "
            "--threshold; hamming, edit (insertions and deletions) or levenshtein, with --distance (default: jaccard).",
        ),
    ] = "jaccard",
    threshold: Annotated[
        str | None,
        _option(
            FIND,
            "SIMILARITY",
            "Least similarity that counts, in (0, 1] (default: 0.8; of sum-bag 0.4); of shared, the least number of "
            "common elements.",
        ),
    ] = None,
    distance: Annotated[int | None, _option(FIND, "N", "Greatest distance that counts.")] = None,
    top: Annotated[
        int | None, _option(FIND, "N", "Only the N nearest of each left row; without --threshold whatever they are.")
    ] = None,
    shingles: Cut = None,
    whitespace: Whitespace = None,
    case: Case = None,
    normalize: Normalize = None,
    bag: Bag = None,
    bits: Bits = None,
    force: Force = False,
    threads: Threads = None,
    quiet: Quiet = False,
) -> None:
    """What a join is asked, how texts are cut for it, and how it runs."""


@dataclass(frozen=True)
class Options:
    """What the shared options were set to, by group."""

    reading: dict[str, Any]
    planning: dict[str, Any]
    running: dict[str, Any]
    joining: dict[str, Any]
    comparing: dict[str, Any]

    @property
    def plan_options(self) -> dict[str, Any]:
        """What was said about the plan, without the files it comes from and goes to."""
        apart = ("plan", "save_plan")
        return {name: value for name, value in self.planning.items() if name not in apart and value is not None}


def load(engine: bool) -> None:
    """Imports what a command needs, all of it."""
    import lookalike.api

    if engine:
        import lookalike.engines.local.engine  # noqa: F401


Group = Callable[..., None]


def takes(*groups: Group) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Gives a command the options of these groups. It receives them as its last argument, an `Options`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = list(inspect.signature(command, eval_str=True).parameters.values())[:-1]
        shared = {group.__name__: inspect.signature(group, eval_str=True).parameters for group in groups}

        @functools.wraps(command)
        def called(**values: Any) -> None:
            grouped = {
                name: {option: values.pop(option) for option in shared.get(name, ())}
                for name in ("reading", "planning", "running", "joining", "comparing")
            }
            load(engine=running in groups)
            heed_signals()
            try:
                command(**values, options=Options(**grouped))
            except Ended as end:
                raise Interrupted(end.number) from None
            except KeyboardInterrupt:
                raise Interrupted from None

        parameters = [*own, *(parameter for group in shared.values() for parameter in group.values())]
        keywords = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in parameters]
        called.__signature__ = inspect.Signature(keywords)  # type: ignore[attr-defined]
        called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        return called

    return decorate
