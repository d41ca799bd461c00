"""Strings → all pairs within an edit distance, none missed: `edit_candidates` proposes them, rapidfuzz measures them.

Two distances: `edit` counts insertions and deletions (through the longest common subsequence),
`levenshtein` counts a replacement as one edit too. Characters are Unicode code points, texts are taken as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput, MissingExtra
from lookalike.flow.arrays import Rows
from lookalike.flow.checks import check_one_of
from lookalike.flow.documents import TEXT
from lookalike.joins.edit_candidates import Texts, near_pairs
from lookalike.joins.measures import check_distance
from lookalike.joins.pair_limit import too_many
from lookalike.results.pairs import MOST_PAIRS

STRING_MEASURES = ("edit", "levenshtein")

AT_ONCE = 1 << 36
"""Pairs of letters in the strings that are measured by one call, at most, or those of one pair of strings: it takes
some seconds, in which Ctrl-C has no effect."""


@dataclass(frozen=True, eq=False)
class EditPairs:
    """Pairs of positions and how far apart their strings are, ordered by (left, right)."""

    left: Rows
    right: Rows
    distance: Rows
    candidates: int
    """Pairs of distinct strings that were measured."""

    def __len__(self) -> int:
        return len(self.left)


def edit_pairs(
    strings: Any, right: Any = None, *, distance: int = 2, measure: str = "edit", threads: int = 1
) -> EditPairs:
    """All pairs of strings within the distance: of one collection with itself, or of two with each other.

    Equal strings are a pair at distance 0. An empty or missing string is in no pair: everything short would be near it.

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
    listed = sum(_listed(one, two, a, b) for a, b, _ in found)
    _refuse_over(listed)
    of_left, of_right = one.as_objects, (two or one).as_objects
    for a, b in _few_at_a_time(near, lefts.lengths, (lefts if rights is None else rights).lengths):
        candidates += len(a)
        apart = measured(of_left[a], of_right[b])
        good = np.flatnonzero(apart <= most)
        found.append((a[good], b[good], apart[good].astype(np.int64)))
        listed += _listed(one, two, *found[-1][:2])
        _refuse_over(listed)  # now: all of them might not fit into memory
    empty = np.zeros(0, np.int64)
    a, b, apart = (np.concatenate([empty, *column]) for column in zip(*found, strict=True)) if found else (empty,) * 3
    return EditPairs(*_unfolded(one, two, a, b, apart), candidates)


@dataclass(frozen=True, eq=False)
class _Distinct:
    """Distinct strings, and which of them each row has."""

    texts: list[str]
    of_row: Rows

    @cached_property
    def sizes(self) -> Rows:
        return np.bincount(self.of_row, minlength=len(self.texts)).astype(np.int64)

    @property
    def as_objects(self) -> npt.NDArray[np.object_]:
        return np.array([*self.texts, None], dtype=object)[:-1]  # the None keeps NumPy from making it an array of str


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


def check_installed() -> None:
    """Raises if what measures strings is not there: better now than when all of them are read."""
    _measurer(STRING_MEASURES[0], 0, 1)


def _measurer(measure: str, most: int, threads: int) -> Any:
    try:
        from rapidfuzz.distance import Indel, Levenshtein
        from rapidfuzz.process import cpdist
    except ImportError:
        raise MissingExtra.needed("joining strings by edit distance", "rapidfuzz", "strings") from None
    scorer = Indel.distance if measure == "edit" else Levenshtein.distance
    return lambda a, b: cpdist(a, b, scorer=scorer, score_cutoff=most, dtype=np.int64, workers=threads)


def _copies(one: _Distinct) -> tuple[Rows, Rows, Rows]:
    """Every string that occurs at least twice, as a pair with itself."""
    twice = np.flatnonzero((one.sizes >= 2) & np.array([bool(text) for text in one.texts], bool))
    return twice, twice, np.zeros(len(twice), np.int64)


def _few_at_a_time(pairs: Iterable[tuple[Rows, Rows]], left: Rows, right: Rows) -> Iterator[tuple[Rows, Rows]]:
    """Batches of pairs cut up by the lengths of their strings."""
    for a, b in pairs:
        ends = np.flatnonzero(np.diff(np.cumsum(left[a] * right[b]) // AT_ONCE)) + 1
        yield from zip(np.split(a, ends), np.split(b, ends), strict=True)


def _listed(one: _Distinct, two: _Distinct | None, a: Rows, b: Rows) -> int:
    """The number of pairs of rows that these pairs of distinct strings represent."""
    some, others = one.sizes[a], (two or one).sizes[b]
    return int(np.where((a == b) & (two is None), some * (some - 1) // 2, some * others).sum())


def _refuse_over(listed: int) -> None:
    if listed > MOST_PAIRS:  # the nearest of each row are chosen from all pairs, so that `top` would not help
        raise too_many(advice="choose-smaller-distance")


def _unfolded(one: _Distinct, two: _Distinct | None, a: Rows, b: Rows, apart: Rows) -> tuple[Rows, Rows, Rows]:
    """Pairs of distinct strings → pairs of the rows that have them, ordered."""
    other = two or one
    pair, nth = _counted(one.sizes[a])
    same = (a == b)[pair] & (two is None)
    partners = np.where(same, one.sizes[a][pair] - 1 - nth, other.sizes[b][pair])  # of a string itself, those after it
    row, beyond = _counted(partners)
    left = _nth_row(one, a[pair][row], nth[row])
    right = _nth_row(other, b[pair][row], beyond + np.where(same, nth + 1, 0)[row])
    if two is None:
        left, right = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((right, left))
    return left[order], right[order], apart[pair][row][order]


def _counted(times: Rows) -> tuple[Rows, Rows]:
    """Each position repeated as often as its count, and the number of each repetition.

    >>> [each.tolist() for each in _counted(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    place = np.repeat(np.arange(len(times), dtype=np.int64), times)
    nth: Rows = np.arange(len(place), dtype=np.int64) - (np.cumsum(times) - times)[place]
    return place, nth


def _nth_row(distinct: _Distinct, which: Rows, nth: Rows) -> Rows:
    """The n-th of the rows that have a string."""
    members = np.argsort(distinct.of_row, kind="stable").astype(np.int64)
    sizes = distinct.sizes
    rows: Rows = members[(np.cumsum(sizes) - sizes)[which] + nth]
    return rows
