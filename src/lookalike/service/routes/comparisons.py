"""Comparisons of two texts, and explanations of plans. Both start from the plan of the index."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends, Request, Response

from lookalike.errors import InvalidOption
from lookalike.flow.progress import Progress
from lookalike.index.index import Index
from lookalike.planning.explain import facts
from lookalike.planning.plan import Plan
from lookalike.requests.option import declared
from lookalike.requests.service import CompareTexts, ExplainPlan
from lookalike.service import answers
from lookalike.service.access import Needs
from lookalike.service.bodies import ID, JSON, TEXT, media_type, parse_object, read_body
from lookalike.service.fields import expected, has_surrogate, in_words, of_body
from lookalike.service.routes.common import answer
from lookalike.service.schemas import ID as ID_SCHEMA
from lookalike.service.schemas import KEYED, PROBLEMS, SHARE, body
from lookalike.service.state import gone, service_of
from lookalike.text.comparison import compare as compare_texts

router = APIRouter(responses=PROBLEMS, tags=["comparisons"])

_COMPARE, _EXPLAIN = declared(CompareTexts), declared(ExplainPlan)

_REFINED: dict[str, Any] = {
    "threshold": SHARE, "recall": SHARE, "bands": {"minimum": 1}, "rows": {"minimum": 0},
    "hashes": {"minimum": 1, "maximum": 4096}, "seed": {"minimum": 0, "maximum": 2**64 - 1},
}  # fmt: skip

_SIDES = ("a", "b")
_DOCUMENT = {"type": "object", "properties": {ID: ID_SCHEMA}, "required": [ID], "additionalProperties": False}
_SIDE = {"anyOf": [{"type": "string"}, _DOCUMENT]}


@router.post(
    "/compare",
    response_model=answers.ComparedTexts,
    openapi_extra={**body(_COMPARE, a=_SIDE, b=_SIDE, threshold=SHARE), **KEYED},
    dependencies=[Depends(Needs("read"))],
)
async def compare(request: Request) -> Response:
    """Compares two texts, or documents of the index, and finds the passages that they share."""
    service = service_of(request)
    media_type(request, JSON)
    received = await read_body(request, service)

    def read(index: Index, progress: Progress) -> dict[str, Any]:
        options = of_body("POST /compare", _COMPARE, parse_object(received))
        sides = [_text_of(index, side, options.pop(side)) for side in _SIDES]
        found = compare_texts(sides[0], sides[1], Plan.from_options(index.plan, "pairs", options))
        known = found.to_dict() | {"shingles": str(found.shingles)}  # these might contain the key of the index
        chance = 1.0 if found.plan.exact else found.chance
        about = {"is_pair": found.counts, "chance": chance, "verdict": found.verdict}
        return known | about | {"marks_a": found.marks_a, "marks_b": found.marks_b}

    return answer(await service.calls.read(read, gone(request)))


def _text_of(index: Index, side: str, given: Any) -> str:
    """Returns a text that was given, or the text of the document whose id was given."""
    if isinstance(given, str):
        return given
    id = given.get(ID)
    if given.keys() != {ID} or isinstance(id, bool) or not isinstance(id, int | str):
        raise InvalidOption("wrong-type", option=side, expected=expected(_COMPARE[side]), given=in_words(given))
    if isinstance(id, str) and has_surrogate(id):
        raise InvalidOption("surrogate-in-option", option=side)
    found = index.documents([id])
    if not found.num_rows:
        raise InvalidOption("no-such-id", value=id)
    return str(found[TEXT][0].as_py())


@router.post(
    "/explain",
    openapi_extra={**body(_EXPLAIN, **_REFINED), **KEYED},
    dependencies=[Depends(Needs("read"))],
)
async def explain(request: Request) -> Response:
    """Explains what a plan finds and misses: its bands and rows, and the probability with which pairs are found."""
    service = service_of(request)
    media_type(request, JSON)
    received = await read_body(request, service)

    def read(index: Index, progress: Progress) -> dict[str, Any]:
        options = of_body("POST /explain", _EXPLAIN, parse_object(received))
        return facts(Plan.from_options(index.plan, "pairs", options).resolve())

    return answer(await service.calls.read(read, gone(request)))
