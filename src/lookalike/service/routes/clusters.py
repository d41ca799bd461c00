"""Clusters: a list, page by page, and the members of one."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import Progress
from lookalike.index.index import Index
from lookalike.requests.option import declared
from lookalike.requests.service import ListClusters, ListMembers
from lookalike.service import answers
from lookalike.service.access import Needs
from lookalike.service.fields import LARGEST, of_query_string
from lookalike.service.routes.common import answer, id_in_path
from lookalike.service.schemas import KEYED, PAGE, PROBLEMS, query_string
from lookalike.service.snapshots import Asked
from lookalike.service.state import gone, service_of

router = APIRouter(responses=PROBLEMS, tags=["clusters"])

_LIST, _MEMBERS = declared(ListClusters), declared(ListMembers)

_SIZE = {"minimum": 2, "maximum": LARGEST}


@router.get(
    "/clusters",
    response_model=answers.ListedClusters,
    openapi_extra={**query_string(_LIST, limit=PAGE, min_size=_SIZE), **KEYED},
    dependencies=[Depends(Needs("read"))],
)
async def clusters(request: Request) -> Response:
    """Lists the clusters of two or more documents, large ones or those with the least similar pair first.

    All pages that follow one another show the same state of the index.
    """
    service = service_of(request)
    asked = of_query_string("GET /clusters", _LIST, request.query_params.multi_items())
    check_whole("limit", asked["limit"], 1, service.limits.max_rows)
    check_whole("min_size", asked["min_size"], 2)
    check_whole("min_size", asked["min_size"], 2, LARGEST)
    page = Asked(**asked)

    def read(index: Index, progress: Progress) -> dict[str, Any]:
        return service.snapshots.page(index, page, progress)

    return answer(await service.calls.survey(read, gone(request)))


@router.get(
    "/clusters/{id:path}",
    response_model=answers.ListedMembers,
    openapi_extra={**query_string(_MEMBERS, limit=PAGE), **KEYED},
    dependencies=[Depends(Needs("read"))],
)
async def cluster(id: str, request: Request) -> Response:
    """Returns the members of the cluster that contains a document."""
    service = service_of(request)
    handles, calls = service.handles, service.calls
    asked = of_query_string("GET /clusters/{id}", _MEMBERS, request.query_params.multi_items())
    check_whole("limit", asked["limit"], 1, service.limits.max_rows)

    def read(index: Index, progress: Progress) -> dict[str, Any]:
        members = index.cluster_of(id_in_path(index, id))
        start = 0
        if asked["after"] is not None:
            after = id_in_path(index, asked["after"])
            if after not in members:
                raise InvalidOption("no-such-id", value=asked["after"])
            start = members.index(after) + 1
        page = members[start : start + asked["limit"]]
        more = start + len(page) < len(members)
        return {"size": len(members), "members": page, "next": page[-1] if more else None}

    if handles.is_unsettled and not handles.is_read_only:  # the writer settles what deleted documents had connected
        found = await calls.write(read, gone(request))
        handles.is_unsettled = False
        return answer(found)
    return answer(await calls.read(read, gone(request)))
