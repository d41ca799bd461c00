"""External ids: integers or strings, by which callers name documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow.arrays import call_function, large_strings, to_arrow, to_numpy

TEXT_IDS = pa.large_string()

LARGEST = 2**63 - 1
"""The largest integer that can be an id. An index never assigns it, so that there is always a next one to store."""


def as_ids(ids: Iterable[Any] | Any) -> pa.Array:
    """Converts ids to an array of 64-bit integers or of strings. A single id is accepted, too."""
    if isinstance(ids, pa.ChunkedArray):
        ids = ids.combine_chunks()
    if isinstance(ids, pa.Array):
        return _from_arrow(ids)
    if isinstance(ids, np.ndarray):
        ids = ids.tolist()
    is_one = isinstance(ids, str | bytes | np.generic | pa.Scalar) or not isinstance(ids, Iterable)
    values = [_plain(value) for value in ([ids] if is_one else ids)]
    is_text = len(values) > 0 and isinstance(values[0], str)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise InvalidOption("not-an-id", value=value)
        if isinstance(value, str) != is_text:
            raise InvalidOption("ids-of-two-types", first=values[0], other=value)
    try:
        return large_strings([str(value) for value in values]) if is_text else to_arrow(np.array(values, np.int64))
    except OverflowError:
        raise InvalidOption("not-an-id", value=max(values, key=abs)) from None
    except UnicodeEncodeError as error:
        raise InvalidOption("surrogate-in-id", value=error.object) from None


def stored_ids(ids: Sequence[int | str], kind: str | None) -> pa.Array:
    """Returns an array of ids that are all of this type."""
    if kind == "str":
        return large_strings([str(id) for id in ids])
    return to_arrow(np.array(ids, np.int64))


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value.as_py() if isinstance(value, pa.Scalar) else value


def _from_arrow(ids: pa.Array) -> pa.Array:
    if pa.types.is_dictionary(ids.type):
        ids = ids.dictionary_decode()
    if ids.null_count:
        raise InvalidOption("not-an-id", value=None)
    if pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type) or pa.types.is_string_view(ids.type):
        return ids.cast(TEXT_IDS)
    if len(ids) and not pa.types.is_integer(ids.type):
        raise InvalidOption("not-an-id", value=ids[0].as_py())
    try:
        return ids.cast(pa.int64())
    except pa.ArrowInvalid:
        raise InvalidOption("not-an-id", value=max(ids.to_pylist())) from None


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
