"""Converts columns to Python values that JSON and CSV can contain, at any depth. Times and decimals become texts.

Python's dates end with the year 9999, and Arrow can format dates up to the year 32767, while a column of 64-bit
integers may contain any date. Dates outside these ranges are formatted by NumPy, which has no such limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import pyarrow as pa

from lookalike.errors import MalformedInput
from lookalike.storage.foreign_errors import brief

FIRST_DAY, LAST_DAY = -12_687_427, 11_248_736
"""The range of dates that Arrow can format, in days since 1970, less one day at each end."""

PER_DAY = {"D": 1, "s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
"""The number of time units per day, by NumPy's unit names."""


def values_by_column(batch: pa.RecordBatch) -> list[list[Any]]:
    """Converts the columns to lists of Python values. If a value cannot be converted, the error names its column."""
    columns = []
    for name, array in zip(batch.schema.names, batch.columns, strict=True):
        try:
            columns.append(text_values(array))
        except (ValueError, OverflowError, KeyError, pa.ArrowException) as error:  # KeyError: an unknown time zone
            raise MalformedInput("column-not-writable", column=name, reason=brief(error)) from None
    return columns


def text_values(array: pa.Array) -> list[Any]:
    """Converts the values to Python objects. Times and decimals become texts, also in lists, maps and structs."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return text_values(array.dictionary_decode())
    if isinstance(array, pa.ExtensionArray):
        return text_values(array.storage)
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return _dates(array)
    if pa.types.is_decimal(kind) or pa.types.is_time(kind) or pa.types.is_duration(kind):
        return cast(list[Any], array.cast(pa.string()).to_pylist())
    if _contains_times(kind):
        if pa.types.is_struct(kind):
            return _structs(array)
        if pa.types.is_map(kind) or hasattr(array, "values"):  # a map, or a list of any kind
            return _lists(array)
    return cast(list[Any], array.to_pylist())


def _contains_times(kind: pa.DataType) -> bool:
    """True if a type, at any depth, has values that become texts."""
    if pa.types.is_dictionary(kind):
        return _contains_times(kind.value_type)
    if isinstance(kind, pa.BaseExtensionType):
        return _contains_times(kind.storage_type)
    fields = (kind.field(i).type for i in range(kind.num_fields))
    return pa.types.is_temporal(kind) or pa.types.is_decimal(kind) or any(map(_contains_times, fields))


def _structs(array: pa.StructArray) -> list[Any]:
    names = [field.name for field in array.type]
    if len({*names}) < len(names):
        raise ValueError("two fields of a struct have the same name")
    rows = zip(*(text_values(array.field(i)) for i in range(len(names))), strict=True)
    return [
        dict(zip(names, row, strict=True)) if valid else None
        for valid, row in zip(array.is_valid().to_pylist(), rows, strict=True)
    ]


def _lists(array: pa.Array) -> list[Any]:
    """Converts an array of lists or maps. A map becomes a list of (key, value)."""
    kind = array.type
    if pa.types.is_fixed_size_list(kind):
        starts = [(array.offset + row) * kind.list_size for row in range(len(array))]
        stops = [start + kind.list_size for start in starts]
    elif pa.types.is_list_view(kind) or pa.types.is_large_list_view(kind):
        starts = array.offsets.to_pylist()
        stops = [start + size for start, size in zip(starts, array.sizes.to_pylist(), strict=True)]
    else:
        starts, stops = array.offsets.to_pylist()[:-1], array.offsets.to_pylist()[1:]
    low, high = min(starts, default=0), max(stops, default=0)  # the array may be a small part of a large one
    if pa.types.is_map(kind):
        values = [*zip(text_values(array.keys[low:high]), text_values(array.items[low:high]), strict=True)]
    else:
        values = text_values(array.values[low:high])
    return [
        values[start - low : stop - low] if valid else None
        for valid, start, stop in zip(array.is_valid().to_pylist(), starts, stops, strict=True)
    ]


def _dates(array: pa.Array) -> list[Any]:
    """Converts dates or timestamps of any year to texts.

    If the time zone is unknown, the text is the time in UTC, followed by the name of the zone.
    """
    kind = array.type
    unit = {pa.date32(): "D", pa.date64(): "ms"}.get(kind) or kind.unit
    zone = getattr(kind, "tz", None)
    numbers = array.view(pa.int32() if kind == pa.date32() else pa.int64()).fill_null(0).to_numpy().astype(np.int64)
    day = PER_DAY[unit]  # because a time zone may shift a time by up to a day
    outside = numbers < max(FIRST_DAY * day, day - 2**63)
    outside |= numbers > min(LAST_DAY * day, 2**63 - 1 - day)
    usual = array.filter(pa.array(~outside)) if outside.any() else array
    suffix = "Z" if zone else ""
    try:
        texts: list[Any] = usual.cast(pa.string()).to_pylist()
    except pa.ArrowInvalid:  # an unknown time zone
        suffix = f"Z[{zone}]"
        in_utc = usual.cast(pa.timestamp(unit)).cast(pa.string())
        texts = [None if text is None else text + suffix for text in in_utc.to_pylist()]
    if not outside.any():
        return texts
    shown = "D" if pa.types.is_date(kind) else unit
    others = _far(numbers[outside].view(f"datetime64[{unit}]").astype(f"datetime64[{shown}]"), suffix)
    inside = iter(texts)
    return [next(others) if far else next(inside) for far in outside.tolist()]


def _far(times: Any, suffix: str) -> Iterator[str]:
    """Yields times of any year as texts."""
    for text in np.datetime_as_string(times).tolist():
        # NumPy has no date for the smallest number, which it shows as NaT
        yield f"<value out of range: {-(2**63)}>" if text == "NaT" else text.replace("T", " ") + suffix
