"""Chooses the columns of tables to compare, guesses their kinds, and finds the ids of the records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve.columns import Column, Floats, first_alike
from lookalike.apps.resolve.compare import similarities
from lookalike.apps.resolve.functions import Own, Place
from lookalike.apps.resolve.kinds import IDENTIFYING, Kind, guess_kind, is_id
from lookalike.apps.resolve.partners import partner, partners_by_values
from lookalike.apps.resolve.placeholders import present
from lookalike.apps.resolve.points import days_of
from lookalike.apps.resolve.settings import Field
from lookalike.errors import InvalidOption, MalformedInput, NoSuchColumn
from lookalike.flow.arrays import Mask
from lookalike.flow.documents import TEXT
from lookalike.io.records import Records

FEW_PAIRS = 10
"""With fewer pairs of records than this, no relation between two columns can be seen."""
SURE = 3
"""A difference of this many standard errors is no chance."""


@dataclass(frozen=True, eq=False)
class Guess:
    """The fields to compare, the ignored columns with the reason for each, and the ids of each table."""

    fields: tuple[Field, ...]
    ignored: dict[str, str]
    ids: tuple[pa.Array | None, ...]


def guess(
    tables: Sequence[Records], corrections: Sequence[Field], ignore: Sequence[str], ids: Sequence[str | None]
) -> Guess:
    """Guesses the kind of each column of the first table, and its counterpart in the second.

    `corrections` take precedence over guesses.
    """
    first, given = tables[0], {field.name: field for field in corrections}
    for name in (*given, *ignore):
        if name not in first.columns and not any(name in table.columns for table in tables):
            raise NoSuchColumn.named(name, list(first.columns), first.name, "fields", "ignore")
    fields: list[Field] = []
    ignored = dict.fromkeys(ignore, "as requested")
    taken = {*given, *(field.right for field in corrections), *ignored, *ids}
    by_values = _by_values(tables, taken) if len(tables) == 2 else {}
    for name in first.columns:
        if name in ignored:
            continue
        if name == ids[0]:
            ignored[name] = "contains the ids"
            continue
        field = given.get(name)
        other = (
            None
            if len(tables) == 1
            else (field.right if field and field.right else partner(name, tables[1]) or by_values.get(name))
        )
        if len(tables) == 2 and (other is None or other not in tables[1].columns):
            if field is not None:
                raise NoSuchColumn.named(other or name, list(tables[1].columns), tables[1].name, "fields")
            ignored[name] = "not in the right table"
            continue
        parts = [present(first.columns[name]), *([present(tables[1].columns[other])] if other is not None else [])]
        kind = field.kind if field else guess_kind(name, pa.concat_arrays(parts), parts)
        if kind == "id":
            ignored[name] = "numbers the records"
        elif all(part.null_count == len(part) for part in parts):
            ignored[name] = "empty"
        else:
            similarity = field.similarity if field else None
            fields.append(Field(name, kind, other if other != name else None, similarity))
    if len(tables) == 2:
        used = {name for field in fields for name in (field.name, field.right)} | {*ignored, *first.columns, *ids}
        others = (name for name in tables[1].columns if name not in used and partner(name, first) is None)
        ignored |= dict.fromkeys(others, "not in the left table")
    if not fields:
        raise MalformedInput("no-column-to-compare", where=first.name)
    alone = {field.name for field in _alone(tables, fields, ids) if field.name not in given}
    reason = "never filled together with another column"
    ignored |= dict.fromkeys((field.name for field in fields if field.name in alone), reason)
    fields = [field for field in fields if field.name not in alone]
    chosen = [given_id or _own_id(table, fields) for table, given_id in zip(tables, ids, strict=True)]
    options = ("id", "right_id")[: len(tables)]
    found = (_ids(*one) for one in zip(tables, chosen, options, strict=True))
    return Guess(tuple(fields), ignored, tuple(found))


def _by_values(tables: Sequence[Records], taken: set[str | None]) -> Mapping[str, str]:
    """Pairs the columns that have no counterpart of the same name, and are not in `taken`."""
    left, right = tables
    here = [name for name in left.columns if name not in taken and partner(name, right) is None]
    there = [name for name in right.columns if name not in taken and partner(name, left) is None]
    return partners_by_values(left, right, here, there) if here and there else {}


def columns_of(tables: Sequence[Records], fields: Sequence[Field]) -> list[Column]:
    """Creates one column per field, with the rows of all tables."""
    columns = []
    for field in fields:
        parts = []
        for side, table in enumerate(tables):
            if (name := _called(field, side)) not in table.columns:
                raise NoSuchColumn.named(name, list(table.columns), table.name, "fields")
            parts.append(present(table.columns[name]))
        texts = pa.concat_arrays(parts)
        column = Column.of(field.name, texts, field.kind)
        if field.similarity is not None:
            place = Place(tuple(table.name for table in tables), tables[0].rows)
            column = replace(column, own=Own.of(field.name, field.similarity, texts, place))
        columns.append(column)
    return columns


def days_in(tables: Sequence[Records], name: str) -> Floats:
    """Returns the dates in a column, in days since 1970, for the rows of all tables.

    Raises an error if none is valid.
    """
    parts = []
    for table in tables:
        called = partner(name, table)
        if called is None:
            raise NoSuchColumn.named(name, list(table.columns), table.name, "check")
        parts.append(table.columns[called])
    days = days_of(pa.concat_arrays(parts))
    if np.isnan(days).all():
        raise InvalidOption("no-dates", where=tables[0].name, column=name)
    return days


def _alone(tables: Sequence[Records], fields: Sequence[Field], ids: Sequence[str | None]) -> list[Field]:
    """Returns the fields that are never filled in together with another column; none if no field ever is.

    Any column of their table counts, also one that is not compared, but not the ids. If a table has several types of
    rows, which fill in different columns, a column that all rows fill in counts only if it is related to the field.

    Rows with only such a field are of another type, such as a list of streets in a table of shops. If two of these rows
    are equal, nothing confirms that they are the same entity, so they must not match. A code or phone number is
    sufficient, so such fields are not included.
    """
    beside, in_doubt = np.zeros(len(fields), bool), np.zeros(len(fields), bool)
    for side, table in enumerate(tables):
        filled = {name: _filled(table.columns[name]) for name in described(table, ids[side])}
        many = np.sum([*filled.values(), np.zeros(table.rows)], axis=0)
        partly = {name: there for name, there in filled.items() if not there.all()}
        for number, field in enumerate(fields):
            there = filled.get(name := _called(field, side))
            if there is None:
                continue
            others = [other for column, other in partly.items() if column != name]
            if name in partly and others and not any((there & other).any() for other in others):
                in_doubt[number] |= bool((there & (many > 1)).any())
            else:
                beside[number] |= bool((there & (many > 1)).any())
    for number, field in enumerate(fields):
        if in_doubt[number] and not beside[number] and field.kind not in IDENTIFYING:
            beside[number] = _is_confirmed(columns_of(tables, fields), [one.kind for one in fields], number)
    if not beside.any():
        return []
    return [
        field for field, together in zip(fields, beside, strict=True) if not together and field.kind not in IDENTIFYING
    ]


def _is_confirmed(columns: Sequence[Column], kinds: Sequence[Kind], number: int) -> bool:
    """True if records with the same value in one column are more similar in some other column than chance predicts.

    True also if there are too few such records to tell.
    """
    codes = columns[number].codes
    order = np.argsort(codes, kind="stable")
    same = (codes[order[1:]] == codes[order[:-1]]) & (codes[order[1:]] >= 0)
    left, right = order[:-1][same], order[1:][same]
    if len(left) < FEW_PAIRS:
        return True
    for other, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
        if other != number:
            measured = similarities(column, kind, left, right), similarities(column, kind, left, np.roll(right, 1))
            seen, chance = (found[~np.isnan(found)] for found in measured)
            if min(len(seen), len(chance)) >= FEW_PAIRS:
                error = np.sqrt(seen.var() / len(seen) + chance.var() / len(chance))
                if seen.mean() - chance.mean() > SURE * error:
                    return True
    return False


def _filled(texts: pa.Array) -> Mask:
    return np.asarray(present(texts).is_valid().to_numpy(zero_copy_only=False))


def _called(field: Field, side: int) -> str:
    return field.right or field.name if side else field.name


def described(table: Records, id: str | None) -> list[str]:
    """Returns the names of the columns that describe the records: all except ids and columns of a single value."""
    columns = {name: present(texts) for name, texts in table.columns.items() if name != id}
    various = {name: texts for name, texts in columns.items() if len(texts.drop_null().unique()) > 1}
    return [name for name, texts in (various or columns).items() if not is_id(name, texts, [texts])]


def repeats_itself(table: Records, id: str | None) -> bool:
    """True if more than 5% of the records are exact repeats in all columns except ids.

    Records do not count if others are expected to have the same values by chance, because they have only one value or
    only frequent ones, unless there is only one column.
    """
    names = described(table, id)
    if not names:
        return False
    columns = [Column.of(name, present(table.columns[name])) for name in names]
    telling = columns[0].codes >= 0 if len(columns) == 1 else _by_chance(columns) < 1 - 1e-9
    return len(np.unique(first_alike(columns)[telling])) < 0.95 * int(telling.sum())


def _by_chance(columns: Sequence[Column]) -> Floats:
    """Returns, for each record, the expected number of records with its values, if columns are independent."""
    rows = len(columns[0].codes)
    expected = np.full(rows, float(rows))
    for column in columns:
        there = column.codes >= 0
        expected[there] *= column.counts[column.codes[there]] / rows
    return expected


def _own_id(table: Records, fields: Sequence[Field]) -> str | None:
    """Returns the name of the first column that contains ids and is not compared; None if there is none."""
    compared = {name for field in fields for name in (field.name, field.right)}
    rest = (name for name in table.columns if name not in compared)
    return next((name for name in rest if is_id(name, table.columns[name], [table.columns[name]])), None)


def _ids(table: Records, name: str | None, option: str) -> pa.Array | None:
    if name is None:
        return None
    if name not in table.columns:
        raise NoSuchColumn.named(name, list(table.columns), table.name, option)
    ids = table.columns[name]
    if ids.null_count:
        raise MalformedInput("record-ids-missing", where=table.name, column=name, count=ids.null_count)
    if len(ids.unique()) < len(ids):
        raise InvalidOption("record-ids-repeat", where=table.name, column=name)
    if name in table.integers:
        with suppress(pa.ArrowInvalid):  # unsigned numbers of 64 bits may be too large
            return ids.cast(pa.int64())
    return ids.cast(TEXT)


def rows_of_pair(pair: Sequence[Any], ids: Sequence[pa.Array | None], tables: Sequence[Records]) -> tuple[int, int]:
    """Returns the rows of two different records, given their ids. Rows of a second table come after the first."""
    start = tables[0].rows if len(tables) > 1 else 0
    left, right = _row_of(pair[0], ids[0], tables[0]), _row_of(pair[1], ids[-1], tables[-1]) + start
    if left == right:
        raise InvalidOption("same-record", left=pair[0], right=pair[1])
    return left, right


def _row_of(id: Any, ids: pa.Array | None, table: Records) -> int:
    if ids is None:
        if not str(id).isdecimal() or int(id) >= table.rows:
            raise InvalidOption("no-such-row", where=table.name, row=id, rows=table.rows)
        return int(id)
    try:  # --explain passes texts
        found = int(ids.index(pa.scalar(str(id)).cast(ids.type)).as_py())
    except pa.ArrowInvalid:
        found = -1
    if found < 0:
        raise InvalidOption("no-such-record", where=table.name, id=id)
    return found
