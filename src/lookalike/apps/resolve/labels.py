"""Labels of the user: pairs of records of which it is known whether they match. They are never required."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.apps.resolve.columns import Codes
from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow.arrays import Mask
from lookalike.flow.documents import TEXT
from lookalike.io.records import Records, read_records
from lookalike.results.clusters import connected_components

COLUMNS = ("left", "right", "match")
"""The columns of a table of labels. Other names are allowed if there are exactly three columns, in this order."""
YES = ("1", "1.0", "true", "yes", "y", "t", "match")
NO = ("0", "0.0", "false", "no", "n", "f", "no match", "no-match", "no_match", "non-match", "nonmatch", "different")
"""How a label is written, in any case."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Distinct pairs of rows, and whether they match. Rows of a second table come after those of the first."""

    left: Codes
    right: Codes
    matches: Mask

    def __len__(self) -> int:
        return len(self.left)


def read_labels(given: Any) -> Records | None:
    """Reads a table of labels: a path, a table in memory, or a list of tuples (id, id, whether they match)."""
    if given is None:
        return None
    if isinstance(given, list | tuple) and given and all(type(one) is tuple and len(one) == 3 for one in given):
        given = [dict(zip(COLUMNS, one, strict=True)) for one in given]
    return given if isinstance(given, Records) else read_records(given)


def labels_of(read: Records, tables: Sequence[Records], ids: Sequence[pa.Array | None]) -> Labels:
    """Finds the labelled records by their ids. Rows without a verdict are not labels yet, so they are skipped."""
    left, right, verdict = _columns(read)
    known = np.flatnonzero(verdict.is_valid().to_numpy(zero_copy_only=False))
    if not len(known):
        raise InvalidOption("no-labels", where=read.name)
    is_match = _verdicts(read, verdict, known)
    one = _rows(read, left, known, tables[0], ids[0], 0)
    two = _rows(read, right, known, tables[-1], ids[-1], tables[0].rows if len(tables) > 1 else 0)
    if (same := one == two).any():
        id = left[int(known[same][0])].as_py()
        raise InvalidOption("same-record", left=id, right=id)
    low, high = np.minimum(one, two), np.maximum(one, two)
    _, first, place = np.unique(np.stack([low, high]), axis=1, return_index=True, return_inverse=True)
    place = place.reshape(-1)
    wrong = np.flatnonzero(is_match != is_match[first][place])
    if len(wrong):
        row = int(known[wrong[0]])
        raise InvalidOption("labels-contradict", where=read.name, left=left[row].as_py(), right=right[row].as_py())
    found = Labels(low[first], high[first], is_match[first])
    if len(tables) == 1:
        _check_chains(found, read.name, tables[0].rows, [(left, right), known[first]])
    return found


def _columns(read: Records) -> list[pa.Array]:
    by_name = {name.strip().casefold(): values for name, values in read.columns.items()}
    if all(name in by_name for name in COLUMNS):
        return [by_name[name] for name in COLUMNS]
    if len(read.columns) != len(COLUMNS):
        raise InvalidOption("labels-columns", where=read.name, names=COLUMNS, columns=tuple(read.columns))
    return list(read.columns.values())


def _verdicts(read: Records, verdict: pa.Array, known: Codes) -> Mask:
    plain = pc.utf8_lower(verdict.take(pa.array(known)))
    yes, no = (np.asarray(pc.is_in(plain, value_set=pa.array(words, TEXT))) for words in (YES, NO))
    if not (yes | no).all():
        row = int(known[~(yes | no)][0])
        raise MalformedInput("not-a-label", where=read.name, row=row, value=verdict[row].as_py())
    return np.asarray(yes, bool)


def _rows(read: Records, named: pa.Array, known: Codes, table: Records, ids: pa.Array | None, start: int) -> Codes:
    """Returns the rows of the records with these ids; without ids, their positions."""
    wanted = named.take(pa.array(known)).cast(TEXT)
    names = pa.array(range(table.rows)) if ids is None else ids
    found = pc.index_in(wanted, value_set=names.cast(TEXT)).fill_null(-1)
    rows = np.asarray(found.to_numpy(zero_copy_only=False), np.int64)
    if wanted.null_count or (rows < 0).any():
        unknown = np.flatnonzero(rows < 0)
        values = {"row": int(known[unknown[0]]), "id": wanted[int(unknown[0])].as_py(), "count": len(unknown)}
        raise InvalidOption("unknown-labelled-records", where=read.name, name=table.name, **values)
    return rows + start


def _check_chains(found: Labels, where: str, records: int, source: list[Any]) -> None:
    """Raises an error if labelled matches connect two records that are labelled as no match."""
    (left, right), rows = source
    entity = connected_components(records, found.left[found.matches], found.right[found.matches])
    wrong = np.flatnonzero(~found.matches & (entity[found.left] == entity[found.right]))
    if len(wrong):
        row = int(rows[wrong[0]])
        values = {"left": left[row].as_py(), "right": right[row].as_py()}
        raise InvalidOption("labels-contradict-through-others", where=where, **values)
