"""The options of an index, declared as requests: one per method of `Index` and command of `lookalike index`."""

# Annotations are not postponed here: `option.py` explains why.

from typing import Annotated, Any, Literal, TypedDict

from lookalike.requests.option import FIND, INPUT, OUTPUT, Option, PlanOption
from lookalike.requests.reading import Format, Names, Reading
from lookalike.requests.shared import Cutting, OnThisMachine, SavedPlan, Shown, Sketching, Threads, Threshold


class IndexSearch(TypedDict, total=False):
    """Entries of the plan that decide what an index finds. An index always uses bands and compares sets."""

    recall: Annotated[
        float,
        PlanOption(
            0.99, "Minimum probability that a pair at the threshold is found; it is less than 1.", FIND, "SHARE"
        ),
    ]
    bands: Annotated[int | None, PlanOption(None, "Number of bands.", FIND, "N", "chosen to reach the recall")]
    rows: Annotated[int | None, PlanOption(None, "Number of rows per band.", FIND, "N", "chosen to reach the recall")]
    seed: Annotated[
        int,
        PlanOption(
            None,
            "Seed of the hash functions. Indexes with the same seed and plan find the same pairs. Without it, the seed "
            "and a key of the index are random, so that nobody can prepare texts that collide.",
            FIND,
            "N",
            "random",
        ),
    ]
    ignore_common: Annotated[
        float | str | None,
        PlanOption(
            None,
            "Ignore boilerplate: shingles that occur in more than this share of the first documents added.",
            FIND,
            "SHARE",
            "none are ignored",
        ),
    ]


class Like(Names, Format, total=False):
    """Data from which an index decides what its plan leaves open."""

    like: Annotated[
        Any,
        Option(
            None,
            "Data like the documents that will be added. What the plan leaves open, such as the kind of shingles, is "
            "decided from this data, which is not added.",
            INPUT,
            "INPUT",
            "decided by the first add",
            takes=list[str],
        ),
    ]


class KeepsTexts(TypedDict, total=False):
    texts: Annotated[
        bool,
        Option(
            True,
            "Whether to keep the texts. Without them, an index is much smaller, but similarities are estimated from "
            "signatures of 8 bits per hash.",
            OUTPUT,
            flags=("--texts/--no-texts",),
        ),
    ]


class FindsPassages(TypedDict, total=False):
    contain: Annotated[
        bool,
        Option(
            False,
            "Whether queries can also find the documents that contain a text, however long they are. The index is then "
            "about 1.75 times as large.",
            OUTPUT,
        ),
    ]


class CreateIndex(
    Threshold,
    IndexSearch,
    Cutting,
    Sketching,
    SavedPlan,
    Like,
    KeepsTexts,
    FindsPassages,
    OnThisMachine,
    total=False,
):
    """Options of `Index.create`."""


class AddToIndex(Reading, OnThisMachine, Shown, total=False):
    """Options of `Index.add`."""


class IndexQuery(TypedDict, total=False):
    """What a query asks for."""

    measure: Annotated[
        Literal["jaccard", "containment"],
        Option(
            "jaccard",
            "Measure to find by: jaccard or, in an index that was created with {@contain}, containment (of the query "
            "in a document).",
            FIND,
            "NAME",
        ),
    ]
    threshold: Annotated[
        float | str | None,
        Option(
            None,
            "Minimum similarity of the documents to find. Except for containment, it is not below that of the index.",
            FIND,
            "SIMILARITY",
            "that of the index",
        ),
    ]
    top: Annotated[
        int | None,
        Option(
            None,
            "Number of most similar documents to find for each query, at or above the threshold.",
            FIND,
            "N",
            "all",
        ),
    ]
    distinct: Annotated[bool, Option(False, "Find only the most similar document of each cluster.", FIND)]


class QueryIndex(Reading, IndexQuery, Threads, Shown, total=False):
    """Options of `Index.query`."""


class WithClusters(TypedDict, total=False):
    clusters: Annotated[
        bool,
        Option(
            True,
            "Whether to add the column cluster, which contains the number of each document's cluster.",
            OUTPUT,
            flags=("--clusters/--no-clusters",),
        ),
    ]


class ExportIndex(WithClusters, Threads, Shown, total=False):
    """Options of `Index.export`."""


class IndexClusters(Threads, Shown, total=False):
    """Options of `Index.clusters`."""


class CompactIndex(Threads, Shown, total=False):
    """Options of `Index.compact`."""


class VerifyIndex(Threads, Shown, total=False):
    """Options of `Index.verify`."""


class OnlyNew(TypedDict, total=False):
    """The option of the command `add` that leaves out duplicates. In Python, `dedupe` takes an index as reference."""

    if_new: Annotated[
        bool,
        Option(
            False,
            "Add only documents that are similar neither to a document of the index nor to an earlier new one.",
            FIND,
        ),
    ]


class DeletedIds(TypedDict, total=False):
    ids: Annotated[
        str | None,
        Option(
            None,
            "File with the ids to delete: one id per line, or a table with the column id; - for lines on standard "
            "input.",
            INPUT,
            "FILE",
        ),
    ]


class OneText(TypedDict, total=False):
    text: Annotated[str | None, Option(None, "Ask about this text, instead of about an input.", INPUT, "TEXT")]


class MinimumSize(TypedDict, total=False):
    min_size: Annotated[int, Option(1, "List only clusters with at least this number of documents.", OUTPUT, "N")]
