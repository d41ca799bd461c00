"""Converts lists, iterables, NumPy arrays and objects with the Arrow PyCapsule interface to an Arrow table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow.documents import TEXT, TOKENS
from lookalike.io.columns import simple_type, simplify
from lookalike.io.formats.json_line import Broken, text_of, tokens_of
from lookalike.io.scan import Malformed
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import brief


def to_table(data: Any, column: str, malformed: Malformed) -> tuple[pa.Table, str]:
    """Converts data to a table; also returns its name in messages. Rows that are not texts are added to `malformed`."""
    if isinstance(data, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return _from_arrow(data, column), "the table given"
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return _from_arrow(data, column), "the array given"
    if _is_dataset(data):
        return _from_arrow(data.with_format("arrow")[:], column), "the dataset given"
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return _from_arrow(data, column), f"the {type(data).__name__} given"
    if isinstance(data, Mapping):
        return _from_mapping(data), "the columns given"
    if hasattr(data, "__array__"):  # NumPy; and pandas.Series, which has no PyCapsule interface before version 3
        return _from_array(np.asarray(data), column, malformed), f"the {type(data).__name__} given"
    if isinstance(data, bytes | bytearray) or not isinstance(data, Iterable):
        raise InvalidOption("not-data", type=type(data).__name__)
    name = "the list given" if isinstance(data, list) else f"the {type(data).__name__} given"
    return _from_rows(list(data), column, name, malformed), name


def _is_dataset(data: Any) -> bool:
    """True for a Hugging Face dataset, whose PyCapsule interface ignores its index of selected rows."""
    return type(data).__module__.partition(".")[0] == "datasets" and hasattr(data, "num_rows")


def _from_arrow(data: Any, column: str) -> pa.Table:
    try:
        table = _imported(data, column)
        for place, field in enumerate(table.schema):
            kind = simple_type(field.type)
            if kind != field.type:
                chunks = [simplify(chunk) for chunk in table.column(place).chunks]
                table = table.set_column(place, field.with_type(kind), pa.chunked_array(chunks, kind))
        return table
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise MalformedInput("not-arrow-data", name=f"the {type(data).__name__} given", reason=brief(error)) from None


def _imported(data: Any, column: str) -> pa.Table:
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all()
    if not isinstance(data, pa.Array | pa.ChunkedArray):
        data = pa.chunked_array(data) if hasattr(data, "__arrow_c_stream__") else pa.array(data)
    if pa.types.is_struct(data.type):
        return pa.Table.from_struct_array(data)
    return pa.table({column: data})


def _from_mapping(data: Mapping[str, Any]) -> pa.Table:
    try:
        return pa.table(dict(data))
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise MalformedInput("not-a-table", name="the dictionary given", reason=brief(error)) from None


def _from_array(array: np.ndarray[Any, Any], column: str, malformed: Malformed) -> pa.Table:
    if array.dtype.kind == "S":
        return pa.table({column: pa.array(array.tolist(), pa.binary())})
    if array.ndim == 0 or (array.ndim == 1 and array.dtype.kind not in "OUT"):
        raise InvalidOption("not-an-array-of-texts", shape=str(array.shape), type=str(array.dtype))
    return _from_rows(
        [None if _is_missing(item) else item for item in array.tolist()], column, "the array given", malformed
    )


def _is_missing(item: Any) -> bool:
    """True for NaN and pandas' missing values, which are recognised by name because pandas may not be installed."""
    return (isinstance(item, float) and item != item) or type(item).__name__ in ("NAType", "NaTType")


def _from_rows(rows: list[Any], column: str, name: str, malformed: Malformed) -> pa.Table:
    """Creates a table from texts, token lists or dictionaries; the first row that is not None decides which."""
    if {*map(type, rows)} <= {str, type(None)}:
        try:
            return pa.table({column: pa.array(rows, TEXT)})
        except UnicodeEncodeError:
            pass  # a lone surrogate; the code below finds its row
    first = next((row for row in rows if row is not None), "")
    if isinstance(first, Mapping):
        return _from_dictionaries(rows, column, name, malformed)
    tokens = not isinstance(first, str) and isinstance(first, Iterable)
    values: list[str | list[str | None] | None] = []
    for number, row in enumerate(rows):
        try:
            values.append(None if row is None else tokens_of(_as_list(row)) if tokens else text_of(row))
        except Broken as broken:
            malformed.add(Notice("row", name=name, row=number), broken.reason)
    return pa.table({column: pa.array(values, TOKENS if tokens else TEXT)})


def _as_list(row: Any) -> Any:
    if isinstance(row, set | frozenset):
        return sorted(map(_as_token, row), key=str)  # sets have no order; sorting makes it reproducible
    if isinstance(row, str | bytes | Mapping) or not isinstance(row, Iterable):
        return row
    return [_as_token(token) for token in row]


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
