"""An inverted file: similar vectors are in the same list, and a query searches the lists whose centres are near it.

    vectors ─▶ sample ─▶ centres (k-means) ─▶ the list of each vector
    query ─▶ scores of all centres ─▶ lists at most `gap` behind the best ─▶ their rows, compared exactly

The gap is the smallest with which enough true neighbours of a sample of queries are in the lists that are searched.
Centres and scores are whole numbers (`spaces.py`), so every machine searches the same lists.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress, silent
from lookalike.joins.vectors.measures import Cost, Matrix, Measure
from lookalike.joins.vectors.spaces import Prepared, Space, Whole, space_of
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel

ROUNDS, PER_LIST = 5, 32
"""The number of rounds of k-means, and of vectors per list on which it is run."""

BLOCK = 2048
"""The number of vectors whose scores are computed at a time."""

QUERIES = 1 << 15
"""The number of queries that are searched at a time."""

MOST_LISTS = 1 << 16

SELECT, PER_QUERY = 0.4, 4000
"""The costs, in nanoseconds, of selecting lists from their scores, per score; and of the rest of a query."""


def lists_for(rows: int, factor: int = 4) -> int:
    """Returns the number of lists: `factor` times the square root of the number of rows, but 8 rows per list or more.

    >>> lists_for(10_000), lists_for(100), lists_for(3)
    (400, 12, 1)
    """
    return max(1, min(round(factor * math.sqrt(rows)), rows // 8, MOST_LISTS))


def build_cost(rows: int, count: int, cost: Cost) -> float:
    """Predicts the time of building an inverted file in nanoseconds, as in `Cost`."""
    return count * cost.compare * (rows + ROUNDS * min(rows, PER_LIST * count)) + rows * cost.prepare


def search_cost(rows: int, queries: int, count: int, share: float, cost: Cost) -> float:
    """Predicts the time of a search in which a query is compared with this share of the rows."""
    return queries * (count * (cost.compare + SELECT) + share * rows * cost.meet + cost.prepare + PER_QUERY)


@dataclass(frozen=True, eq=False)
class InvertedFile:
    exact: Matrix
    """The original vectors."""
    rows: Prepared
    """The prepared vectors, in the order of their lists."""
    space: Space
    centres: Whole
    starts: Rows
    """The first row of each list, and the number of rows."""
    ids: Rows
    """The number of each prepared row in `exact`."""
    gap: float = 0.0
    """A query searches the lists whose centres score at most this much less than the best centre."""

    @classmethod
    def of(cls, vectors: Matrix, measure: Measure, count: int, seed: int, threads: int) -> InvertedFile:
        """Puts the vectors into at most `count` lists."""
        space = space_of(measure, vectors)
        (values, own), squares = space.prepare(vectors, threads)
        centres = _centres(values, space, count, seed)
        lists = _best(space, values, centres)
        ids = np.argsort(lists, kind="stable")
        starts = np.searchsorted(lists[ids], np.arange(len(centres) + 1))
        table = kernel.Table(values[ids], None if own is None else own[ids])
        return cls(vectors, Prepared(table, squares), space, centres, starts, ids)

    def tuned(self, queries: Matrix, query: Rows, row: Rows, recall: float, threads: int) -> tuple[InvertedFile, float]:
        """Sets the gap so that the share `recall` of the true neighbours of the sample is in the lists searched.

        Neighbours are given as pairs of a query and a row. Also returns the share of rows that a query of the sample is
        compared with.
        """
        values = self.space.prepare(queries, threads).table.values
        scores = self.space.scores(self.space.rounded(values), self.centres)
        best, sizes = scores.max(axis=1), np.diff(self.starts)
        list_of = np.empty(len(self.ids), np.int64)
        list_of[self.ids] = np.repeat(np.arange(len(sizes)), sizes)
        behind = np.sort(best[query] - scores[query, list_of[row]])
        gap = float(behind[max(0, int(np.ceil(recall * len(behind))) - 1)]) if len(behind) else 0.0
        compared = (scores >= (best - scores.dtype.type(gap))[:, None]) @ sizes
        return replace(self, gap=gap), float(compared.mean()) / max(1, len(self.ids))

    def nearest(self, queries: Matrix, top: int, threads: int, progress: Progress = silent) -> kernel.Nearest:
        """Finds the nearest rows of each query in the lists that it searches."""
        scale, margin = self.space.errors(self.rows.table.values.shape[1])
        parts = []
        for start in range(0, len(queries), QUERIES):
            block = np.ascontiguousarray(queries[start : start + QUERIES])
            table, squares = self.space.prepare(block, threads)
            lengths = None
            if self.rows.squares is not None and squares is not None:
                lengths = self.rows.squares, squares
            lists = kernel.Lists(self.starts, self.ids, *self._searched(table.values, top, threads))
            parts.append(
                default(threads).nearest_in_lists(
                    (self.rows.table, table), lists, (self.exact, block), lengths, scale=scale, margin=margin, top=top
                )
            )
            progress("search", start + len(block), len(queries))
        rows, far = (np.concatenate([part[column] for part in parts]) for column in (0, 1))
        return kernel.Nearest(rows, far, sum(part.checked for part in parts))

    def _searched(self, values: kernel.Floats, top: int, threads: int) -> tuple[Rows, Rows, Rows]:
        """Returns the best list of each query, and the other lists that it searches, as pairs of a query and a list.

        If the lists within the gap contain fewer than `top` rows, the query also searches the next lists.
        """
        first = np.empty(len(values), np.int64)
        none = np.zeros(len(self.centres), self.centres.dtype)
        sizes = np.diff(self.starts)
        asking, lists = [], []
        for start in range(0, len(values), BLOCK):
            scores = self.space.scores(self.space.rounded(values[start : start + BLOCK]), self.centres)
            best = scores.argmax(axis=1)
            first[start : start + BLOCK] = best
            least = np.take_along_axis(scores, best[:, None], axis=1)[:, 0] - scores.dtype.type(self.gap)
            query, found = default(threads).scores_above(scores, none, least)
            lacking = np.flatnonzero(np.bincount(query, sizes[found], len(best)) < top)
            if len(lacking):
                order = np.argsort(-scores[lacking], axis=1, kind="stable")
                before = np.cumsum(sizes[order], axis=1) - sizes[order]
                which, place = np.nonzero(before < top)
                stay = ~np.isin(query, lacking)
                query = np.concatenate([query[stay], lacking[which]])
                found = np.concatenate([found[stay], order[which, place]])
            others = found != best[query]
            asking.append(query[others] + start)
            lists.append(found[others])
        return first, np.concatenate(asking), np.concatenate(lists)


def _centres(values: kernel.Floats, space: Space, count: int, seed: int) -> Whole:
    """Runs k-means on a sample of prepared vectors, from random ones. The centre of an empty list does not move."""
    rng = np.random.default_rng(seed)
    size = min(len(values), PER_LIST * count)
    sample = space.rounded(values[np.sort(rng.permutation(len(values))[:size])])
    centres = sample[np.sort(rng.permutation(size)[:count])]
    for _ in range(ROUNDS):
        chosen = np.concatenate([space.scores(sample[at : at + BLOCK], centres).argmax(axis=1)
                                 for at in range(0, size, BLOCK)])  # fmt: skip
        order = np.argsort(chosen, kind="stable")
        lists, first, counts = np.unique(chosen[order], return_index=True, return_counts=True)
        sums = np.add.reduceat(sample[order].astype(np.float64), first, axis=0)
        centres[lists] = space.centres(sums, counts)
    return centres


def _best(space: Space, values: kernel.Floats, centres: Whole) -> Rows:
    """Returns the list with the best centre for each prepared vector."""
    lists = np.empty(len(values), np.int64)
    for start in range(0, len(values), BLOCK):
        scores = space.scores(space.rounded(values[start : start + BLOCK]), centres)
        lists[start : start + BLOCK] = scores.argmax(axis=1)
    return lists
