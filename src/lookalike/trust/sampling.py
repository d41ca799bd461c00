"""Samples the documents of an audit, so that those with many pairs are neither missed nor overrated.

A few documents can have most of the pairs. A simple random sample contains few or none of them, and its share is then
wrong, which the sample itself cannot show. So a part of the sample is drawn in proportion to the number of partners
that the result reports for a document. The other part is drawn from all documents alike, since a document without
reported partners may have true ones.

Every pair then belongs to the document that was more likely to be sampled, or half to each of two documents that were
equally likely. Weighted by one over the chance of their owners, the pairs of the sample estimate all pairs.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from operator import attrgetter, methodcaller
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow import Documents, Shingles
from lookalike.flow.arrays import Rows, take
from lookalike.flow.progress import Progress
from lookalike.io.source import Source
from lookalike.io.workers import in_order
from lookalike.kernel import default
from lookalike.planning.resolve import ResolvedPlan

Chance = npt.NDArray[np.float64]

ALIKE = 0.75
"""The share of the sample that is drawn from all documents alike. With less, documents that the result missed entirely
are found too rarely; with more, the intervals of results with large groups are wide."""

CLASSES = 64
"""The number of classes of documents: without partners, with 1, with 2 or 3, with 4 to 7, and so on."""


class Chances:
    """The chance of each document to be sampled.

    It depends on the number of reported partners, rounded down to a power of two, so that documents of one group
    usually have equal chances.
    """

    def __init__(self, documents: int, sample: int, partners: Rows) -> None:
        """`partners` are the numbers of partners of the documents that have any."""
        members = np.bincount(_class_of(partners), minlength=CLASSES)
        members[0] = max(documents - int(members[1:].sum()), 0)
        sizes = np.r_[0.0, 2.0 ** np.arange(CLASSES - 1)]
        total = float((members * sizes).sum())
        alike = ALIKE if total else 1.0
        shares = alike / max(documents, 1) + (1 - alike) * sizes / max(total, 1.0)
        self._by_class = _capped(shares, members, sample)
        self.least = float(self._by_class[members > 0].min(initial=1.0))
        """The least chance of any document."""
        self.least_with_partners = float(self._by_class[1:][members[1:] > 0].min(initial=1.0))
        """The least chance of a document with reported partners."""

    def of(self, partners: Rows) -> Chance:
        """The chances of documents with these numbers of reported partners."""
        return self._by_class[_class_of(partners)]


def _class_of(partners: Rows) -> Rows:
    return np.frexp(partners.astype(np.float64))[1].astype(np.int64)


def _capped(shares: Chance, members: Rows, sample: int) -> Chance:
    """Scales shares so that they add up to the sample over all members; none may exceed 1."""
    chances, sure = np.ones(len(shares)), members == 0
    while not sure.all():
        scale = (sample - int(members[sure].sum())) / float((shares * members)[~sure].sum())
        chances[~sure] = np.minimum(scale * shares[~sure], 1.0)
        if not (more := (chances >= 1) & ~sure).any():
            break
        sure |= more
    return chances


def owned_halves(own: Chance, other: Chance) -> Rows:
    """The halves of each pair, 0 to 2, that belong to the sampled document, by the chances of both documents."""
    return (own >= other).astype(np.int64) + (own > other)


@dataclass(frozen=True, eq=False)
class Sample:
    """The sampled documents: their rows, ascending, their ids, if any, their chances and their sets of shingles."""

    rows: Rows
    ids: pa.Array | None
    chances: Chance
    sets: Shingles
    read: int
    """The number of documents of the source."""


def read_sample(
    source: Source, plan: ResolvedPlan, chance_of: Callable[[Rows, pa.Array | None], Chance], *, sample: int,
    seed: int, threads: int, progress: Progress,
) -> Sample:  # fmt: skip
    """Draws and reads the sample in one pass, and cuts its documents into shingles as the plan specifies.

    `chance_of` returns the chances of documents, given by row and id.
    """
    rng, drawn, total = np.random.default_rng(seed), ParetoSample(sample), 0
    columns = [source.column] + ([source.id] if source.id else [])
    size = attrgetter("nbytes")
    made = in_order(source.lanes(columns), methodcaller("load"), threads, depth=4, bytes_of=size, made_bytes=size)
    with closing(made) as read:
        for data in read:
            rows = np.arange(total, total + data.num_rows)
            ids = data.column(source.id) if source.id else None
            drawn.add(rng.random(len(rows)), rows, chance_of(rows, ids), data.column(source.column), ids)
            total += len(rows)
            progress("sample", total, source.total_rows())
    rows, chances, texts, ids = drawn.kept()
    if texts is None:  # no rows at all
        texts, ids = pa.array([], pa.large_string()), pa.array([], pa.large_string()) if source.id else None
    return Sample(rows, ids, chances, default(threads).shingle(Documents(texts), plan.shingles), total)


class _Kept(NamedTuple):
    """Some documents: their ranks, rows, chances, texts and ids."""

    ranks: Chance
    rows: Rows
    chances: Chance
    texts: pa.Array
    ids: pa.Array | None

    def take(self, which: Rows) -> _Kept:
        ids = None if self.ids is None else take(self.ids, which)
        return _Kept(self.ranks[which], self.rows[which], self.chances[which], take(self.texts, which), ids)


class ParetoSample:
    """A sample of fixed size with unequal chances, drawn in one pass: the documents of lowest rank (Rosén).

    If u is uniform, documents are ranked by the odds of u, divided by the odds of their chance.
    """

    def __init__(self, sample: int) -> None:
        self._sample = sample
        self._parts: list[_Kept] = []
        self._bound = np.inf
        """No document of higher rank is needed."""

    def add(self, u: Chance, rows: Rows, chances: Chance, texts: pa.Array, ids: pa.Array | None) -> None:
        ranks = u / (1 - u) * (1 - chances) / chances
        low = np.flatnonzero(ranks < self._bound)
        if len(low):
            self._parts.append(_Kept(ranks, rows, chances, texts, ids).take(low))
        if sum(len(part.rows) for part in self._parts) >= 2 * self._sample:
            self._prune()

    def _prune(self) -> None:
        """Drops all documents but those of lowest rank, and joins the parts."""
        ranks, rows, chances = (np.concatenate([part[i] for part in self._parts]) for i in range(3))
        texts = pa.concat_arrays([part.texts for part in self._parts])
        ids = None if self._parts[0].ids is None else pa.concat_arrays([part.ids for part in self._parts])
        kept = _Kept(ranks, rows, chances, texts, ids)
        if len(rows) > self._sample:
            kept = kept.take(np.sort(np.argpartition(ranks, self._sample - 1)[: self._sample]))
            self._bound = float(kept.ranks.max())
        self._parts = [kept]

    def kept(self) -> tuple[Rows, Chance, pa.Array | None, pa.Array | None]:
        """The sampled documents: rows, chances, texts and ids. Texts and ids are None if there are no documents."""
        if not self._parts:
            return np.zeros(0, np.int64), np.zeros(0), None, None
        self._prune()
        return self._parts[0][1:]
