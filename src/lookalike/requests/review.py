"""The members of requests about reviews, over HTTP."""

# Annotations are not postponed here: `option.py` explains why.

from typing import Annotated, Any, Literal, Required, TypedDict

from lookalike.requests.option import FIND, INPUT, OUTPUT, Option

PAGE = 50
"""The default number of clusters or steps of a page."""


class Filter(TypedDict, total=False):
    """Which clusters are meant."""

    state: Annotated[
        Literal["open", "accepted", "distinct", "skipped", "decided", "all"],
        Option("open", "State of the clusters.", OUTPUT),
    ]
    search: Annotated[
        str | None, Option(None, "Words in the id of a member or in the excerpt of the survivor.", OUTPUT)
    ]
    min_size: Annotated[int | None, Option(None, "Minimum number of members.", OUTPUT)]
    max_size: Annotated[int | None, Option(None, "Maximum number of members.", OUTPUT)]
    min_least: Annotated[float | None, Option(None, "Minimum similarity of the least similar pair.", OUTPUT)]
    max_least: Annotated[float | None, Option(None, "Maximum similarity of the least similar pair.", OUTPUT)]


class ListQueue(Filter, total=False):
    """The query string of the queue."""

    order: Annotated[
        Literal["suspicious", "size", "similarity"],
        Option("suspicious", "Which clusters come first: suspicious ones, large ones, or the least similar.", OUTPUT),
    ]
    limit: Annotated[int, Option(PAGE, "Maximum number of clusters to return.", OUTPUT)]
    cursor: Annotated[str | None, Option(None, "Where to continue: the member next of an earlier answer.", OUTPUT)]


class ShowCluster(TypedDict, total=False):
    """The query string of a cluster."""

    members: Annotated[str, Option("100", "Maximum number of members, or all.", OUTPUT)]
    after: Annotated[int | None, Option(None, "List only members after this row.", OUTPUT)]


class CompareRows(TypedDict, total=False):
    """The query string of a comparison."""

    a: Required[Annotated[int, Option(None, "Row of a document.", INPUT)]]
    b: Required[Annotated[int, Option(None, "Row of another document.", INPUT)]]


class Decide(TypedDict, total=False):
    """The members of a decision about one cluster."""

    action: Required[
        Annotated[Literal["accept", "distinct", "exclude", "skip"], Option(None, "What is decided.", INPUT)]
    ]
    cluster: Required[Annotated[str, Option(None, "The key of the cluster.", INPUT)]]
    survivor: Annotated[int, Option(None, "Row that is kept.", INPUT, shown="the present survivor")]
    exclude: Annotated[list[Any], Option(None, "Rows that are similar to nothing.", INPUT)]
    rows: Annotated[list[Any], Option(None, "Rows that the decision is about.", INPUT, shown="all members")]
    note: Annotated[str, Option(None, "Why.", INPUT)]


class Undo(TypedDict, total=False):
    step: Annotated[str, Option(None, "Step to withdraw.", INPUT, shown="the newest one in force of the same key")]


class ListHistory(TypedDict, total=False):
    limit: Annotated[int, Option(PAGE, "Maximum number of steps to return.", OUTPUT)]
    cursor: Annotated[str | None, Option(None, "Where to continue: the member next of an earlier answer.", OUTPUT)]


class Bulk(Filter, total=False):
    """The members of an action on all clusters that a filter selects."""

    action: Required[Annotated[Literal["accept", "distinct", "skip"], Option(None, "What is decided.", INPUT)]]
    dry_run: Annotated[bool, Option(False, "Only count the clusters.", INPUT)]
    note: Annotated[str, Option(None, "Why.", INPUT)]


class TryRules(TypedDict, total=False):
    """The members of a preview of survivor rules."""

    keep: Annotated[str | list[str], Option(None, "Survivor rules, in order.", INPUT, shown="first")]
    protect: Annotated[list[str], Option(None, "Files or conditions whose rows are never removed.", INPUT)]
    dry_run: Annotated[bool, Option(True, "Only count; otherwise, write the survivors as decisions.", INPUT)]


class SearchText(TypedDict, total=False):
    """The members of a search."""

    text: Required[Annotated[str, Option(None, "Text whose neighbours are searched.", INPUT)]]
    top: Annotated[int, Option(20, "Maximum number of documents to return.", OUTPUT)]


class Tune(TypedDict, total=False):
    """The query string of a prediction."""

    threshold: Annotated[float | None, Option(None, "Minimum similarity.", FIND, shown="that of the plan")]
    bands: Annotated[int | None, Option(None, "Number of bands.", FIND, shown="that of the plan")]
    rows: Annotated[int | None, Option(None, "Number of rows per band.", FIND, shown="that of the plan")]


class ExportClean(TypedDict, total=False):
    format: Annotated[Literal["jsonl", "csv", "parquet"], Option("jsonl", "Format of the file.", OUTPUT)]
