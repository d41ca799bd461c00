"""Options that several verbs share, grouped into requests from which the requests of verbs inherit."""

# Annotations are not postponed here: `option.py` explains why.

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypedDict

from lookalike.engines.registry import NAMES, OPTIONS
from lookalike.requests.option import CUT, FIND, OUTPUT, RUN, Option, PlanOption
from lookalike.requests.reading import Reading

if TYPE_CHECKING:
    from lookalike.engines.base import Engine
    from lookalike.flow import Shingling
    from lookalike.flow.progress import Progress
    from lookalike.planning.plan import Plan
    from lookalike.planning.resolve import ResolvedPlan
    from lookalike.work.folder import Work

SHINGLES = ("auto", "words:5", "symbols:5", "chars:5", "chars:9", "tokens", "stopwords")
"""Values that the shell suggests. Tests compare them with what is accepted; importing it would take too long."""

ENGINE_OPTIONS = {
    option.name: Option(option.default, option.help, RUN, option.metavar, option.shown) for option in OPTIONS.values()
}
"""The options that engines declare (`engines/registry.py`)."""


class Shingles(TypedDict, total=False):
    shingles: Annotated[
        "str | Shingling",
        PlanOption(
            "auto",
            "How texts are split into shingles, for example words:5, symbols:5, chars:9, tokens or stopwords. "
            "With auto, texts are split into words:5, source code into symbols:5, and lists are used as tokens.",
            CUT,
            "KIND",
            suggested=SHINGLES,
        ),
    ]


class Normalizing(TypedDict, total=False):
    """Options for normalizing texts."""

    whitespace: Annotated[
        Literal["fold", "drop", "keep"],
        PlanOption(
            "fold",
            "How white space is treated in shingles of characters: each run of it becomes one space (fold), is removed "
            "(drop), or is kept unchanged (keep).",
            CUT,
            "fold|drop|keep",
        ),
    ]
    case: Annotated[
        Literal["fold", "keep"],
        PlanOption(
            "fold",
            "Whether upper and lower case count as the same (fold) or as different (keep).",
            CUT,
            "fold|keep",
        ),
    ]
    normalize: Annotated[
        Literal["nfkc", "none"],
        PlanOption(
            "nfkc",
            "Whether texts are normalized to the Unicode form NFKC (nfkc) or not (none).",
            CUT,
            "nfkc|none",
        ),
    ]


class Rules(Normalizing, total=False):
    """Options for normalizing texts and hashing shingles."""

    bits: Annotated[Literal[32, 64], PlanOption(64, "Size of a hashed shingle, in bits.", CUT, "32|64")]


class Bags(TypedDict, total=False):
    bag: Annotated[
        bool,
        PlanOption(
            False,
            "Compare bags instead of sets, so that repeated shingles count.",
            CUT,
            flags=("--bag/--no-bag",),
        ),
    ]


class Cutting(Shingles, Rules, Bags, total=False):
    """Options for cutting texts into shingles."""


class Threshold(TypedDict, total=False):
    threshold: Annotated[
        float | str,
        PlanOption(0.8, "Minimum similarity of a pair, greater than 0 and at most 1.", FIND, "SIMILARITY"),
    ]


class Search(TypedDict, total=False):
    """Options for the search: its recall, method and seed."""

    recall: Annotated[
        float,
        PlanOption(
            0.99,
            "Minimum probability that a pair at the threshold is found. With 1, the search is exact.",
            FIND,
            "SHARE",
        ),
    ]
    method: Annotated[
        Literal["auto", "exact", "lsh"],
        PlanOption(
            "auto",
            "How to find pairs: by an exact join (exact), by bands of hashes (lsh), or by whichever suits the "
            "data better (auto).",
            FIND,
            "auto|exact|lsh",
        ),
    ]
    seed: Annotated[int, PlanOption(0, "Seed of the hash functions.", FIND, "N")]


class Sketching(TypedDict, total=False):
    hashes: Annotated[int, PlanOption(128, "Number of hashes per signature.", FIND, "N")]
    sketch: Annotated[
        Literal["fast", "classic"],
        PlanOption(
            "fast",
            "How signatures are computed: with a faster variant of MinHash (fast), or with textbook MinHash (classic).",
            FIND,
            "fast|classic",
        ),
    ]


class Finding(Threshold, Search, Cutting, Sketching, total=False):
    """Options that decide whether two documents are found as a pair."""

    bands: Annotated[int | None, PlanOption(None, "Number of bands.", FIND, "N", "chosen to reach the recall")]
    rows: Annotated[int | None, PlanOption(None, "Number of rows per band.", FIND, "N", "chosen to reach the recall")]


class Planning(Finding, total=False):
    """The options that are entries of a plan, with the same defaults as in `Plan`, except `linkage`."""

    verify: Annotated[
        Literal["exact", "signature", "none"],
        PlanOption(
            "exact",
            "How candidates are checked: by comparing their sets (exact), by comparing their signatures (signature), "
            "or not at all (none).",
            FIND,
            "exact|signature|none",
        ),
    ]
    ignore_common: Annotated[
        float | str | None,
        PlanOption(
            None,
            "Ignore boilerplate: shingles that occur in more than this share of the documents.",
            FIND,
            "SHARE",
            "none are ignored",
        ),
    ]


class Linkage(TypedDict, total=False):
    """The entry of a plan that only concerns clusters."""

    linkage: Annotated[
        Literal["connected", "star"],
        PlanOption(
            "connected",
            "What makes a cluster: a chain of similar pairs (connected), or one representative that is similar to "
            "every member (star).",
            FIND,
            "connected|star",
        ),
    ]


class StarLinkage(TypedDict, total=False):
    """The same entry for `dedupe`, with another default."""

    linkage: Annotated[
        Literal["connected", "star"],
        PlanOption(
            "star",
            "Which documents may be removed: only those that are similar to a kept document (star), or also those that "
            "are linked to a kept document only by a chain of similar documents (connected).",
            FIND,
            "connected|star",
        ),
    ]


class Force(TypedDict, total=False):
    force: Annotated[bool, Option(False, "Overwrite existing outputs.", OUTPUT)]


class Report(Force, total=False):
    report: Annotated[
        "str | Path | None",
        Option(None, "Write an HTML report to this file. The report can be read offline.", OUTPUT, "FILE", takes=Path),
    ]


class SavedPlan(TypedDict, total=False):
    plan: Annotated[
        "Plan | ResolvedPlan | str | Path | None",
        Option(
            None,
            "Plan to start from, or the path of a saved plan. Other options override the entries of the plan.",
            FIND,
            "FILE",
            takes=Path,
        ),
    ]


class Threads(TypedDict, total=False):
    threads: Annotated[
        int | None, Option(None, "Number of threads. The number does not affect the result.", RUN, "N", "one per core")
    ]


class OnThisMachine(TypedDict, total=False):
    """Options of the local engine."""

    threads: Annotated[int | None, ENGINE_OPTIONS["threads"]]
    memory: Annotated[int | str | None, ENGINE_OPTIONS["memory"]]


class OnEngine(OnThisMachine, total=False):
    """The engine that carries out a plan, and the options that engines declare (`engines/registry.py`)."""

    engine: Annotated[
        "str | Engine | None",
        Option(
            None,  # local, or reference if the native module cannot be loaded
            f"Engine: {', '.join(NAMES[:-1])} or {NAMES[-1]}. All engines give the same result. To install Spark, "
            "run pip install '.[spark]' in a clone of lookalike.",
            RUN,
            "NAME",
            "local",
            suggested=NAMES,
        ),
    ]
    master: Annotated[str | None, ENGINE_OPTIONS["master"]]
    staging: Annotated[str | None, ENGINE_OPTIONS["staging"]]


class Shown(TypedDict, total=False):
    progress: Annotated[
        "bool | Progress | None",
        Option(
            None,
            "Whether to show progress (True or False), or a function that is called with (stage, done, total).",
            RUN,
            shown="shown in notebooks and terminals",
            python_only=True,
        ),
    ]


class Durable(TypedDict, total=False):
    """Options for saving finished parts of a run and for resuming it."""

    work: Annotated[
        "str | Path | Work | None",
        Option(
            None,
            "Folder in which a run saves its finished parts, so that the run can be resumed. When the run is complete, "
            "the parts are removed, and so is the folder if the run created it.",
            RUN,
            "FOLDER",
            takes=Path,
        ),
    ]
    resume: Annotated[bool, Option(False, "Continue the interrupted run in {@work}, if there is one.", RUN)]


class Corpus(Reading, Planning, SavedPlan, OnEngine, Durable, Shown, total=False):
    """Options of every verb that processes a corpus."""
