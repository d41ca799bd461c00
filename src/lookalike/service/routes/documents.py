"""Documents: add, read and delete them."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pyarrow as pa
from fastapi import APIRouter, Depends, Request, Response

from lookalike.errors import InvalidOption, ServiceError
from lookalike.flow.progress import Progress
from lookalike.index.index import Index
from lookalike.requests.option import declared
from lookalike.requests.service import AddOne, Delete, HowToAdd, OneDocument
from lookalike.service import answers
from lookalike.service.access import Needs
from lookalike.service.adding import add_documents, add_new_documents
from lookalike.service.bodies import (
    ARROW,
    ID,
    JSON,
    JSON_LINES,
    TEXT,
    media_type,
    parse_documents,
    parse_object,
    read_body,
    to_table,
)
from lookalike.service.fields import has_surrogate, object_schema, of_body, of_query_string
from lookalike.service.routes.common import answer, id_in_path
from lookalike.service.schemas import DOCUMENT_BODIES, KEYED, PROBLEMS, body, query_string
from lookalike.service.schemas import ID as ID_SCHEMA
from lookalike.service.state import gone, service_of

router = APIRouter(responses=PROBLEMS, tags=["documents"])

_ADD, _HOW, _DELETE = declared(AddOne), declared(HowToAdd), declared(Delete)

_DOCUMENTS = {"items": object_schema(declared(OneDocument), id=ID_SCHEMA)}


@router.post(
    "/documents",
    response_model=answers.AddedDocuments,
    openapi_extra={**body(_ADD, *DOCUMENT_BODIES, id=ID_SCHEMA, documents=_DOCUMENTS), **query_string(_HOW), **KEYED},
    dependencies=[Depends(Needs("write"))],
)
async def add(request: Request) -> Response:
    """Adds documents, all or none. They are durable when the answer arrives.

    A document whose id exists replaces it. With `if_new=true`, a document is only added if it is similar neither to a
    document of the index nor to an earlier one of the request; the answer names the duplicate.
    """
    service = service_of(request)
    kind = media_type(request, JSON, JSON_LINES, ARROW)
    only_new = of_query_string("POST /documents", _HOW, request.query_params.multi_items())["if_new"]
    service.handles.writer  # noqa: B018 - refuses before the body is read
    received = await read_body(request, service)
    most = service.limits.max_documents

    def change(index: Index, progress: Progress) -> dict[str, Any]:
        table = parse_documents(received, kind, most) if kind != JSON else _documents_in(parse_object(received), most)
        return (add_new_documents if only_new else add_documents)(index, table, progress)

    added = await service.calls.write(change, gone(request))
    if added["replaced"]:
        service.handles.is_unsettled = True
    return answer(added)


def _documents_in(given: dict[str, Any], most: int) -> pa.Table:
    """Returns the documents of a JSON object: one text, or a list of documents."""
    checked = of_body("POST /documents", _ADD, given)
    if (TEXT in checked) == ("documents" in checked) or ("documents" in checked and ID in checked):
        raise InvalidOption("one-or-several", one=TEXT, several="documents")
    rows = checked.get("documents", [checked])
    if len(rows) > most:
        raise ServiceError("too-many-documents", most=most)
    return to_table(rows)


@router.delete(
    "/documents",
    response_model=answers.DeletedDocuments,
    openapi_extra={**body(_DELETE, ids={"items": ID_SCHEMA}), **KEYED},
    dependencies=[Depends(Needs("write"))],
)
async def delete(request: Request) -> Response:
    """Deletes documents by their ids. They are never found again. Ids that the index does not have are counted."""
    service = service_of(request)
    media_type(request, JSON)
    service.handles.writer  # noqa: B018 - refuses before the body is read
    received = await read_body(request, service)

    def change(index: Index, progress: Progress) -> dict[str, int]:
        ids = of_body("DELETE /documents", _DELETE, parse_object(received))["ids"]
        if len(ids) > service.limits.max_documents:
            raise ServiceError("too-many-documents", most=service.limits.max_documents)
        for id in ids:
            if isinstance(id, bool) or not isinstance(id, int | str):
                raise InvalidOption("not-an-id", value=id)
            if isinstance(id, str) and has_surrogate(id):
                raise InvalidOption("surrogate-in-option", option="ids")
        deleted = index.delete(ids)
        return {"deleted": deleted, "unknown": len({*ids}) - deleted}

    service.handles.is_unsettled = True
    return answer(await service.calls.write(change, gone(request)))


@router.get(
    "/documents/{id:path}",
    response_model=answers.StoredDocument,
    openapi_extra=KEYED,
    dependencies=[Depends(Needs("read"))],
)
async def get(id: str, request: Request) -> Response:
    """Returns a document with its text."""
    service = service_of(request)

    def read(index: Index, progress: Progress) -> dict[str, Any]:
        found = index.documents([id_in_path(index, id)])
        if not found.num_rows:
            raise InvalidOption("no-such-id", value=id)
        document: dict[str, Any] = found.to_pylist()[0]
        return document

    return answer(await service.calls.read(read, gone(request)))


@router.get(
    "/signatures/{id:path}",
    response_model=answers.SignedDocument,
    openapi_extra=KEYED,
    dependencies=[Depends(Needs("read"))],
)
async def signature(id: str, request: Request) -> Response:
    """Returns the signature of a document, under the plan of the index."""
    service = service_of(request)

    def read(index: Index, progress: Progress) -> dict[str, Any]:
        name = id_in_path(index, id)
        return {"id": name, "signature": b64encode(index.signature(name).to_bytes()).decode()}

    return answer(await service.calls.read(read, gone(request)))
