"""Candidates by rules of the user: all pairs of records that share a key of a rule (blocking)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from lookalike.apps.resolve.candidates import Candidates
from lookalike.apps.resolve.columns import Codes, Column, ranges
from lookalike.apps.resolve.rules import Keys, keys_of
from lookalike.apps.resolve.settings import Settings
from lookalike.errors import InvalidOption
from lookalike.io.records import Records

MOST = 50_000_000
"""The maximum number of candidates. Each needs up to 150 bytes of memory while it is compared."""


def blocked(tables: Sequence[Records], columns: Sequence[Column], settings: Settings) -> Candidates | None:
    """Returns the pairs that share a key of one of the rules; None without rules.

    Pairs are of different tables if there are two. Pairs are counted before they are listed, so that a rule with too
    many pairs is refused before it fills the memory.
    """
    if settings.candidates is None:
        return None
    split = tables[0].rows if len(tables) == 2 else None
    records = sum(table.rows for table in tables)
    keys = [_sorted(*keys_of(rule, tables, settings.fields, columns)) for rule in settings.candidates]
    counts = [_counted(one, split) for one in keys]
    sums = [*accumulate(int(pairs.sum()) for pairs in counts)]
    if sums[-1] > MOST:
        rule = next(number for number, total in enumerate(sums) if total > MOST)
        largest = int(counts[rule].max()), settings.candidates[rule].name
        raise InvalidOption("too-many-candidates", pairs=sums[-1], most=MOST, rule=largest[1], partners=largest[0])
    pairs = [np.zeros(0, np.int64)]
    for one, count in zip(keys, counts, strict=True):
        left, right = _listed(one, count, split)
        pairs.append(np.minimum(left, right) * records + np.maximum(left, right))
    both = np.unique(np.concatenate(pairs))
    none = np.zeros(len(both), np.int64)  # they were found neither by words nor by trigrams
    return Candidates(both // max(1, records), both % max(1, records), none, sums[-1], by_grams=False)


def _sorted(rows: Codes, keys: Codes) -> Keys:
    order = np.lexsort((rows, keys))
    return rows[order], keys[order]


def _counted(sorted_keys: Keys, split: int | None) -> Codes:
    """Returns how many later rows share the key of each row; with two tables, how many rows of the second table do."""
    rows, keys = sorted_keys
    ends = np.searchsorted(keys, keys, side="right")
    if split is None:
        return np.asarray(ends - np.arange(len(keys)) - 1)
    return np.where(rows < split, ends - _first_right(rows, keys, split), 0)


def _listed(sorted_keys: Keys, counts: Codes, split: int | None) -> tuple[Codes, Codes]:
    rows, keys = sorted_keys
    starts = np.arange(len(keys)) + 1 if split is None else _first_right(rows, keys, split)
    return np.repeat(rows, counts), rows[ranges(starts, counts)]


def _first_right(rows: Codes, keys: Codes, split: int) -> Codes:
    """Returns, for each position, where the rows of the second table with the same key start."""
    is_left = np.concatenate([[0], np.cumsum(rows < split)])
    starts, ends = np.searchsorted(keys, keys, side="left"), np.searchsorted(keys, keys, side="right")
    return np.asarray(starts + is_left[ends] - is_left[starts])
