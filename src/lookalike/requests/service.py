"""The options of the service: those of the command that starts it, and the members of each request over HTTP.

A request lists its members one by one, so that no option of a verb that names a file of the server can get in.
"""

# Annotations are not postponed here: `option.py` explains why.

from pathlib import Path
from typing import Annotated, Any, Literal, Required, TypedDict

from lookalike.requests.indexes import IndexQuery, OnlyNew
from lookalike.requests.option import FIND, INPUT, OUTPUT, RUN, Option
from lookalike.requests.shared import Cutting, Search, Sketching, Threshold

SCOPES = ("read", "write", "review")
"""What a key may allow: to ask, to change documents, and to decide what is a duplicate."""

ORDERS = ("size", "similarity")

LIST_LIMIT = 100
"""The default number of clusters or members of a page."""


class Listening(TypedDict, total=False):
    """Where the service listens, and whom it answers."""

    host: Annotated[
        str,
        Option(
            "127.0.0.1",
            "Address on which the service listens. Other addresses than those of this machine need {@keys}.",
            RUN,
            "ADDRESS",
        ),
    ]
    port: Annotated[int, Option(8321, "Port on which the service listens; 0 chooses a free one.", RUN, "PORT")]
    keys: Annotated[
        Path | None,
        Option(
            None,
            "File of keys (TOML), which says for each key what it allows. Without it, only the address that the "
            "service prints gives access.",
            RUN,
            "FILE",
            takes=Path,
        ),
    ]
    allow_host: Annotated[
        list[str] | None,
        Option(
            None,
            "Name under which clients reach the service, such as that of a proxy.",
            RUN,
            "NAME",
            "names of this machine",
            takes=list[str],
        ),
    ]
    decisions: Annotated[
        Path | None,
        Option(
            None,
            "File of the decisions that people make on the review page.",
            RUN,
            "FILE",
            "beside the index or result, with .decisions.jsonl at the end of its name",
            takes=Path,
        ),
    ]
    read_only: Annotated[bool, Option(False, "Refuse all changes, so that another process can change the index.", RUN)]


class RequestLimits(TypedDict, total=False):
    """Limits of requests. What exceeds one is refused as a whole."""

    max_body: Annotated[
        int | str, Option("32MiB", "Maximum size of the body of a request.", RUN, "SIZE", "32MiB", takes=str)
    ]
    max_documents: Annotated[int, Option(10_000, "Maximum number of documents or queries of a request.", RUN, "N")]
    max_rows: Annotated[int, Option(10_000, "Maximum number of documents found by a request.", RUN, "N")]
    concurrency: Annotated[
        int, Option(64, "Maximum number of requests in progress; others are told to try again.", RUN, "N")
    ]
    rate: Annotated[
        float | None, Option(None, "Maximum number of requests per second of each key.", RUN, "N", "no limit")
    ]
    timeout: Annotated[float, Option(30.0, "Maximum number of seconds of a request.", RUN, "SECONDS")]


class Serve(Listening, RequestLimits, total=False):
    """Options of `lookalike serve`, besides threads and memory."""


class OneDocument(TypedDict, total=False):
    """A document in the body of a request."""

    text: Required[Annotated[str, Option(None, "The text of the document.", INPUT)]]
    id: Annotated[
        int | str,
        Option(None, "The id of the document. Either all documents of a request have one, or none has.", INPUT),
    ]


class AddOne(TypedDict, total=False):
    """The members of a body that adds documents: of one document, or a list."""

    text: Annotated[str, Option(None, "The text of one document to add.", INPUT)]
    id: Annotated[int | str, Option(None, "The id of this document.", INPUT, shown="the next integer")]
    documents: Annotated[list[Any], Option(None, "Documents to add, all or none, instead of {@text}.", INPUT)]


class HowToAdd(OnlyNew, total=False):
    """The query string of a request that adds documents."""


class Query(IndexQuery, total=False):
    """The members of a query. Fields of `IndexQuery` that are left out have its defaults."""

    text: Annotated[str, Option(None, "The text to ask about.", INPUT)]
    texts: Annotated[list[str], Option(None, "Several texts to ask about, instead of {@text}.", INPUT)]


class Delete(TypedDict, total=False):
    ids: Required[Annotated[list[Any], Option(None, "Ids of the documents to delete. Unknown ids are counted.", INPUT)]]


class ListClusters(TypedDict, total=False):
    """The query string of a list of clusters."""

    order: Annotated[
        Literal["size", "similarity"],
        Option("size", "Which clusters come first: large ones, or those with the least similar pair.", OUTPUT),
    ]
    min_size: Annotated[int, Option(2, "List only clusters with at least this number of documents.", OUTPUT)]
    limit: Annotated[int, Option(LIST_LIMIT, "Maximum number of clusters to return.", OUTPUT)]
    cursor: Annotated[str | None, Option(None, "Where to continue: the member next of an earlier answer.", OUTPUT)]


class ListMembers(TypedDict, total=False):
    """The query string of a list of the members of a cluster."""

    limit: Annotated[int, Option(LIST_LIMIT, "Maximum number of members to return.", OUTPUT)]
    after: Annotated[str | None, Option(None, "List only members that were added after this one.", OUTPUT)]


class CompareTexts(Cutting, Threshold, total=False):
    """The members of a comparison. Options that are left out are those of the index."""

    a: Required[Annotated[str | dict[str, Any], Option(None, 'A text, or {"id": …} for a document.', INPUT)]]
    b: Required[Annotated[str | dict[str, Any], Option(None, "What to compare {@a} with.", INPUT)]]


class ExplainPlan(Threshold, Search, Cutting, Sketching, total=False):
    """The members of a request that explains a plan. Options that are left out are those of the index."""

    bands: Annotated[int | None, Option(None, "Number of bands.", FIND, shown="chosen to reach the recall")]
    rows: Annotated[int | None, Option(None, "Number of rows per band.", FIND, shown="chosen to reach the recall")]
