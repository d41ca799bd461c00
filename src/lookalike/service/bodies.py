"""Reads the bodies of requests, within their limits: as bytes, and as documents from JSON, JSON lines or Arrow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from typing import Any, NoReturn

import pyarrow as pa
from starlette.requests import ClientDisconnect, Request

from lookalike.errors import MalformedInput, ServiceError
from lookalike.requests.option import declared
from lookalike.requests.service import OneDocument
from lookalike.service.arrow_bodies import read_arrow
from lookalike.service.fields import KINDS, expected, has_surrogate, in_words
from lookalike.service.state import Service

JSON, JSON_LINES, ARROW = "application/json", "application/x-ndjson", "application/vnd.apache.arrow.stream"

LARGEST_ID = 2**63

LONGEST_NUMBER = 4000
"""The maximum number of digits of an integer."""

ID, TEXT = "id", "text"

_FIELDS = declared(OneDocument)


def media_type(request: Request, *known: str) -> str:
    """Returns the type of the body. Types that forms of web pages can send are refused like all unknown ones."""
    if (coding := request.headers.get("content-encoding", "identity")) != "identity":
        raise ServiceError("body-compressed", how=coding)
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in known:
        raise ServiceError("unknown-media-type", type=given, known=known)
    return given


async def read_body(request: Request, service: Service) -> bytes:
    """Reads the body. Raises ServiceError as soon as it is too large or too slow.

    Its memory is reserved until the request is answered.
    """
    limits, largest = service.limits, min(service.limits.max_body, service.room.size)
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length) > largest:
        raise ServiceError("body-too-large", largest=largest)
    pieces, size = [], 0
    request.state.reserved = 0
    try:
        async with asyncio.timeout(limits.timeout):
            async for piece in request.stream():
                size += len(piece)
                if size > largest:
                    raise ServiceError("body-too-large", largest=largest)
                service.room.reserve(len(piece))
                request.state.reserved += len(piece)
                pieces.append(piece)
    except TimeoutError:
        raise ServiceError("body-too-slow", seconds=limits.timeout) from None
    except ClientDisconnect:
        raise ServiceError("request-abandoned") from None
    return b"".join(pieces)


def parse_object(body: bytes) -> dict[str, Any]:
    """Parses a body that must be a JSON object."""
    try:
        value = _parsed(body)
    except ValueError as error:
        raise MalformedInput("body-not-json", reason=str(error)) from None
    if not isinstance(value, dict):
        raise MalformedInput("body-not-an-object", type=in_words(value))
    return value


def parse_documents(body: bytes, kind: str, most: int) -> pa.Table:
    """Parses JSON lines or an Arrow stream as a table of documents, with the column text and, if given, id."""
    if kind == ARROW:
        return read_arrow(body, most)
    rows: list[dict[str, Any]] = []
    for number, line in enumerate(body.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            value = _parsed(line)
        except ValueError as error:
            raise MalformedInput("line-not-json", line=number, reason=str(error)) from None
        if not isinstance(value, dict):
            raise MalformedInput("line-not-an-object", line=number, type=in_words(value))
        rows.append(value)
        if len(rows) > most:
            raise ServiceError("too-many-documents", most=most)
    return to_table(rows)


def to_table(rows: Iterable[Any]) -> pa.Table:
    """Checks documents given as JSON objects, and returns them as a table."""
    texts: list[str] = []
    ids: list[Any] = []
    for number, row in enumerate(rows):
        _check_document(number, row)
        texts.append(row[TEXT])
        ids.append(row.get(ID))
    columns = {TEXT: pa.array(texts, pa.large_string())}
    if any(id is not None for id in ids):
        columns[ID] = _as_array(ids)
    return pa.table(columns)


def _check_document(number: int, row: Any) -> None:
    if not isinstance(row, dict):
        raise MalformedInput(
            "wrong-type-in-document", row=number, option="documents", expected=KINDS[dict][1], given=in_words(row)
        )
    if unknown := row.keys() - _FIELDS.keys():
        raise MalformedInput("unknown-member-of-document", row=number, name=min(unknown), known=tuple(_FIELDS))
    for name, value in ((TEXT, row.get(TEXT)), (ID, row.get(ID))):
        wanted = (str,) if name == TEXT else (str, int, type(None))
        if not isinstance(value, wanted) or isinstance(value, bool):
            words = expected(_FIELDS[name])
            raise MalformedInput(
                "wrong-type-in-document", row=number, option=name, expected=words, given=in_words(value)
            )
        if isinstance(value, str) and has_surrogate(value):
            raise MalformedInput("surrogate-in-document", row=number, option=name)
        if isinstance(value, int) and not -LARGEST_ID <= value < LARGEST_ID:
            raise MalformedInput(
                "wrong-type-in-document",
                row=number,
                option=name,
                expected="an integer of 64 bits",
                given="a larger one",
            )


def _as_array(ids: list[Any]) -> pa.Array:
    """Returns the ids as an array. All documents must have one, and of one type."""
    kind = type(next(id for id in ids if id is not None))
    for number, id in enumerate(ids):
        if id is None:
            raise MalformedInput("some-ids-missing", row=number)
        if type(id) is not kind:
            raise MalformedInput(
                "wrong-type-in-document", row=number, option=ID, expected=KINDS[kind][1], given=in_words(id)
            )
    return pa.array(ids, pa.large_string() if kind is str else pa.int64())


def _parsed(text: bytes) -> Any:
    """Parses JSON strictly. Every failure is a ValueError whose message contains no part of the text."""
    try:
        return json.loads(text.decode(), parse_constant=_refuse_constant, parse_int=_integer, parse_float=_number)
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg[0].lower()}{error.msg[1:]} at character {error.pos}") from None
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start} is not UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _integer(digits: str) -> int:
    if len(digits) > LONGEST_NUMBER:  # Python refuses longer ones, and its message is for programmers
        raise ValueError(f"a number has more than {LONGEST_NUMBER:,} digits")
    return int(digits)


def _number(digits: str) -> float | int:
    """Converts a number with a fraction or an exponent. JSON has one type of numbers, so 2.0 is the integer 2."""
    value = float(digits)
    return int(value) if value.is_integer() and abs(value) < LARGEST_ID else value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")
