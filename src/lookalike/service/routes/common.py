"""What routes share: ids in paths, bodies and answers in JSON, and the name of the key of a request."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from lookalike.errors import InvalidOption
from lookalike.index.index import Index
from lookalike.service.bodies import JSON, LARGEST_ID, media_type, parse_object, read_body
from lookalike.service.fields import of_query_string
from lookalike.service.keys import START
from lookalike.service.state import service_of


def answer(value: Any) -> Response:
    """Returns a value as JSON. Everything in an index can be encoded, so nothing is escaped."""
    return Response(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), media_type=JSON)


def id_in_path(index: Index, text: str) -> int | str:
    """Converts an id from a path to the type that the ids of the index have. Raises no-such-id if it cannot be one."""
    len(index)  # notices the first add
    if index.store.ids != "int":
        return text
    digits = text.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20 and -LARGEST_ID <= int(text) < LARGEST_ID):
        raise InvalidOption("no-such-id", value=text)
    return int(text)


async def json_object(request: Request) -> dict[str, Any]:
    """Returns the JSON object in a body."""
    of_query_string(f"POST {request.url.path}", {}, request.query_params.multi_items())
    media_type(request, JSON)
    return parse_object(await read_body(request, service_of(request)))


def name_of_key(request: Request) -> str | None:
    """Returns the name of the key, which the decision records; None for the start token."""
    name: str = request.state.caller
    return None if name == START else name


def no_options(request: Request, verb: str) -> None:
    """Raises an error if the request has a query string."""
    of_query_string(verb, {}, request.query_params.multi_items())
