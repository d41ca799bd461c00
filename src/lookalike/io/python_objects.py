"""Converts lists, dictionaries, iterables, NumPy arrays and tables of other libraries to an Arrow table."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.io.columns import simple_type, simplify
from lookalike.io.file_names import refuse_file_names
from lookalike.io.lazy_tables import is_dataset, loaded
from lookalike.io.python_rows import Converted, from_ids, from_rows, refuse_signature_objects
from lookalike.io.scan import Malformed
from lookalike.storage.foreign_errors import brief


def to_table(data: Any, column: str, malformed: Malformed, id: str | None = None) -> Converted:
    """Converts data to a table. Rows that are not texts are added to `malformed`.

    `column` and `id` name the columns of data that has no column names.
    """
    name = _name(data)
    data = loaded(data)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return _from_arrow(data, column, name)
    if isinstance(data, Mapping):
        return _from_mapping(data, column, id, malformed)
    if hasattr(data, "__array__"):  # NumPy; and pandas.Series, which has no PyCapsule interface before version 3
        return _from_array(np.asarray(data), column, id, malformed)._replace(name=name)
    if isinstance(data, io.IOBase):
        raise InvalidOption("open-file", type=type(data).__name__)
    if isinstance(data, bytes | bytearray) or not isinstance(data, Iterable):
        raise InvalidOption("not-data", type=type(data).__name__)
    return from_rows(list(data), column, id, name, malformed)


def _name(data: Any) -> str:
    if isinstance(data, pa.Table | pa.RecordBatch | pa.RecordBatchReader):
        return "the table given"
    if isinstance(data, pa.Array | pa.ChunkedArray):
        return "the array given"
    if is_dataset(data):
        return "the dataset given"
    return "the list given" if isinstance(data, list) else f"the {type(data).__name__} given"


def _from_arrow(data: Any, column: str, name: str) -> Converted:
    try:
        table, has_columns = _imported(data, column)
        for place, field in enumerate(table.schema):
            kind = simple_type(field.type)
            if kind != field.type:
                chunks = [simplify(chunk) for chunk in table.column(place).chunks]
                table = table.set_column(place, field.with_type(kind), pa.chunked_array(chunks, kind))
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise MalformedInput("not-arrow-data", name=f"the {type(data).__name__} given", reason=brief(error)) from None
    if not has_columns:
        with suppress(UnicodeDecodeError):  # invalid text is reported later, with its row
            refuse_file_names(value.as_py() for value in table[column])
    is_frame = type(data).__module__.partition(".")[0] == "pandas" and hasattr(data, "iloc")
    return Converted(table, name, has_columns=has_columns, index=data.index if is_frame else None)


def _imported(data: Any, column: str) -> tuple[pa.Table, bool]:
    """Converts the data to a table.

    The second value is True if it has column names. An array becomes a single column.
    """
    if isinstance(data, pa.Table):
        return data, True
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data]), True
    if isinstance(data, pa.RecordBatchReader):
        return data.read_all(), True
    if not isinstance(data, pa.Array | pa.ChunkedArray):
        data = pa.chunked_array(data) if hasattr(data, "__arrow_c_stream__") else pa.array(data)
    if pa.types.is_struct(data.type):
        return pa.Table.from_struct_array(data), True
    return pa.table({column: data}), False


def _from_mapping(data: Mapping[Any, Any], column: str, id: str | None, malformed: Malformed) -> Converted:
    """Creates a table from columns by name, or from texts, sets or dictionaries by id."""
    ids, values, name = list(data), list(data.values()), "the dictionary given"
    if column in data and isinstance(data[column], str):
        raise InvalidOption("text-instead-of-column", column=column)
    refuse_signature_objects(values[:1], name)
    if all(isinstance(value, str | set | frozenset | None) for value in values):
        return from_ids(ids, values, column, id, name, malformed)
    if all(isinstance(value, Mapping) for value in values):
        key = id or ("id" if column != "id" else "key")
        rows = [{key: one, **fields} for one, fields in data.items()]
        return from_rows(rows, column, id, name, malformed)._replace(id=key)
    try:
        return Converted(pa.table(dict(data)), name)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise MalformedInput("neither-texts-nor-columns", name=name, reason=brief(error)) from None


def _from_array(array: np.ndarray[Any, Any], column: str, id: str | None, malformed: Malformed) -> Converted:
    name = "the array given"
    if array.dtype.kind == "S":
        return Converted(pa.table({column: pa.array(array.tolist(), pa.binary())}), name, has_columns=False)
    if array.ndim == 0 or (array.ndim == 1 and array.dtype.kind not in "OUT"):
        raise InvalidOption("not-an-array-of-texts", shape=str(array.shape), type=str(array.dtype))
    return from_rows([None if _is_missing(item) else item for item in array.tolist()], column, id, name, malformed)


def _is_missing(item: Any) -> bool:
    """True for NaN and for missing values of pandas, which are recognised by name, without importing pandas."""
    return (isinstance(item, float) and item != item) or type(item).__name__ in ("NAType", "NaTType")
