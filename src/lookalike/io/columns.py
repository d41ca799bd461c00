"""Checks and converts Arrow columns: texts become TEXT or TOKENS, and ids become int64 or large_string."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput, NoSuchColumn
from lookalike.flow.arrays import call_function, cast, to_numpy
from lookalike.flow.documents import TEXT, TOKENS
from lookalike.flow.signature import COLUMN as SIGNATURE
from lookalike.flow.signature import MADE_BY
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import brief

STRINGS = (pa.string(), pa.large_string(), pa.string_view())
BINARIES = (pa.binary(), pa.large_binary(), pa.binary_view())

INTEGERS = pa.int64()
"""The type of integer ids. Ids are integers or strings, because every format can store them and users can type them."""


_INDEX_LEVEL = re.compile(r"__index_level_\d+__")


def is_index(name: str) -> bool:
    """True if a column has the name that pandas gives to an unnamed index when it converts a DataFrame to Arrow."""
    return _INDEX_LEVEL.fullmatch(name) is not None


def text_type(kind: pa.DataType, column: str, where: str) -> pa.DataType | None:
    """Returns the type to which a column of texts is converted, TEXT or TOKENS; None for a column of type null."""
    if kind in STRINGS or kind in BINARIES:
        return TEXT
    if pa.types.is_dictionary(kind):
        return text_type(kind.value_type, column, where)
    if pa.types.is_null(kind):
        return None
    if _is_list(kind):
        element = _decoded(kind.value_type)
        if element in STRINGS or pa.types.is_integer(element) or pa.types.is_null(element):
            return TOKENS
        if element in BINARIES:
            raise MalformedInput("tokens-in-bytes", where=where, column=column)
    raise MalformedInput("not-a-text-column", where=where, column=column, type=str(kind))


def refuse_signatures(schema: pa.Schema, where: str) -> None:
    """Raises an error for a table that `signatures` returned, whose lists would be read as sets of whole numbers."""
    kind = schema.field(schema.names.index(SIGNATURE)).type
    has_type = _is_list(kind) and kind.value_type == pa.uint64()  # which DataFrames keep, unlike metadata
    if has_type or MADE_BY.encode() in (schema.metadata or {}):
        raise InvalidOption("signatures-as-documents", where=where, column=SIGNATURE)


def refuse_only_signatures(schema: pa.Schema, where: str, id: str | None) -> None:
    """Raises an error if the only columns are signatures and ids, so that no other column can contain the texts."""
    names = {name for name in schema.names if not is_index(name)}
    if schema.names.count(SIGNATURE) == 1 and names <= {SIGNATURE, "id", id}:
        refuse_signatures(schema, where)


def item_type(kind: pa.DataType, column: str, where: str) -> pa.DataType | None:
    """Returns TEXT if a column can contain one item (a text or a whole number) per row, or None if its type is null."""
    kind = _decoded(kind)
    if pa.types.is_null(kind):
        return None
    if kind in STRINGS or pa.types.is_integer(kind):
        return TEXT
    raise MalformedInput("not-an-item-column", where=where, column=column, type=str(kind))


def holds_integers(kind: pa.DataType | None) -> bool | None:
    """True if the values of a column, or the elements of its lists, are whole numbers; None if the type is unknown."""
    if kind is None:
        return None
    kind = _decoded(kind)
    return bool(pa.types.is_integer(_decoded(kind.value_type) if _is_list(kind) else kind))


def id_type(kind: pa.DataType, column: str, where: str) -> pa.DataType | None:
    """Returns the type to which a column of ids is converted, int64 or large_string; None for a column of type null."""
    kind = _decoded(kind)
    if pa.types.is_null(kind):
        return None
    if pa.types.is_integer(kind):
        return INTEGERS
    if kind in STRINGS:
        return TEXT
    raise MalformedInput("not-an-id-column", where=where, column=column, type=str(kind))


def convert(array: pa.Array, kind: pa.DataType, where: str, column: str) -> pa.Array:
    """Converts a column to the type `kind`, without checking that texts are valid UTF-8."""
    if array.type == kind:
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), kind)
    if not pa.types.is_string(array.type):
        array = simplify(array)
    try:
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if array.type in BINARIES and kind == TEXT:
            # not a cast to text, which would fail on invalid UTF-8 without naming the row
            return cast(array, pa.large_binary()).view(TEXT)
        return cast(array, kind)
    except pa.ArrowException as error:
        types = {"type": str(array.type), "wanted": str(kind)}
        raise MalformedInput("column-not-converted", where=where, column=column, **types, reason=brief(error)) from None


def has_dictionaries(kind: pa.DataType) -> bool:
    """True if values of this type are, or contain, numbers that refer to a dictionary."""
    if pa.types.is_dictionary(kind):
        return True
    return pa.types.is_nested(kind) and any(has_dictionaries(kind.field(i).type) for i in range(kind.num_fields))


def check_dictionaries(array: pa.Array) -> None:
    """Raises Arrow's error for numbers that are not in their dictionary: Arrow does not check those that it reads."""
    if pa.types.is_dictionary(array.type):
        used = call_function("min_max", [array.indices]).as_py()
        if used["max"] is not None and not 0 <= used["min"] <= used["max"] < len(array.dictionary):
            raise pa.ArrowInvalid("a value is not in the dictionary")
    elif pa.types.is_struct(array.type):
        for part in array.flatten():
            check_dictionaries(part)
    elif has_dictionaries(array.type):  # lists and maps
        check_dictionaries(array.values)


def broken_texts(array: pa.Array) -> list[tuple[int, Notice]]:
    """Returns the rows of a text column that are not valid UTF-8, with the reasons. Fast if there are none."""
    try:
        array.validate(full=True)
        return []
    except pa.ArrowInvalid as error:
        reason = brief(error)
    found = []
    for row in range(len(array)):
        one = array.slice(row, 1)
        values = one.flatten() if array.type == TOKENS else one
        for value in values.view(pa.large_binary()).to_pylist():
            try:
                (value or b"").decode()
            except UnicodeDecodeError as error:
                found.append((row, not_utf8(error)))
                break
    if not found:
        raise MalformedInput("damaged-texts", reason=reason)
    return found


def not_utf8(error: UnicodeDecodeError) -> Notice:
    """Returns a notice that names the first byte that is not UTF-8."""
    return Notice("not-utf8", byte=f"0x{error.object[error.start]:02x}", offset=error.start)


def check_ids(array: pa.Array, column: str, where: Callable[[int], Notice]) -> None:
    """Raises an error if an id is missing or not UTF-8. `where` returns the location of a row for the message."""
    if array.null_count:
        row = array.is_null().index(True).as_py()
        raise MalformedInput("missing-id", where=where(row), column=column)
    if array.type == TEXT:
        for row, reason in broken_texts(array):
            raise MalformedInput("unreadable-id", where=where(row), column=column, reason=reason)


@contextmanager
def ids_name_baskets() -> Iterator[None]:
    """Wraps code that reads a table with one item per row, in which ids are basket names.

    Errors about ids are reworded.
    """
    try:
        yield
    except NoSuchColumn as error:
        if error.values["options"] != ("id",):
            raise
        raise NoSuchColumn("no-such-column", **{**error.values, "options": ("basket",)}) from None
    except MalformedInput as error:
        if error.code != "missing-id":
            raise
        raise MalformedInput("missing-basket", **error.values) from None


def simplify(array: pa.Array) -> pa.Array:
    """Converts an array to its `simple_type`."""
    kind = simple_type(array.type)
    if kind == array.type:
        return array
    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(kind)).dictionary_decode()
    if pa.types.is_struct(array.type):
        fields = [simplify(array.field(i)) for i in range(len(kind.fields))]
        return pa.StructArray.from_arrays(fields, fields=kind.fields, mask=array.is_null())
    if _is_list(array.type):
        return _simple_lists(array, large=pa.types.is_large_list(kind))
    return cast(array, kind)


def _simple_lists(array: pa.Array, *, large: bool) -> pa.Array:
    """Converts lists or list views to lists of simple values.

    Arrow's own cast of list views is wrong for slices, and for lists stored in another order.
    """
    lengths = call_function("list_value_length", [array]).fill_null(0)
    ends = np.concatenate([[0], np.cumsum(to_numpy(lengths))])
    made, offsets = (pa.LargeListArray, ends.astype(np.int64)) if large else (pa.ListArray, ends.astype(np.int32))
    return made.from_arrays(pa.array(offsets), simplify(array.flatten()), mask=array.is_null())


def simple_type(kind: pa.DataType) -> pa.DataType:
    """Returns the type without string, binary and list views, which Arrow's `filter` and `take` do not support yet."""
    if pa.types.is_dictionary(kind) and simple_type(kind.value_type) != kind.value_type:
        return simple_type(kind.value_type)
    if pa.types.is_string_view(kind):
        return TEXT
    if pa.types.is_binary_view(kind):
        return pa.large_binary()
    if pa.types.is_list_view(kind):
        return pa.list_(simple_type(kind.value_type))
    if pa.types.is_large_list_view(kind):
        return pa.large_list(simple_type(kind.value_type))
    if pa.types.is_list(kind):
        return pa.list_(simple_type(kind.value_type))
    if pa.types.is_large_list(kind):
        return pa.large_list(simple_type(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(simple_type(field.type)) for field in kind.fields])
    return kind


def _decoded(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def _is_list(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_list_view(kind)
        or pa.types.is_large_list_view(kind)
    )
