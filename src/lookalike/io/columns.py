"""What counts as a text and as an id: Arrow columns of any kind → our two types of text and our two types of id."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pyarrow as pa

from lookalike.errors import MalformedInput, NoSuchColumn
from lookalike.flow.arrays import cast
from lookalike.flow.documents import TEXT, TOKENS
from lookalike.storage.foreign_errors import brief

INTEGERS = pa.int64()
"""Ids are integers or strings, nothing else: that is what every format can hold and every user can type."""


def text_type(kind: pa.DataType, column: str, where: str) -> pa.DataType | None:
    """TEXT or TOKENS, whichever a column of this type becomes; None where all is null and either will do."""
    kind = _decoded(kind)
    if pa.types.is_null(kind):
        return None
    if _is_string(kind) or _is_binary(kind):
        return TEXT
    if _is_list(kind):
        element = _decoded(kind.value_type)
        if _is_string(element) or pa.types.is_integer(element) or pa.types.is_null(element):
            return TOKENS
    raise MalformedInput(
        f"{where}: expected column {column!r} to hold texts or lists of tokens, it holds {kind}. "
        "Name the column of texts with --column / column=."
    )


def item_type(kind: pa.DataType, column: str, where: str) -> pa.DataType | None:
    """TEXT for a column of one item a row, texts or whole numbers; None where all is null."""
    kind = _decoded(kind)
    if pa.types.is_null(kind):
        return None
    if _is_string(kind) or pa.types.is_integer(kind):
        return TEXT
    raise MalformedInput(
        f"{where}: column {column!r} must hold one item a row, a text or a whole number, it holds {kind}"
    )


def holds_integers(kind: pa.DataType | None) -> bool | None:
    """Whether a column of this type, or the lists in it, hold whole numbers; None where the type is not known."""
    if kind is None:
        return None
    kind = _decoded(kind)
    return bool(pa.types.is_integer(_decoded(kind.value_type) if _is_list(kind) else kind))


def id_type(kind: pa.DataType, column: str, where: str) -> pa.DataType | None:
    """int64 or large_string, whichever an id column of this type becomes; None where all is null."""
    kind = _decoded(kind)
    if pa.types.is_null(kind):
        return None
    if pa.types.is_integer(kind):
        return INTEGERS
    if _is_string(kind):
        return TEXT
    raise MalformedInput(f"{where}: expected ids that are integers or strings, column {column!r} holds {kind}")


def convert(array: pa.Array, kind: pa.DataType, where: str, column: str) -> pa.Array:
    """The column in the type it was said to become. UTF-8 is not checked here."""
    if array.type == kind:
        return array
    if pa.types.is_null(array.type):
        return pa.nulls(len(array), kind)
    array = simplify(array)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    try:
        if _is_binary(array.type) and kind == TEXT:
            # A view and not a cast, which would stop at broken UTF-8 without saying where.
            return cast(array, pa.large_binary()).view(TEXT)
        return cast(array, kind)
    except pa.ArrowException as error:
        raise MalformedInput(
            f"{where}: column {column!r} of type {array.type} is not {kind} ({brief(error)})"
        ) from None


def broken_texts(array: pa.Array) -> list[tuple[int, str]]:
    """Rows of a text column that are not UTF-8, each with the reason; the usual answer, none, is quick."""
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
        raise MalformedInput(f"the column of texts is damaged ({reason})")
    return found


def not_utf8(error: UnicodeDecodeError) -> str:
    """'not UTF-8 (byte 0xff at offset 12)', with advice where the cause can be told."""
    data = error.object
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "not UTF-8 but UTF-16; convert it first, as with: iconv -f utf-16 -t utf-8"
    return f"not UTF-8 (byte 0x{data[error.start]:02x} at offset {error.start})"


def check_ids(array: pa.Array, column: str, where: Callable[[int], str]) -> None:
    """Raises if an id is missing or broken; `where` names a row."""
    if array.null_count:
        row = array.is_null().index(True).as_py()
        raise missing_id(column, where(row))
    if array.type == TEXT:
        for row, reason in broken_texts(array):
            raise MalformedInput(f"{where(row)}: the id is {reason}")


MISSING = ": the id is missing"


def missing_id(column: str, where: str) -> MalformedInput:
    return MalformedInput(
        f"{where}{MISSING} (column {column!r}). Every document needs one; without --id / id= "
        "documents go by their position."
    )


@contextmanager
def naming_baskets(column: str | None) -> Iterator[None]:
    """Where the ids of rows name their sets, what is wrong with an id is said in those words."""
    try:
        yield
    except NoSuchColumn as error:
        raise NoSuchColumn(str(error).replace("--id / id=", "--basket / basket=")) from None
    except MalformedInput as error:
        where, missing, _ = str(error).partition(MISSING)
        if not missing:
            raise
        raise MalformedInput(f"{where}: column {column!r} has no value, and such rows belong to no basket") from None


def simplify(array: pa.Array) -> pa.Array:
    """The array in its simple type."""
    kind = simple_type(array.type)
    if kind == array.type:
        return array
    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(kind)).dictionary_decode()
    return cast(array, kind)


def simple_type(kind: pa.DataType) -> pa.DataType:
    """The type with views made plain: Arrow's kernels cannot filter or take from string views yet."""
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


def _is_string(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _is_binary(kind: pa.DataType) -> bool:
    return bool(pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind))


def _is_list(kind: pa.DataType) -> bool:
    return bool(
        pa.types.is_list(kind)
        or pa.types.is_large_list(kind)
        or pa.types.is_fixed_size_list(kind)
        or pa.types.is_list_view(kind)
        or pa.types.is_large_list_view(kind)
    )
