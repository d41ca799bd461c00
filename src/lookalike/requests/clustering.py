"""The options of `find_clusters` and `dedupe`, declared as requests."""

# Annotations are not postponed here: `option.py` explains why.

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, TypedDict

from lookalike.requests.option import FIND, INPUT, OUTPUT, Option
from lookalike.requests.reading import FORMATS, Reading
from lookalike.requests.shared import Corpus, Linkage, OnThisMachine, Report, Search, Shown, StarLinkage, Threshold
from lookalike.requests.verbs import Distance

_KEEP = (
    "Which member represents a cluster: first, last, longest, shortest, best:COLUMN (highest value), "
    "least:COLUMN (lowest value), source:GLOB (from these input files) or where:COLUMN=VALUE (also !=, >= and "
    "<=). Separate several rules with commas; each rule breaks the ties that remain after the rules before it."
)
_RULES = ("first", "last", "longest", "shortest", "best:", "least:", "source:", "where:")


class OfVectors(Distance, total=False):
    """Options for comparing documents by their vectors instead of their texts."""

    vectors: Annotated[
        str | None,
        Option(
            None,
            "Compare documents by the vectors in this column, such as embeddings. Use {@measure}, and {@threshold} or "
            "{@distance}.",
            FIND,
            "NAME",
        ),
    ]
    measure: Annotated[
        str | None,
        Option(
            None,
            "Measure for {@vectors}: cosine or weighted-jaccard; for packed bits, jaccard or hamming (with "
            "{@distance}).",
            FIND,
            "NAME",
            "cosine",
            suggested=("cosine", "weighted-jaccard", "jaccard", "hamming"),
        ),
    ]


class FindClusters(Corpus, OfVectors, Report, Linkage, total=False):
    """Options of `find_clusters`."""

    keep: Annotated[str | Sequence[str], Option("first", _KEEP, OUTPUT, "RULES", takes=list[str], suggested=_RULES)]


class Survivors(Corpus, Report, total=False):
    """Options that choose one survivor of each cluster."""

    keep: Annotated[
        str | Sequence[str] | None,
        Option(
            None,
            _KEEP,
            OUTPUT,
            "RULES",
            "first, or longest if {@remove} is contained",
            takes=list[str],
            suggested=_RULES,
        ),
    ]


class Protect(TypedDict, total=False):
    protect: Annotated[
        str | Sequence[str] | None,
        Option(
            None,
            "Never remove rows of input files whose paths match this glob; similar rows of other files are removed "
            "instead. Write where:COLUMN=VALUE to protect the rows with this value.",
            OUTPUT,
            "GLOB",
            takes=list[str],
        ),
    ]


class Decided(TypedDict, total=False):
    decisions: Annotated[
        str | PathLike[str] | None,
        Option(
            None,
            "File of decisions about single documents: which differ from each other, which to keep, and which to "
            "exclude from their cluster.",
            INPUT,
            "FILE",
            takes=Path,
        ),
    ]


class Reference(TypedDict, total=False):
    against: Annotated[
        Any,
        Option(
            None,
            "Reference data, or an index. Input documents that are similar to a reference document are removed too. "
            "With an index, its plan is used, and only the input is searched for.",
            INPUT,
            "PATH",
            takes=list[str],
        ),
    ]


class OfReference(TypedDict, total=False):
    """Options for reading the reference of `dedupe`, if it differs from the input."""

    against_column: Annotated[
        str | None, Option(None, "{@column} for the reference.", INPUT, "NAME", "as for the input")
    ]
    against_id: Annotated[str | None, Option(None, "{@id} for the reference.", INPUT, "NAME", "as for the input")]
    against_basket: Annotated[
        str | None, Option(None, "{@basket} for the reference.", INPUT, "NAME", "as for the input")
    ]
    against_format: Annotated[
        str | None,
        Option(None, "{@format} for the reference.", INPUT, "FORMAT", "as for the input", suggested=FORMATS),
    ]


class Removal(TypedDict, total=False):
    remove: Annotated[
        str | None,
        Option(
            None,  # as in the plan, which is near unless it comes from a file
            "Which documents to remove: those with the same bytes as a kept document (identical), those with the same "
            "words in the same order (same-words), all similar documents (near), or only similar documents whose "
            "shingles are all in the kept document (contained). With contained:0.95, 95% of the shingles are enough.",
            FIND,
            "near|identical|same-words|contained[:SHARE]",
            "near",
            suggested=("near", "identical", "same-words", "contained", "contained:0.95"),
        ),
    ]


class Dedupe(Removal, Survivors, OfVectors, StarLinkage, Protect, Decided, Reference, OfReference, total=False):
    out: Annotated[
        str | Path | None,
        Option(
            None,
            "Write the kept rows here, in the input's format: a file, or a folder for several files.",
            OUTPUT,
            "PATH",
        ),
    ]
    removed: Annotated[
        str | Path | None,
        Option(None, "Write the table of removed rows here: .parquet, .jsonl, .csv or .tsv.", OUTPUT, "FILE"),
    ]


class VectorClusters(Reading, OfVectors, Threshold, Search, Linkage, OnThisMachine, Shown, total=False):
    """The options of `find_clusters` that apply to vectors."""

    keep: str | None
    out: str | None
    force: bool


class VectorDedupe(VectorClusters, Protect, Decided, total=False):
    """The options of `dedupe` that apply to vectors."""

    removed: str | None
