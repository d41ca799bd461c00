"""Views of the review: the queue, clusters, texts and the history. `service/review/` does the work."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import FileResponse

from lookalike.errors import InvalidOption, ServiceError
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import Progress
from lookalike.requests.option import declared
from lookalike.requests.review import CompareRows, ListHistory, ListQueue, ShowCluster
from lookalike.service import review_answers as answers
from lookalike.service.access import Needs
from lookalike.service.bodies import JSON_LINES
from lookalike.service.fields import LARGEST, of_query_string
from lookalike.service.review import views
from lookalike.service.review.queue import check_filter
from lookalike.service.routes.common import answer, no_options
from lookalike.service.schemas import KEYED, OF_FILTER, PAGE, PROBLEMS, ROW, links, query_string
from lookalike.service.state import gone, service_of

router = APIRouter(prefix="/review", responses=PROBLEMS, tags=["review"])

_QUEUE, _CLUSTER = declared(ListQueue), declared(ShowCluster)
_COMPARE, _HISTORY = declared(CompareRows), declared(ListHistory)

MOST_MEMBERS = 10_000
"""The maximum number of members of an answer."""

_KEY = "$response.body#/clusters/0/key"
_MEMBERS = [f"$response.body#/members/{place}/row" for place in (0, 1)]

_AFTER_QUEUE = links(
    show={"operationId": "review_cluster", "parameters": {"key": _KEY}},
    accept={"operationId": "review_decide", "requestBody": {"action": "accept", "cluster": _KEY}},
    skip={"operationId": "review_decide", "requestBody": {"action": "skip", "cluster": _KEY}},
    more={"operationId": "review_queue", "parameters": {"cursor": "$response.body#/next"}},
)
_AFTER_CLUSTER = links(
    compare={"operationId": "review_compare", "parameters": dict(zip("ab", _MEMBERS, strict=True))},
    read={"operationId": "review_text", "parameters": {"row": _MEMBERS[0]}},
)

_READ = [Depends(Needs("read"))]


@router.get("/summary", response_model=answers.ReviewSummary, openapi_extra=KEYED, dependencies=_READ)
async def summary(request: Request) -> Response:
    """Returns what was found, what was decided, and how far the figures of the queue are."""
    service = service_of(request)
    no_options(request, "GET /review/summary")

    def read(progress: Progress) -> dict[str, Any]:
        return views.summary(*service.reviewing.ready(progress)) | {"scopes": request.state.scopes}

    return answer(await service.calls.review(read, gone(request)))


@router.get(
    "/queue",
    operation_id="review_queue",
    response_model=answers.QueuePage,
    openapi_extra={**query_string(_QUEUE, limit=PAGE, **OF_FILTER), **_AFTER_QUEUE, **KEYED},
    dependencies=_READ,
)
async def queue(request: Request) -> Response:
    """Lists the clusters to review, suspicious ones first.

    A cursor keeps the order of its list. Clusters that no longer match are left out of later pages.
    """
    service = service_of(request)
    asked = of_query_string("GET /review/queue", _QUEUE, request.query_params.multi_items())
    check_whole("limit", asked["limit"], 1, service.limits.max_rows)
    check_filter(asked)

    def read(progress: Progress) -> dict[str, Any]:
        return service.reviewing.ready(progress)[1].page(asked)

    return answer(await service.calls.review(read, gone(request)))


@router.get(
    "/clusters/{key}",
    operation_id="review_cluster",
    response_model=answers.ShownCluster,
    openapi_extra={
        **query_string(_CLUSTER, after=ROW, members={"pattern": "^(all|[1-9][0-9]{0,3}|10000)$"}),
        **_AFTER_CLUSTER,
        **KEYED,
    },
    dependencies=_READ,
)
async def cluster(key: str, request: Request) -> Response:
    """Returns a cluster: its members, its survivor, and the similarities of its first members."""
    service = service_of(request)
    asked = of_query_string("GET /review/clusters/{key}", _CLUSTER, request.query_params.multi_items())
    most = min(MOST_MEMBERS, service.limits.max_rows)
    given = asked["members"]
    if given != "all" and not (given.isascii() and given.isdecimal() and len(given) < 6):
        raise InvalidOption("not-in-whole-range", option="members", least=1, most=most, value=given)
    limit = most if given == "all" else int(given)
    check_whole("members", limit, 1, most)
    if asked["after"] is not None:
        _check_row(asked["after"])

    def read(progress: Progress) -> dict[str, Any]:
        review, queue = service.reviewing.ready(progress)
        return views.cluster(review, queue, key, limit, asked["after"])

    return answer(await service.calls.review(read, gone(request)))


@router.get(
    "/compare",
    operation_id="review_compare",
    response_model=answers.ComparedRows,
    openapi_extra={**query_string(_COMPARE, a=ROW, b=ROW), **KEYED},
    dependencies=_READ,
)
async def compare(request: Request) -> Response:
    """Returns two documents in pieces: what both contain, and what only one of them contains."""
    service = service_of(request)
    asked = of_query_string("GET /review/compare", _COMPARE, request.query_params.multi_items())

    for side in ("a", "b"):
        _check_row(asked[side])

    def read(progress: Progress) -> dict[str, Any]:
        return views.compare(service.reviewing.ready(progress)[0], asked["a"], asked["b"])

    return answer(await service.calls.review(read, gone(request)))


@router.get(
    "/texts/{row}",
    operation_id="review_text",
    response_model=answers.ShownText,
    openapi_extra=KEYED,
    dependencies=_READ,
)
async def text(row: str, request: Request) -> Response:
    """Returns the text of a document."""
    service = service_of(request)
    no_options(request, "GET /review/texts/{row}")
    if not (row.isascii() and row.isdecimal() and len(row) < 19):
        raise InvalidOption("no-such-document-row", row=row)

    def read(progress: Progress) -> dict[str, Any]:
        return views.text_of(service.reviewing.ready(progress)[0], int(row))

    return answer(await service.calls.review(read, gone(request)))


@router.get(
    "/history",
    response_model=answers.HistoryPage,
    openapi_extra={**query_string(_HISTORY, limit=PAGE), **KEYED},
    dependencies=_READ,
)
async def history(request: Request) -> Response:
    """Lists all steps, the newest first."""
    service = service_of(request)
    asked = of_query_string("GET /review/history", _HISTORY, request.query_params.multi_items())
    check_whole("limit", asked["limit"], 1, service.limits.max_rows)
    cursor = asked["cursor"] or "0"
    if not (cursor.isascii() and cursor.isdecimal() and len(cursor) < 16):
        raise ServiceError("not-a-cursor")

    def read(progress: Progress) -> dict[str, Any]:
        review, _ = service.reviewing.ready(progress)
        with review.guard:
            return views.history(review, int(cursor), asked["limit"])

    return answer(await service.calls.review(read, gone(request)))


@router.get(
    "/export/decisions",
    response_class=Response,
    responses={200: {"content": {JSON_LINES: {"schema": {"type": "string", "format": "binary"}}}}},
    openapi_extra=KEYED,
    dependencies=_READ,
)
async def export_decisions(request: Request) -> Response:
    """Returns the file of decisions, which `dedupe --decisions` takes."""
    service = service_of(request)
    no_options(request, "GET /review/export/decisions")
    review, _ = await service.calls.review(service.reviewing.ready, gone(request))
    journal = review.journal
    headers = {"Content-Disposition": 'attachment; filename="decisions.jsonl"'}
    if journal is None or not journal.path.exists():
        return Response(b"", media_type=JSON_LINES, headers=headers)
    return FileResponse(journal.path, media_type=JSON_LINES, headers=headers)


def _check_row(row: int) -> None:
    """Raises an error if a number cannot be that of a row."""
    if not 0 <= row <= LARGEST:
        raise InvalidOption("no-such-document-row", row=row)
