"""Queries: which documents are similar to texts."""

from __future__ import annotations

import io
from collections.abc import Set
from typing import Any

import pyarrow as pa
import pyarrow.ipc
from fastapi import APIRouter, Depends, Request, Response

from lookalike.errors import InvalidOption, ServiceError
from lookalike.flow.progress import Progress
from lookalike.index.index import Index
from lookalike.requests.indexes import IndexQuery
from lookalike.requests.option import declared
from lookalike.requests.service import Query
from lookalike.service import answers
from lookalike.service.access import Needs
from lookalike.service.bodies import (
    ARROW,
    JSON,
    JSON_LINES,
    TEXT,
    media_type,
    parse_documents,
    parse_object,
    read_body,
)
from lookalike.service.fields import of_body, of_query_string
from lookalike.service.finding import Found, find
from lookalike.service.limits import Limits
from lookalike.service.routes.common import answer
from lookalike.service.schemas import DOCUMENT_BODIES, KEYED, PROBLEMS, SHARE, body, query_string
from lookalike.service.state import gone, service_of

router = APIRouter(responses=PROBLEMS, tags=["queries"])

_QUERY, _OPTIONS = declared(Query), declared(IndexQuery)

_REFINED: dict[str, Any] = {"top": {"minimum": 1, "maximum": 2**63 - 1}, "threshold": SHARE}


@router.post(
    "/query",
    response_model=answers.FoundDocuments,
    openapi_extra={
        **body(_QUERY, *DOCUMENT_BODIES, **_REFINED),
        **query_string(_OPTIONS, **_REFINED),
        **KEYED,
    },
    dependencies=[Depends(Needs("read"))],
)
async def query(request: Request) -> Response:
    """Finds the documents that are similar to one or several texts. Similarities are exact.

    A body in JSON contains the options. With JSON lines or an Arrow stream of documents (text, id), they are in the
    query string. The answer is an Arrow stream if the request accepts only that.
    """
    service = service_of(request)
    kind = media_type(request, JSON, JSON_LINES, ARROW)
    options = of_query_string("POST /query", _OPTIONS, request.query_params.multi_items())
    received = await read_body(request, service)

    def read(index: Index, progress: Progress) -> Found:
        texts, how = _asked(received, kind, options, {*request.query_params}, service.limits)
        return find(index, texts, how, service.limits.max_rows, progress)

    found = await service.calls.read(read, gone(request))
    if request.headers.get("accept", "").strip().lower() == ARROW:
        return _as_arrow(found)
    return answer(found.to_dict())


def _asked(
    received: bytes, kind: str, options: dict[str, Any], given: Set[str], limits: Limits
) -> tuple[pa.Table | str, dict[str, Any]]:
    """Returns the texts and the options of a query. `given` are the names of the options in the query string."""
    if kind != JSON:
        return parse_documents(received, kind, limits.max_documents), options
    how = of_body("POST /query", _QUERY, parse_object(received))
    if twice := how.keys() & given:
        raise InvalidOption("not-in-query-string", option=min(twice))
    if (TEXT in how) == ("texts" in how):
        raise InvalidOption("one-or-several", one=TEXT, several="texts")
    options |= {name: how[name] for name in _OPTIONS if name in how}
    if TEXT in how:
        return str(how[TEXT]), options
    if len(how["texts"]) > limits.max_documents:
        raise ServiceError("too-many-documents", most=limits.max_documents)
    return pa.table({TEXT: pa.array(how["texts"], pa.large_string())}), options


def _as_arrow(found: Found) -> Response:
    """Returns the documents found as an Arrow stream. Its metadata has the counts."""
    table = found.to_arrow()
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return Response(sink.getvalue(), media_type=ARROW)
