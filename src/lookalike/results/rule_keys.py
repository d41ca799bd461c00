"""Sort keys of survivor rules: a number per row, by which rows with smaller numbers are preferred."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption, NoSuchColumn
from lookalike.flow.arrays import Mask, Rows
from lookalike.io.nested import has_column, read_columns
from lookalike.io.row_files import check_glob, rows_from
from lookalike.io.source import Source
from lookalike.results.survivors import Rule

Keys = npt.NDArray[Any]
"""The keys of one rule."""


def check_rules(rules: Sequence[Rule], source: Source, option: str = "keep") -> None:
    """Raises an error if a column or a file of a rule does not exist, or if the values of a column do not suit it."""
    for rule in rules:
        if rule.name == "source":
            check_glob(source, rule.subject, option)
        if rule.column is not None and not has_column(source, rule.column):
            names = tuple(source.columns)
            about = {"option": option, "rule": str(rule), "column": rule.column, "columns": names}
            raise NoSuchColumn("no-column-to-keep-by", where=source.name, **about)
    if columns := [*dict.fromkeys(rule.column for rule in rules if rule.column is not None)]:
        for batch in read_columns(source, columns, 1):
            for rule in rules:
                if rule.column is not None:
                    values = batch.data.column(rule.column)
                    _matching(rule, values, option) if rule.name == "where" else _ranks(rule, values, option)


def keys_of(
    rules: Sequence[Rule],
    source: Source,
    lengths: Rows,
    *,
    option: str = "keep",
    reached: Callable[[int], None] = lambda rows: None,
) -> list[Keys]:
    """Returns the keys of each rule. `reached` is called with the number of rows whose columns have been read."""
    columns = _read(rules, source, option, reached)
    rows = np.arange(len(lengths), dtype=np.int64)
    keys: list[Keys] = []
    for rule in rules:
        if rule.name in ("first", "last"):
            keys.append(rows if rule.name == "first" else -rows)
        elif rule.name in ("longest", "shortest"):
            keys.append(-lengths if rule.name == "longest" else lengths)
        elif rule.name == "source":
            keys.append(~rows_from(source, rule.subject, option))
        elif rule.name == "where":
            keys.append(~np.concatenate([np.zeros(0, dtype=np.bool_), *columns[rule]]))
        else:
            values = pa.chunked_array(columns[rule] or [pa.nulls(0)])
            keys.append(_ranks(rule, values, option))
    return keys


def _read(rules: Sequence[Rule], source: Source, option: str, reached: Callable[[int], None]) -> dict[Rule, list[Any]]:
    """Reads the columns of all rules in one pass.

    Returns the values of each column or, for the conditions of `where`, masks.
    """
    reading = [rule for rule in rules if rule.column is not None]
    found: dict[Rule, list[Any]] = {rule: [] for rule in reading}
    if not reading:
        return found
    columns = [*dict.fromkeys(rule.subject for rule in reading)]
    for batch in read_columns(source, columns):
        for rule in reading:
            values = batch.data.column(rule.subject)
            found[rule].append(_matching(rule, values, option) if rule.name == "where" else values)
        reached(batch.start + len(batch))
    source.check_unchanged()
    return found


def _ranks(rule: Rule, values: pa.Array | pa.ChunkedArray, option: str) -> Rows:
    """Returns the rank of each value: the highest or lowest first, missing values last."""
    values = _decoded(values)
    if values.null_count == len(values):
        return np.zeros(len(values), dtype=np.int64)
    import pyarrow.compute as pc  # not imported at the top: see flow/arrays.py

    direction = "descending" if rule.name == "best" else "ascending"
    try:
        ranks = pc.rank(_comparable(values), sort_keys=direction, tiebreaker="dense")
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        raise InvalidOption("keep-without-order", option=option, rule=str(rule), type=str(values.type)) from None
    return np.asarray(ranks.to_numpy(), dtype=np.int64)


def _comparable(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Converts texts to numbers if all are finite numbers, so that 10 exceeds 9; returns other values unchanged."""
    if not _are_texts(values.type):
        return values
    import pyarrow.compute as pc

    texts = pc.replace_substring_regex(pc.utf8_trim_whitespace(values), r"^\+([0-9.])", r"\1")
    texts = pc.if_else(pc.equal(texts, ""), None, texts)  # an empty field in CSV is missing
    for kind in (pa.int64(), pa.float64()):  # integers first, because large integers may be equal as floats
        with suppress(pa.ArrowInvalid):
            numbers = texts.cast(kind)
            if numbers.null_count < len(numbers) and pc.all(pc.is_finite(numbers)).as_py():
                return numbers
    return values


# the conditions of `where`

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def _matching(rule: Rule, values: pa.Array, option: str) -> Mask:
    """Returns a mask of the values that satisfy the condition of a `where` rule."""
    import pyarrow.compute as pc

    values, equality = _decoded(values), rule.operator in ("=", "!=")
    if equality and not rule.value:
        found = pc.is_null(values)
        if _are_texts(values.type):
            found = pc.or_(found, pc.fill_null(pc.equal(values, ""), False))
    elif pa.types.is_null(values.type):
        found = pa.array(np.zeros(len(values), dtype=np.bool_))
    else:
        if _are_texts(values.type):
            values, value = _numbers(values, rule.value) if not equality else (values, pa.scalar(rule.value))
        else:
            value = _value(rule, values.type, option)
        compare = {"=": pc.equal, "!=": pc.equal, ">=": pc.greater_equal, "<=": pc.less_equal}[rule.operator]
        found = pc.fill_null(compare(values, value), False)
    mask: Mask = found.to_numpy(zero_copy_only=False)
    return ~mask if rule.operator == "!=" else mask


def _numbers(texts: pa.Array, value: str) -> tuple[pa.Array, pa.Scalar]:
    """Converts texts to numbers if the value is a number; texts that are not numbers become null."""
    if not re.match(_NUMBER, value.strip()):
        return texts, pa.scalar(value)
    import pyarrow.compute as pc

    plain = pc.utf8_trim_whitespace(texts)
    plain = pc.if_else(pc.match_substring_regex(plain, _NUMBER), pc.utf8_ltrim(plain, "+"), None)
    return plain.cast(pa.float64()), pa.scalar(float(value))


def _value(rule: Rule, kind: pa.DataType, option: str) -> pa.Scalar:
    """Converts the value of a condition to the type of the column, or to a number that can be compared with it."""
    if not (pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind)):
        text = rule.value.strip()
        numeric = pa.types.is_integer(kind) or pa.types.is_decimal(kind)
        zoned = pa.types.is_timestamp(kind) and kind.tz is not None
        if pa.types.is_boolean(kind):
            text = text.lower() if text.lower() in ("true", "false") else ""
        for written, type in [(text, kind), *([(text, pa.float64())] * numeric), *([(f"{text}Z", kind)] * zoned)]:
            with suppress(pa.ArrowException):
                return pa.scalar(written).cast(type)
    raise InvalidOption(
        "where-of-another-type", option=option, rule=str(rule), value=rule.value, column=rule.subject, type=str(kind)
    )


def _decoded(values: pa.Array | pa.ChunkedArray) -> Any:
    """Returns plain values. NaN counts as missing, as in pandas."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if pa.types.is_floating(values.type):
        import pyarrow.compute as pc

        values = pc.if_else(pc.is_nan(values), None, values)
    return values


def _are_texts(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
