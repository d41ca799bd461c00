"""Finds all pairs of strings within an edit distance: `edit_candidates` proposes pairs, and rapidfuzz measures them.

There are two distances: `edit` counts insertions and deletions; `levenshtein` also counts replacements, as one edit.
Characters are Unicode code points. Texts are not normalised here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow.arrays import Rows
from lookalike.flow.checks import check_one_of
from lookalike.flow.documents import TEXT
from lookalike.joins.edit_candidates import Texts, near_pairs
from lookalike.joins.measures import check_distance
from lookalike.joins.pair_limit import too_many
from lookalike.results.pairs import MOST_PAIRS

STRING_MEASURES = ("edit", "levenshtein")

AT_ONCE = 1 << 36
"""The limit on the work in one call of rapidfuzz: the sum, over its pairs, of the product of the two string lengths. A
call has at least one pair. It takes a few seconds, during which Ctrl-C has no effect.
"""


@dataclass(frozen=True, eq=False)
class EditPairs:
    """Pairs of rows and the distances between their strings, ordered by (left, right)."""

    left: Rows
    right: Rows
    distance: Rows
    candidates: int
    """The number of pairs of distinct strings whose distance was computed."""

    def __len__(self) -> int:
        return len(self.left)


def edit_pairs(
    strings: Any, right: Any = None, *, distance: int = 2, measure: str = "edit", threads: int = 1
) -> EditPairs:
    """Finds all pairs of strings whose distance is at most `distance`, within one collection or between two.

    Equal strings form a pair with distance 0. Empty and missing strings never form a pair, because they would match
    every short string.

    >>> edit_pairs(["smith", "smyth", "smit", "jones"], distance=1, measure="levenshtein").distance.tolist()
    [1, 1]
    """
    most = check_distance(distance)
    check_one_of("measure", measure, STRING_MEASURES)
    measured = _measurer(measure, most, threads)
    one = _distinct(strings)
    two = None if right is None else _distinct(right)
    lefts, rights = Texts(one.texts), None if two is None else Texts(two.texts)
    near = near_pairs(lefts, rights, most, replacing=measure == "levenshtein")
    found, candidates = [_copies(one)] if two is None else [], 0
    row_pairs = sum(_row_pairs(one, two, a, b) for a, b, _ in found)
    _refuse_over(row_pairs)
    of_left, of_right = one.as_objects, (two or one).as_objects
    for a, b in _in_small_batches(near, lefts.lengths, (lefts if rights is None else rights).lengths):
        candidates += len(a)
        distances = measured(of_left[a], of_right[b])
        good = np.flatnonzero(distances <= most)
        found.append((a[good], b[good], distances[good].astype(np.int64)))
        row_pairs += _row_pairs(one, two, *found[-1][:2])
        _refuse_over(row_pairs)  # checked per batch, because all pairs might not fit into memory
    empty = np.zeros(0, np.int64)
    a, b, distances = (
        (np.concatenate([empty, *column]) for column in zip(*found, strict=True)) if found else (empty,) * 3
    )
    return EditPairs(*_pairs_of_rows(one, two, a, b, distances), candidates)


@dataclass(frozen=True, eq=False)
class _Distinct:
    """Distinct strings (`texts`), and the index of each row's string in that list (`of_row`)."""

    texts: list[str]
    of_row: Rows

    @cached_property
    def sizes(self) -> Rows:
        return np.bincount(self.of_row, minlength=len(self.texts)).astype(np.int64)

    @property
    def as_objects(self) -> npt.NDArray[np.object_]:
        return np.array([*self.texts, None], dtype=object)[:-1]  # None keeps NumPy from making an array of str


def _distinct(strings: Any) -> _Distinct:
    if isinstance(strings, pa.ChunkedArray):
        strings = strings.combine_chunks()
    if not isinstance(strings, pa.Array):
        if isinstance(strings, str | bytes) or not isinstance(strings, Iterable):
            raise InvalidOption("not-strings", type=type(strings).__name__)
        try:
            strings = pa.array(list(strings), TEXT)
        except (pa.ArrowException, UnicodeEncodeError) as error:
            raise MalformedInput("invalid-strings", reason=str(error)) from None
    try:
        coded = strings.cast(TEXT).fill_null("").dictionary_encode()
    except pa.ArrowException:
        raise MalformedInput("not-a-column-of-strings", type=str(strings.type)) from None
    return _Distinct(coded.dictionary.to_pylist(), coded.indices.to_numpy().astype(np.int64))


def _measurer(measure: str, most: int, threads: int) -> Any:
    from rapidfuzz.distance import Indel, Levenshtein
    from rapidfuzz.process import cpdist

    scorer = Indel.distance if measure == "edit" else Levenshtein.distance
    return lambda a, b: cpdist(a, b, scorer=scorer, score_cutoff=most, dtype=np.int64, workers=threads)


def _copies(one: _Distinct) -> tuple[Rows, Rows, Rows]:
    """Pairs every non-empty string that occurs at least twice with itself, at distance 0."""
    twice = np.flatnonzero((one.sizes >= 2) & np.array([bool(text) for text in one.texts], bool))
    return twice, twice, np.zeros(len(twice), np.int64)


def _in_small_batches(pairs: Iterable[tuple[Rows, Rows]], left: Rows, right: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Yields the pairs in batches, which are split where needed to respect AT_ONCE."""
    for a, b in pairs:
        ends = np.flatnonzero(np.diff(np.cumsum(left[a] * right[b]) // AT_ONCE)) + 1
        yield from zip(np.split(a, ends), np.split(b, ends), strict=True)


def _row_pairs(one: _Distinct, two: _Distinct | None, a: Rows, b: Rows) -> int:
    """Returns the number of pairs of rows that these pairs of distinct strings represent."""
    some, others = one.sizes[a], (two or one).sizes[b]
    return int(np.where((a == b) & (two is None), some * (some - 1) // 2, some * others).sum())


def _refuse_over(row_pairs: int) -> None:
    if row_pairs > MOST_PAIRS:  # `top` would not help, because the nearest are chosen from all pairs
        raise too_many(advice="choose-smaller-distance")


def _pairs_of_rows(one: _Distinct, two: _Distinct | None, a: Rows, b: Rows, distances: Rows) -> tuple[Rows, Rows, Rows]:
    """Returns all pairs of rows for these pairs of distinct strings, ordered by (left, right)."""
    other = two or one
    pair, nth = _repeated(one.sizes[a])
    same = (a == b)[pair] & (two is None)
    partners = np.where(
        same, one.sizes[a][pair] - 1 - nth, other.sizes[b][pair]
    )  # for equal strings, only later rows are paired
    row, beyond = _repeated(partners)
    left = _nth_row(one, a[pair][row], nth[row])
    right = _nth_row(other, b[pair][row], beyond + np.where(same, nth + 1, 0)[row])
    if two is None:
        left, right = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((right, left))
    return left[order], right[order], distances[pair][row][order]


def _repeated(times: Rows) -> tuple[Rows, Rows]:
    """Repeats each position i `times[i]` times; also returns the index of each repetition, from 0.

    >>> [each.tolist() for each in _repeated(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    place = np.repeat(np.arange(len(times), dtype=np.int64), times)
    nth: Rows = np.arange(len(place), dtype=np.int64) - (np.cumsum(times) - times)[place]
    return place, nth


def _nth_row(distinct: _Distinct, which: Rows, nth: Rows) -> Rows:
    """Returns, for each distinct string in `which`, its n-th row, counted from 0."""

    members = np.argsort(distinct.of_row, kind="stable").astype(np.int64)
    sizes = distinct.sizes
    rows: Rows = members[(np.cumsum(sizes) - sizes)[which] + nth]
    return rows
