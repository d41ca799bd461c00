"""Converts rows that are Python objects (texts, token lists, dictionaries or tuples) to an Arrow table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import NoneType
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow.documents import TEXT, TOKENS
from lookalike.flow.signature import Signature
from lookalike.io.file_names import refuse_file_names
from lookalike.io.formats.json_line import Broken, text_of, tokens_of
from lookalike.io.scan import Malformed
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import brief


class Converted(NamedTuple):
    """Data in memory, converted to a table."""

    table: pa.Table
    name: str
    """The name that is used in messages."""
    id: str | None = None
    """The name of the id column, if the data has ids but no column names, as in {id: text}."""
    has_columns: bool = True
    """False for data without column names, such as a list of texts."""
    index: Any = None
    """The index of a frame of pandas, which may have names, several levels, or no column in the table."""


def from_rows(rows: list[Any], column: str, id: str | None, name: str, malformed: Malformed) -> Converted:
    """Creates a table from texts, token lists, dictionaries or tuples. The first row that is not None decides which.

    Rows that differ in kind from that row are added to `malformed`.
    """
    if all(issubclass(kind, str | NoneType) for kind in {*map(type, rows)}):
        refuse_file_names(rows)
        try:
            return Converted(pa.table({column: pa.array(rows, TEXT)}), name, has_columns=False)
        except UnicodeEncodeError:
            pass  # a lone surrogate; the code below finds its row
    first = next((row for row in rows if row is not None), "")
    refuse_signature_objects([first, *(_fields(first) or {}).values()], name)
    if _fields(first) is not None:
        return Converted(_from_dictionaries([_fields(row) or row for row in rows], column, name, malformed), name)
    if isinstance(first, bytes | bytearray):
        return Converted(_from_bytes(rows, column, name), name, has_columns=False)
    if _are_id_and_text(rows, id):
        return from_ids([row[0] for row in rows], [row[1] for row in rows], column, id, name, malformed)
    tokens = not isinstance(first, str) and isinstance(first, Iterable)
    if tokens and (integers := _integers(rows)) is not None:
        return Converted(pa.table({column: integers}), name, has_columns=False)
    values: list[str | list[str | None] | None] = []
    for number, row in enumerate(rows):
        try:
            values.append(None if row is None else tokens_of(as_list(row)) if tokens else text_of(row))
        except Broken as broken:
            malformed.add(Notice("row", name=name, row=number), broken.reason)
    return Converted(pa.table({column: pa.array(values, TOKENS if tokens else TEXT)}), name, has_columns=False)


def refuse_signature_objects(values: Iterable[Any], name: str) -> None:
    """Raises an error if a value is a `Signature`, from which the text cannot be restored."""
    if any(isinstance(value, Signature) for value in values):
        raise InvalidOption("signature-objects-as-documents", name=name)


def from_ids(
    ids: Sequence[Any], values: Sequence[Any], column: str, id: str | None, name: str, malformed: Malformed
) -> Converted:
    """Creates a table from ids and their texts or token lists."""
    key = id or ("id" if column != "id" else "key")
    try:
        try:
            table = pa.table({key: pa.array(ids) if ids else pa.array([], TEXT), column: pa.array(values, TEXT)})
        except (pa.ArrowException, UnicodeEncodeError, TypeError):  # sets of tokens, or a malformed text
            items = zip(ids, values, strict=True)
            rows = [{key: one, column: as_list(value)} for one, value in items]
            table = _from_dictionaries(rows, column, name, malformed)
    except MalformedInput:
        raise
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise MalformedInput("columns-of-mixed-types", name=name, reason=brief(error)) from None
    return Converted(table, name, key, has_columns=False)


def _are_id_and_text(rows: Sequence[Any], id: str | None) -> bool:
    """True for rows like (7, "some text"). Raises an error if the tuples could be rows as well as sets of tokens."""
    if not rows or not all(isinstance(row, tuple) for row in rows):
        return False
    if any(len(row) != len(rows[0]) for row in rows):
        if {"text", "number"} <= {_kind(value) for row in rows for value in row}:
            raise InvalidOption("uneven-tuples")
        return False
    if len(rows[0]) < 2:
        return False
    kinds = [{_kind(row[place]) for row in rows} for place in range(len(rows[0]))]
    if len(rows[0]) == 2 and kinds[1] <= {"text", "none"} and (id is not None or kinds[0] == {"number"}):
        return True
    of_one_kind = any(set().union(*kinds) <= {kind, "none"} for kind in ("text", "number"))
    if not of_one_kind:
        raise InvalidOption("tuples-without-names", length=len(rows[0]))
    if len(rows[0]) == 2 and kinds[1] == {"text"}:
        raise InvalidOption("tuples-of-two-texts")
    return False


def _kind(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return "number"
    return "text" if isinstance(value, str) else "other"


def _fields(row: Any) -> Mapping[Any, Any] | None:
    """Returns the row as a dictionary if its values have names: dictionaries, named tuples and rows of sqlite3."""
    if isinstance(row, Mapping):
        return row
    if isinstance(row, tuple) and hasattr(row, "_asdict"):
        return dict(row._asdict())
    if hasattr(row, "keys") and hasattr(row, "__getitem__"):
        return {key: row[key] for key in row.keys()}  # noqa: SIM118 - rows of sqlite3 iterate over their values
    return None


def _from_bytes(rows: Sequence[Any], column: str, name: str) -> pa.Table:
    try:
        return pa.table({column: pa.array(rows, pa.large_binary())})
    except (pa.ArrowException, TypeError) as error:
        raise MalformedInput("columns-of-mixed-types", name=name, reason=brief(error)) from None


def as_list(row: Any) -> Any:
    """Returns the tokens of a row as a list, those of a set in order; returns any other value unchanged."""
    if isinstance(row, set | frozenset):
        return sorted(map(_as_token, row), key=str)  # sets have no order; sorting makes results reproducible
    if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
        return row
    return [_as_token(token) for token in row]


def _integers(rows: Sequence[Any]) -> pa.Array | None:
    """Returns the rows as lists of integers, which `dedupe` keeps as integers; None if there are other values."""
    lists = [as_list(row) for row in rows]
    if not {*map(type, lists)} <= {list, NoneType}:
        return None
    if {type(token) for row in lists for token in row or ()} - {NoneType} == {int}:
        with suppress(OverflowError):  # an integer of more than 64 bits
            return pa.array(lists, pa.large_list(pa.int64()))
    return None


def _as_token(token: Any) -> Any:
    return token.item() if isinstance(token, np.generic) else token


def _from_dictionaries(rows: Sequence[Any], column: str, name: str, malformed: Malformed) -> pa.Table:
    good = []
    for number, row in enumerate(rows):
        try:
            if not isinstance(row, Mapping):
                raise Broken(Notice("not-a-dictionary", type=type(row).__name__))
            value = row.get(column)
            for text in value if isinstance(value, list) else [value]:
                if isinstance(text, str):
                    text_of(text)  # raises Broken for lone surrogates; wrong types are found later
            good.append(row)
        except Broken as broken:
            malformed.add(Notice("row", name=name, row=number), broken.reason)
    names = list(dict.fromkeys(key for row in good for key in row))
    try:
        return pa.table({str(key): pa.array([row.get(key) for row in good]) for key in names})
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise MalformedInput("columns-of-mixed-types", name=name, reason=brief(error)) from None
