"""Answers queries: candidates by band keys or passages, exact similarities, and the best rows of each query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lookalike.engines.stages.first_pass import sketch
from lookalike.flow import Documents, Shingles
from lookalike.flow.arrays import Hashes, Mask, Rows, take
from lookalike.flow.sketches import EMPTY, Sketches
from lookalike.flow.threshold import Threshold
from lookalike.index.comparing import comparison
from lookalike.index.components import Components
from lookalike.index.passages import asked
from lookalike.index.store import Store
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan

AT_ONCE = 32 << 20
"""The number of bytes of candidate texts that are read and cut at a time, about."""


@dataclass(frozen=True, eq=False)
class Nearest:
    """The rows that queries found, by query, then by descending similarity, then by row."""

    queries: Rows
    rows: Rows
    similarity: npt.NDArray[np.float64]
    """By the measure that the query asks for."""
    containment: npt.NDArray[np.float64]
    """The share of the elements of the query that are in the row found."""

    def chosen(self, which: Rows | Mask) -> Nearest:
        return Nearest(self.queries[which], self.rows[which], self.similarity[which], self.containment[which])


def joined(parts: Sequence[Nearest]) -> Nearest:
    """Combines answers, in order."""
    if len(parts) == 1:
        return parts[0]
    kinds = {"queries": np.int64, "rows": np.int64, "similarity": np.float64, "containment": np.float64}
    none = [np.zeros(0, kind) for kind in kinds.values()]
    columns = [[getattr(part, name) for part in parts] for name in kinds]
    return Nearest(*(np.concatenate([empty, *column]) for empty, column in zip(none, columns, strict=True)))


@dataclass(eq=False)
class Search:
    """How queries are answered."""

    store: Store
    kernel: Kernel
    plan: ResolvedPlan
    threshold: Threshold
    top: int | None = None
    components: Components | None = None
    """If given, only the best row of each component is an answer."""
    by_containment: bool = False
    """True if the threshold is for the containment of the query in a row, instead of their Jaccard similarity."""

    def __post_init__(self) -> None:
        self.sets = comparison(self.store, self.kernel, self.plan)

    def answer(self, documents: Documents, sketches: Sketches | None = None) -> Nearest:
        """Returns the answers to all queries. `sketches` are those of the documents, if they are known."""
        if sketches is None:
            sketches = sketch(self.kernel, documents, self.plan)
        if self.by_containment:
            candidates = self.store.with_passages(asked(self.kernel, documents, self.plan))
        else:
            candidates = self.store.candidates(sketches.keys, (sketches.flags & EMPTY) > 0)
        return joined([self._best(self._verified(documents, sketches, *some)) for some in candidates])

    def _verified(self, documents: Documents, sketches: Sketches, queries: Rows, rows: Rows) -> Nearest:
        """Returns the candidates that reach the threshold.

        Rows with the same words have the same set, so only one of them is cut, and none if the query has those words.
        """
        shared, total = np.ones(len(rows), np.int64), np.ones(len(rows), np.int64)
        own = np.ones(len(rows), np.int64)
        if len(rows):
            distinct, places = np.unique(rows, return_inverse=True)
            words = self.store.records(distinct)["words"]
            others = np.flatnonzero((words[places] != sketches.words[queries]).any(axis=1))
            if len(others):
                first = first_equal(words)
                sizes = self._measured(documents, queries[others], distinct, first[places[others]])
                shared[others], total[others], own[others] = sizes
        p, q = self.sets.fraction(self.threshold)
        good = shared * q >= (own if self.by_containment else total) * p
        shared, total, own = shared[good], total[good], own[good]
        containment = shared / own
        similarity = containment if self.by_containment else self.sets.similarity(shared, total)
        return Nearest(queries[good], rows[good], similarity, containment)

    def _measured(self, documents: Documents, queries: Rows, rows: Rows, places: Rows) -> tuple[Rows, Rows, Rows]:
        """Returns the sizes of the intersections and unions of each query and the row at the place, and of queries."""
        asking, query_places = np.unique(queries, return_inverse=True)
        some = documents if len(asking) == len(documents) else Documents(take(documents.texts, asking))
        query_sets = self.sets.of(some)
        wanted, row_places = np.unique(places, return_inverse=True)
        shared, total = np.zeros(len(queries), np.int64), np.zeros(len(queries), np.int64)
        own: Rows = query_sets.sizes[query_places]
        order = np.argsort(row_places, kind="stable")
        for low, high in self._batches(rows[wanted]):
            sets = self.sets.at(rows[wanted[low:high]])
            both = Shingles(
                np.concatenate([query_sets.offsets, query_sets.offsets[-1] + sets.offsets[1:]]),
                np.concatenate([query_sets.values, sets.values]),
            )
            first, last = np.searchsorted(row_places[order], [low, high])
            here = order[first:last]
            shared[here] = self.kernel.intersections(both, query_places[here], len(asking) + row_places[here] - low)
            total[here] = own[here] + sets.sizes[row_places[here] - low] - shared[here]
        return shared, total, own

    def _batches(self, rows: Rows) -> Iterator[tuple[int, int]]:
        """Yields ranges of rows whose texts are not too large together."""
        if len(rows) <= 64:
            yield 0, len(rows)
            return
        sizes = np.cumsum(self.store.records(rows)["size"], dtype=np.int64)
        low = 0
        while low < len(rows):
            before = int(sizes[low - 1]) if low else 0
            high = max(low + 1, int(np.searchsorted(sizes, before + AT_ONCE)))
            yield low, high
            low = high

    def _best(self, found: Nearest) -> Nearest:
        """Orders the answers, and keeps the best of each query and, if asked for, of each component."""
        found = found.chosen(np.lexsort((found.rows, -found.similarity, found.queries)))
        if self.components is not None and len(found.rows):
            pairs = np.stack([found.queries, self.components.of(found.rows)], axis=1)
            found = found.chosen(np.sort(np.unique(pairs, axis=0, return_index=True)[1]))
        if self.top is not None and len(found.rows):
            starts = np.flatnonzero(np.append(True, np.diff(found.queries) != 0))
            rank = np.arange(len(found.rows)) - np.repeat(starts, np.diff(np.append(starts, len(found.rows))))
            found = found.chosen(rank < self.top)
        return found


def first_equal(words: Hashes) -> Rows:
    """Returns, for each row of hashes, the place of the first equal row."""
    order = np.lexsort((words[:, 1], words[:, 0]))
    ordered = words[order]
    is_new = np.append(True, (ordered[1:] != ordered[:-1]).any(axis=1))
    firsts = order[np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))]
    result = np.empty(len(words), np.int64)
    result[order] = firsts
    return result
