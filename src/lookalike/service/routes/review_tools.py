"""Tools of the review: rules, search, predictions for other plans, and the clean corpus."""

from __future__ import annotations

from typing import Any, BinaryIO

import numpy as np
from fastapi import APIRouter, Depends, Request, Response
from starlette.responses import StreamingResponse

from lookalike.errors import InvalidOption, ServiceError
from lookalike.flow.checks import check_names, check_whole
from lookalike.flow.progress import Progress
from lookalike.requests.option import declared
from lookalike.requests.review import ExportClean, SearchText, TryRules, Tune
from lookalike.service import review_answers as answers
from lookalike.service.access import Needs
from lookalike.service.bodies import JSON_LINES
from lookalike.service.fields import of_body, of_query_string
from lookalike.service.review import exporting, tuning
from lookalike.service.review.corpus import in_words
from lookalike.service.review.figures import EXCERPT
from lookalike.service.review.rules import try_rules
from lookalike.service.routes.common import answer, json_object, name_of_key
from lookalike.service.schemas import KEYED, PAGE, PROBLEMS, SHARE, body, query_string
from lookalike.service.state import gone, service_of

router = APIRouter(prefix="/review", responses=PROBLEMS, tags=["review"])

_RULES, _SEARCH, _TUNE, _CLEAN = declared(TryRules), declared(SearchText), declared(Tune), declared(ExportClean)

_TYPES = {"jsonl": JSON_LINES, "csv": "text/csv; charset=utf-8", "parquet": "application/vnd.apache.parquet"}

_FILES: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {
            kind.partition(";")[0]: {"schema": {"type": "string", "format": "binary"}} for kind in _TYPES.values()
        }
    }
}

_NAMES = {"items": {"type": "string", "minLength": 1}}

_READ = [Depends(Needs("read"))]


@router.post(
    "/rules",
    response_model=answers.TriedRules,
    openapi_extra={**body(_RULES, protect=_NAMES), **KEYED},
    dependencies=_READ,
)
async def rules(request: Request) -> Response:
    """Counts how many documents each survivor rule and each protected source decides.

    With `dry_run` false, the survivors of undecided clusters are written as decisions, in one step. That needs the
    scope review.
    """
    service = service_of(request)
    given = of_body("POST /review/rules", _RULES, await json_object(request))
    asked = {name: field.option.default for name, field in _RULES.items()} | given
    for name in ("keep", "protect"):
        if isinstance(asked[name], list):
            check_names(name, asked[name])
    if not asked["dry_run"] and "review" not in request.state.scopes:
        raise ServiceError("no-scope", name=request.state.caller, scope="review")

    def change(progress: Progress) -> dict[str, Any]:
        return try_rules(service.reviewing.ready(progress)[0], asked, name_of_key(request), progress)

    carry_out = service.calls.examine if asked["dry_run"] else service.calls.decide
    return answer(await carry_out(change, gone(request)))


@router.post(
    "/search",
    response_model=answers.Neighbours,
    openapi_extra={**body(_SEARCH, top=PAGE), **KEYED},
    dependencies=_READ,
)
async def search(request: Request) -> Response:
    """Finds the documents that are most similar to a text.

    An index answers with documents that reach its threshold. Of a saved result, the whole input is read.
    """
    service = service_of(request)
    given = of_body("POST /review/search", _SEARCH, await json_object(request))
    text, top = given["text"], given.get("top", _SEARCH["top"].option.default)
    check_whole("top", top, 1, service.limits.max_rows)

    def read(progress: Progress) -> dict[str, Any]:
        review, _ = service.reviewing.ready(progress)
        if review.corpus.plan is None:
            return {"found": [], "read": 0}
        found, count = review.corpus.search(text, top, progress)
        rows = np.array([row for row, _ in found], np.int64)
        texts = review.texts(rows) if len(rows) else {}
        places = review.groups.places_of(rows)
        ids = review.corpus.ids(rows)
        return {
            "found": [
                {
                    "row": row,
                    "id": str(id),
                    "excerpt": in_words(texts[row])[:EXCERPT],
                    "similarity": similarity,
                    "key": review.groups.key(place) if place >= 0 else None,
                    "size": len(review.groups.members(place)) if place >= 0 else 1,
                }
                for (row, similarity), id, place in zip(found, ids, places.tolist(), strict=True)
            ],
            "read": count,
        }

    return answer(await service.calls.examine(read, gone(request)))


@router.get(
    "/tune",
    response_model=answers.Tuned,
    openapi_extra={
        **query_string(
            _TUNE,
            threshold=SHARE,
            bands={"minimum": 1, "maximum": tuning.MOST_BANDS},
            rows={"minimum": 0, "maximum": tuning.MOST_ROWS},
        ),
        **KEYED,
    },
    dependencies=_READ,
)
async def tune(request: Request) -> Response:
    """Predicts the recall and the false candidates of a threshold, bands and rows over this corpus."""
    service = service_of(request)
    asked = of_query_string("GET /review/tune", _TUNE, request.query_params.multi_items())

    def read(progress: Progress) -> dict[str, Any]:
        return tuning.tune(service.reviewing.ready(progress)[0], asked)

    return answer(await service.calls.examine(read, gone(request)))


@router.get(
    "/export/clean",
    response_class=Response,
    responses=_FILES,
    openapi_extra={**query_string(_CLEAN), **KEYED},
    dependencies=_READ,
)
async def export_clean(request: Request) -> Response:
    """Returns the documents that are kept, with all their columns."""
    service = service_of(request)
    asked = of_query_string("GET /review/export/clean", _CLEAN, request.query_params.multi_items())
    format = asked["format"]
    if format not in _TYPES:
        raise InvalidOption("not-one-of", option="format", allowed=tuple(_TYPES), value=format)

    def read(progress: Progress) -> tuple[BinaryIO, int]:
        return exporting.clean_corpus(service.reviewing.ready(progress)[0], format, progress)

    file, size = await service.calls.examine(read, gone(request))
    headers = {"Content-Disposition": f'attachment; filename="clean.{format}"', "Content-Length": str(size)}
    return StreamingResponse(exporting.chunks(file), headers=headers, media_type=_TYPES[format])
