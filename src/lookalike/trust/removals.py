"""Looks up which documents `dedupe` removed, and which pairs it had to leave as they are.

A true pair is handled if at least one of its documents was removed. Whether the two share a cluster is irrelevant: with
star linkage, two similar documents are often removed in favour of different ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.flow.arrays import Mask, Rows, take
from lookalike.flow.preference import pair_numbers
from lookalike.results.deduped import DIFFERENT, EXCLUDED, PROTECTED, Deduped
from lookalike.trust.sampling import Sample
from lookalike.trust.true_partners import Partners

MISSING = -1


@dataclass(frozen=True, eq=False)
class Removed:
    """The removed documents and the document kept in place of each, by id or by row."""

    names: pa.Array
    kept: pa.Array
    by_position: bool
    """True if `names` and `kept` are rows of the data, although the data may have ids."""
    exempt: Exempt | None = None
    """Pairs that `dedupe` had to leave as they are; None if there are none, or if they are not known."""

    @classmethod
    def of(cls, result: Deduped) -> Removed:
        """Returns the documents that a result removed, by row."""
        clusters, rows = result.clusters, np.arange(len(result.clusters.labels), dtype=np.int64)
        survivors = clusters.labels if clusters.survivors is None else clusters.survivors
        gone = np.flatnonzero((survivors != rows) & (rows >= result.reference))
        exempt = Exempt.of(result) if result.reference or result.exempt is not None else None
        return cls(pa.array(gone), pa.array(survivors[gone]), True, exempt)

    def lookup(self, sample: Sample) -> Removals:
        return Removals(self, sample)

    def named(self, rows: Rows, ids: pa.Array | None) -> pa.Array:
        """Returns documents as `names` identifies them."""
        return pa.array(rows, pa.int64()) if ids is None or self.by_position else ids


class Removals:
    """Which sampled documents were removed, and which of their true pairs are handled."""

    def __init__(self, removed: Removed, sample: Sample) -> None:
        self._removed = removed
        place = positions(removed.named(sample.rows, sample.ids), removed.names)
        self.sampled: Mask = place >= 0
        """True for each sampled document that was removed."""
        gone = np.flatnonzero(self.sampled)
        kept_of = np.full(len(place), MISSING)
        kept_of[gone] = np.arange(len(gone))
        self._kept, self._kept_of = take(removed.kept, place[gone]), kept_of
        self.confirmed = np.zeros(len(place), np.bool_)
        """True for each sampled document that was removed in favour of a true partner."""

    def handled(self, partners: Partners) -> Mask:
        """Returns a mask of the true pairs of which at least one document was removed."""
        names = self._removed.named(partners.rows, partners.partner_ids)
        own = self._kept_of[partners.sampled]
        gone = np.flatnonzero(own >= 0)
        same = pc.equal(take(names, gone), take(self._kept, own[gone])).to_numpy(zero_copy_only=False)
        self.confirmed[partners.sampled[gone[same]]] = True
        return self.sampled[partners.sampled] | (positions(names, self._removed.names) >= 0)


@dataclass(frozen=True, eq=False)
class Exempt:
    """Pairs that `dedupe` had to leave as they are, so that they do not count as true pairs.

    Both documents are in the reference or protected, or somebody decided that they are different, or that one of them
    is similar to nothing.
    """

    always_kept: Mask
    """True for rows that are never removed."""
    alone: Mask
    """True for rows that are similar to nothing."""
    different: Rows
    """Pairs of rows that are different, as numbers (`pair_numbers`)."""

    @classmethod
    def of(cls, result: Deduped) -> Exempt:
        rows = np.arange(len(result.clusters.labels))
        always_kept, alone = rows < result.reference, np.zeros(len(rows), np.bool_)
        different = rows[:0]
        if result.exempt is not None:
            kind, left, right = (result.exempt[name].to_numpy() for name in ("kind", "left", "right"))
            always_kept[left[kind == PROTECTED]] = True
            alone[left[kind == EXCLUDED]] = True
            apart = kind == DIFFERENT
            different = pair_numbers(left[apart], right[apart])
        return cls(always_kept, alone, different)

    def left_out_of(self, partners: Partners, sample: Sample) -> Partners:
        """Returns the pairs that count: all but those that had to be left as they are."""
        left, right = sample.rows[partners.sampled], partners.rows
        exempt = (self.always_kept[left] & self.always_kept[right]) | self.alone[left] | self.alone[right]
        if len(self.different):
            exempt |= np.isin(pair_numbers(left, right), self.different)
        which = np.flatnonzero(~exempt)
        some = {name: getattr(partners, name)[which] for name in ("sampled", "rows", "similarity")}
        return replace(partners, **some)


def positions(ids: pa.Array, among: pa.Array) -> Rows:
    """Returns the position of each id in `among`; −1 if the id is missing."""
    return np.asarray(pc.fill_null(pc.index_in(ids, among), MISSING).to_numpy(zero_copy_only=False), np.int64)
