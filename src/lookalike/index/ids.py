"""External ids: integers or strings, by which callers name documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow.arrays import call_function, large_strings, to_arrow, to_numpy

TEXT_IDS = pa.large_string()


def as_ids(ids: Iterable[Any] | Any) -> pa.Array:
    """Converts ids to an array of 64-bit integers or of strings. A single id is accepted, too."""
    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    if isinstance(ids, pa.Array):
        return ids.cast(pa.int64() if pa.types.is_integer(ids.type) else TEXT_IDS)
    if isinstance(ids, np.ndarray):
        ids = ids.tolist()
    values = [ids] if isinstance(ids, str | int) else list(ids)
    kinds = {str if isinstance(value, str) else type(value) for value in values}
    values = [value.item() if isinstance(value, np.integer) else value for value in values]
    if kinds <= {str}:
        return large_strings([str(value) for value in values]) if values else to_arrow(np.zeros(0, np.int64))
    if bool in kinds or not all(isinstance(value, int) for value in values):
        odd = next(value for value in values if isinstance(value, bool) or not isinstance(value, int))
        raise InvalidOption("not-an-id", value=odd)
    try:
        return to_arrow(np.array(values, np.int64))
    except OverflowError:
        raise InvalidOption("not-an-id", value=max(values, key=lambda value: abs(int(value)))) from None


def stored_ids(ids: Sequence[int | str], kind: str | None) -> pa.Array:
    """Returns an array of ids that are all of this type."""
    if kind == "str":
        return large_strings([str(id) for id in ids])
    return to_arrow(np.array(ids, np.int64))


def kind_of(ids: pa.Array) -> str:
    """Returns the type of ids as it is stored, "int" or "str"."""
    return "int" if pa.types.is_integer(ids.type) else "str"


def check_type(ids: pa.Array, kind: str | None) -> None:
    """Raises an error if the ids are not of the type that the first add has fixed."""
    own = kind_of(ids)
    if kind is not None and own != kind and len(ids):
        raise InvalidOption("index-ids-of-another-type", own=_WORDS[kind], given=_WORDS[own], first=ids[0].as_py())


_WORDS = {"int": "integers", "str": "strings"}


def check_distinct(ids: pa.Array) -> None:
    """Raises an error that names both rows if an id occurs twice."""
    if pa.types.is_integer(ids.type):
        values = np.from_dlpack(ids)
        if len(values) < 2 or (values[1:] > values[:-1]).all():
            return
    else:
        codes = call_function("dictionary_encode", [ids])
        values = to_numpy(codes.indices)
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    same = np.flatnonzero(ordered[1:] == ordered[:-1])
    if len(same):
        second = order[same + 1].min()
        first = int(np.flatnonzero(values == values[second])[0])
        raise MalformedInput("id-given-twice", id=ids[int(second)].as_py(), first=first, second=int(second))
