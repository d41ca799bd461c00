"""Decisions of the review: about one cluster, about many, from another run; and how they are undone."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from lookalike.flow.progress import Progress
from lookalike.requests.option import declared
from lookalike.requests.review import Bulk, Decide, Undo
from lookalike.service import review_answers as answers
from lookalike.service.access import Needs
from lookalike.service.bodies import JSON_LINES, media_type, read_body
from lookalike.service.fields import of_body
from lookalike.service.review import deciding, views
from lookalike.service.review.queue import check_filter
from lookalike.service.routes.common import answer, json_object, name_of_key, no_options
from lookalike.service.schemas import KEYED, OF_FILTER, PROBLEMS, ROW, ROWS, body, links
from lookalike.service.state import gone, service_of

router = APIRouter(prefix="/review", responses=PROBLEMS, tags=["review"])

_DECIDE, _UNDO, _BULK = declared(Decide), declared(Undo), declared(Bulk)

_AFTER_DECISION = links(undo={"operationId": "review_undo", "requestBody": {"step": "$response.body#/step"}})

_REVIEW = [Depends(Needs("review"))]


@router.post(
    "/decisions",
    operation_id="review_decide",
    response_model=answers.Decision,
    openapi_extra={**body(_DECIDE, survivor=ROW, rows=ROWS, exclude=ROWS), **_AFTER_DECISION, **KEYED},
    dependencies=_REVIEW,
)
async def decide(request: Request) -> Response:
    """Decides about a cluster. The decision is on the disk when the answer arrives.

    `accept` keeps the survivor; `distinct` declares that no two of the rows are duplicates; `exclude` declares that the
    rows are similar to nothing; `skip` only records that the cluster has been seen.
    """
    service = service_of(request)
    given = await json_object(request)
    asked = dict.fromkeys(_DECIDE) | of_body("POST /review/decisions", _DECIDE, given)

    def change(progress: Progress) -> dict[str, Any]:
        return deciding.decide(*service.reviewing.ready(progress), asked, name_of_key(request), progress)

    return answer(await service.calls.decide(change, gone(request)))


@router.post(
    "/undo",
    operation_id="review_undo",
    response_model=answers.Undone,
    openapi_extra={**body(_UNDO), **_AFTER_DECISION, **KEYED},
    dependencies=_REVIEW,
)
async def undo(request: Request) -> Response:
    """Withdraws a step: a decision, or a whole action on many clusters. To withdraw a withdrawal restores the step."""
    service = service_of(request)
    asked = of_body("POST /review/undo", _UNDO, await json_object(request))

    def change(progress: Progress) -> dict[str, Any]:
        return deciding.undo(*service.reviewing.ready(progress), asked.get("step"), name_of_key(request), progress)

    return answer(await service.calls.decide(change, gone(request)))


@router.post(
    "/bulk", response_model=answers.BulkDone, openapi_extra={**body(_BULK, **OF_FILTER), **KEYED}, dependencies=_REVIEW
)
async def bulk(request: Request) -> Response:
    """Carries out an action on all clusters that a filter selects, as one step. A dry run counts them."""
    service = service_of(request)
    given = of_body("POST /review/bulk", _BULK, await json_object(request))
    defaults = {name: field.option.default for name, field in _BULK.items()}
    asked = defaults | given
    check_filter(asked)

    def change(progress: Progress) -> dict[str, Any]:
        return deciding.bulk(*service.reviewing.ready(progress), asked, name_of_key(request), progress)

    return answer(await service.calls.decide(change, gone(request)))


@router.post(
    "/import",
    response_model=answers.Imported,
    openapi_extra={
        "requestBody": {"required": True, "content": {JSON_LINES: {"schema": {"type": "string", "format": "binary"}}}},
        **KEYED,
    },
    dependencies=_REVIEW,
)
async def import_decisions(request: Request) -> Response:
    """Applies the decisions of another run. What is about changed or missing documents is listed, and not applied."""
    service = service_of(request)
    no_options(request, "POST /review/import")
    media_type(request, JSON_LINES)
    received = await read_body(request, service)

    def change(progress: Progress) -> dict[str, Any]:
        return deciding.import_decisions(service.reviewing.ready(progress)[0], received, name_of_key(request), progress)

    return answer(await service.calls.decide(change, gone(request)))


@router.post(
    "/refresh", response_model=answers.ReviewSummary, openapi_extra={**body({}), **KEYED}, dependencies=_REVIEW
)
async def refresh(request: Request) -> Response:
    """Computes the clusters of an index again, after documents were added or deleted."""
    service = service_of(request)
    of_body("POST /review/refresh", {}, await json_object(request))

    def change(progress: Progress) -> dict[str, Any]:
        review, queue = service.reviewing.ready(progress)
        if review.corpus.changed:
            review.refresh(progress)
        return views.summary(review, queue) | {"scopes": request.state.scopes}

    return answer(await service.calls.decide(change, gone(request)))
