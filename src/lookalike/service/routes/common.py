"""What routes share: ids in paths, and answers in JSON."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from lookalike.errors import InvalidOption
from lookalike.index.index import Index
from lookalike.service.bodies import JSON, LARGEST_ID


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
