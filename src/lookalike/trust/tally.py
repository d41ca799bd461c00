"""Counts the true pairs of sampled documents, and those that the result contains."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.flow.arrays import Mask, Rows
from lookalike.planning.resolve import ResolvedPlan
from lookalike.trust.intervals import Seen, Share, share_found
from lookalike.trust.removals import Removals
from lookalike.trust.reported_pairs import ALONE, Answers, PartnerCounts
from lookalike.trust.sampling import Chances, Sample, owned_halves
from lookalike.trust.true_partners import Partners

MISSED = 100_000
"""The maximum number of missed pairs that are listed; all are counted."""

STEPS = 5
"""The number of ranges into which similarities from the threshold to 1 are divided. Equal sets are a further range."""

EXPECTED_UNITS = 1 << 40
"""The number of units per expected pair. It is small enough that the sum over the 2,000,000 pairs of a block fits into
64 bits.
"""

PER_HALF = 1 << 30
"""The number of units per expected half of a pair, for each document. The sum over 2,000,000 pairs is exact in floating
point, and that over 2³² partners fits into 64 bits.
"""

BINS = 40
"""The number of classes of documents that sampled documents miss, by powers of two."""


@dataclass(frozen=True)
class Range:
    """The true pairs in a range of similarities: their number, the number found, and the share the plan predicts."""

    low: float
    high: float
    pairs: int
    found: int
    expected: float

    @property
    def name(self) -> str:
        return "1" if self.low == 1 else f"{self.low:.2f} … {self.high:.2f}"


class Tally:
    """Counts the true partners and the found partners of each sampled document."""

    def __init__(
        self, sample: Sample, answers: Answers, plan: ResolvedPlan, chances: Chances, partners_of: PartnerCounts,
        removals: Removals | None = None,
    ) -> None:  # fmt: skip
        n = len(sample.rows)
        self.removals = removals
        """The removed documents; None if the result is not one of `dedupe`."""
        self.sample, self.answers, self.plan = sample, answers, plan
        self.chances, self.partners_of = chances, partners_of
        self.true = np.zeros(n, np.int64)
        """The number of true partners of each sampled document."""
        self.in_cluster = np.zeros(n, np.bool_)
        """True if a true partner is in the cluster of the sampled document."""
        self.owned, self.expected_halves = (np.zeros(n, np.int64) for _ in range(2))
        """The halves of true pairs that belong to each sampled document; those expected, in units of 1 / PER_HALF."""
        self.listed, self.clustered = Missed(n), Missed(n)
        """The pairs that are not in the list of pairs, or that `dedupe` left; and those in different clusters."""
        self.edges = np.linspace(float(plan.threshold), 1, STEPS + 1)
        self.seen, self.found = (np.zeros(STEPS + 1, np.int64) for _ in range(2))
        """The true pairs per range of similarity, and those found; a pair of two sampled documents counts twice."""
        self.seen_twice, self.found_twice = (np.zeros(STEPS + 1, np.int64) for _ in range(2))
        """The same, for pairs of two sampled documents only."""
        self.expected = [0] * (STEPS + 1)
        """Expected pairs per range, in units of 1 / EXPECTED_UNITS: integer sums do not depend on block order."""
        self.missed: list[tuple[Rows, Rows, pa.Array | None, npt.NDArray[np.float64]]] = []
        self.listable = MISSED

    def add(self, partners: Partners) -> None:
        ids = partners.partner_ids
        self.answers.check_rows(np.arange(partners.start, partners.stop), partners.ids)
        own = self.answers.sampled_labels[partners.sampled]
        clustered = (own != ALONE) & (own == self.answers.labels(partners.rows, ids))
        found = clustered if self.removals is None else self.removals.handled(partners)
        sampled, mine = partners.sampled, self.sample.chances[partners.sampled]
        halves = owned_halves(mine, self.chances.of(self.partners_of.of(partners.rows, ids)))
        if self.answers.reported is not None:
            found = self.answers.listed(sampled, partners.rows, ids)
        if found is not clustered:
            self.listed.add(sampled, partners.rows, halves, mine, ~found)
        self.clustered.add(sampled, partners.rows, halves, mine, ~clustered)
        self.true += np.bincount(sampled, minlength=len(self.true))
        self.in_cluster[sampled[clustered]] = True
        self.owned += _sums(sampled, halves, len(self.true))
        chance = self._expected(partners.similarity)
        self.expected_halves += _sums(sampled, halves * np.rint(chance * PER_HALF).astype(np.int64), len(self.true))
        self._ranges(partners.similarity, chance, found, np.isin(partners.rows, self.sample.rows))
        self._miss(partners, ids, np.flatnonzero(~found))

    def _expected(self, similarity: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """The chance of pairs of these similarities to be found, by the plan."""
        if self.plan.exact:
            return np.ones(len(similarity))
        chance: npt.NDArray[np.float64] = 1 - (1 - similarity**self.plan.rows) ** self.plan.bands
        return chance

    def _ranges(
        self, similarity: npt.NDArray[np.float64], chance: npt.NDArray[np.float64], found: Mask, twice: Mask
    ) -> None:
        place = np.clip(np.searchsorted(self.edges, similarity, "right") - 1, 0, STEPS - 1)
        place[similarity >= 1] = STEPS
        self.seen += np.bincount(place, minlength=STEPS + 1)
        self.found += np.bincount(place[found], minlength=STEPS + 1)
        self.seen_twice += np.bincount(place[twice], minlength=STEPS + 1)
        self.found_twice += np.bincount(place[found & twice], minlength=STEPS + 1)
        units = np.zeros(STEPS + 1, np.int64)
        np.add.at(units, place, np.rint(chance * EXPECTED_UNITS).astype(np.int64))
        self.expected = [total + more for total, more in zip(self.expected, units.tolist(), strict=True)]

    def _miss(self, partners: Partners, ids: pa.Array | None, which: Rows) -> None:
        which = which[: self.listable]
        self.listable -= len(which)
        if len(which):
            names = None if ids is None else ids.take(pa.array(which))
            self.missed.append((partners.sampled[which], partners.rows[which], names, partners.similarity[which]))

    def findings(self) -> dict[str, Any]:
        """The fields of an audit that depend on what was counted."""
        lists_pairs = self.answers.reported is not None
        total = int(self.seen.sum())
        highs = (*self.edges[1:].tolist(), 1.0)
        lows = (*self.edges[:-1].tolist(), 1.0)
        expected = [units / EXPECTED_UNITS for units in self.expected]
        shares = [sure / ends if ends else 1.0 for sure, ends in zip(expected, self.seen.tolist(), strict=True)]
        seen, found = self.seen - self.seen_twice // 2, self.found - self.found_twice // 2
        weights = 1 / self.sample.chances
        owned = float((weights * self.owned).sum())
        of_plan = float((weights * self.expected_halves).sum()) / PER_HALF / owned if owned else 1.0
        return {
            "with_partners": int(np.count_nonzero(self.true)),
            "pair_recall": self._recall(self.listed) if lists_pairs else None,
            "cluster_recall": self._recall(self.clustered) if self.removals is None else None,
            "removal_recall": None if self.removals is None else self._recall(self.listed),
            "precision": self._precision_of_pairs() if lists_pairs else self._precision_of_documents(),
            "expected": of_plan if owned or not total else sum(expected) / total,
            "by_similarity": tuple(map(Range, lows, highs, seen.tolist(), found.tolist(), shares)),
            "missed": self._missed(),
        }

    def _recall(self, missed: Missed) -> Share:
        pairs = int(self.seen.sum()) - int(self.seen_twice.sum()) // 2
        found, chances = self.owned - missed.halves, self.sample.chances
        seen = Seen(chances, self.owned, found, self.true, self.chances.least, pairs, self.partners_of.others)
        return share_found(seen, missed.by_partners())

    def _precision_of_pairs(self) -> Share:
        chance_of = lambda names: self.chances.of(self.partners_of.of_names(names))  # noqa: E731
        chances, answers = self.sample.chances, self.answers
        assert answers.reported is not None
        of, true = answers.owned_halves(chances, chance_of)
        pairs, others = int(answers.reported.sum()) - answers.reported_twice, self.partners_of.others
        return share_found(Seen(chances, of, true, answers.reported, self.chances.least_with_partners, pairs, others))

    def _precision_of_documents(self) -> Share:
        """The share of clustered documents with a true partner in their cluster, or of removed ones with one kept."""
        if self.removals is None:
            of, true = self.answers.sampled_labels != ALONE, self.in_cluster
        else:
            of, true = self.removals.sampled, self.removals.confirmed
        halves, least = of.astype(np.int64), self.chances.least_with_partners
        return share_found(Seen(self.sample.chances, halves, halves * true, halves, least, int(halves.sum())))

    def _missed(self) -> pa.Table:
        """Returns a table of the missed pairs, without repetitions, and with the earlier document on the left."""
        kind = pa.int64() if self.sample.ids is None else self.sample.ids.type
        if not self.missed:
            return pa.schema([("left", kind), ("right", kind), ("similarity", pa.float64())]).empty_table()
        sampled, partner = (np.concatenate([part[i] for part in self.missed]) for i in (0, 1))
        similarity = np.concatenate([part[3] for part in self.missed])
        own = self.sample.rows[sampled]
        low, high = np.minimum(own, partner), np.maximum(own, partner)
        order = np.lexsort((high, low))
        new = np.ones(len(order), np.bool_)
        new[1:] = (np.diff(low[order]) != 0) | (np.diff(high[order]) != 0)
        once = order[new]
        if self.sample.ids is None:
            names = [pa.array(low[once], kind), pa.array(high[once], kind)]
        else:
            mine = self.sample.ids.take(pa.array(sampled[once]))
            theirs = pa.concat_arrays([part[2] for part in self.missed]).take(pa.array(once))
            first = pa.array(own[once] < partner[once])
            names = [pc.if_else(first, one, other) for one, other in ((mine, theirs), (theirs, mine))]
        return pa.table({"left": names[0], "right": names[1], "similarity": similarity[once]})


class Missed:
    """The missed halves of pairs that belong to each sampled document, and which of them others miss as well."""

    def __init__(self, sample: int) -> None:
        self.halves, self._pairs = (np.zeros(sample, np.int64) for _ in range(2))
        self._halved = np.zeros((sample, BINS), np.int64)
        """The missed pairs that belong half to each of two documents, by the number of others that miss the partner."""

    def add(self, sampled: Rows, partners: Rows, halves: Rows, chances: npt.NDArray[np.float64], missed: Mask) -> None:
        """Adds all pairs of sampled documents with some partners. No pair with the same partners may be added later."""
        sampled, halves, weights = sampled[missed], halves[missed], 1 / chances[missed]
        self.halves += _sums(sampled, halves, len(self.halves))
        self._pairs += np.bincount(sampled, minlength=len(self._pairs))
        _, partner = np.unique(partners[missed], return_inverse=True)
        others = np.bincount(partner, weights)[partner] - weights  # estimates how many other documents miss the partner
        place = np.minimum(np.frexp(np.rint(1 + others))[1], BINS) - 1
        both = halves == 1
        np.add.at(self._halved, (sampled[both], place[both]), 1)

    def by_partners(self) -> npt.NDArray[np.float64]:
        """The missed halves, if a pair belongs to each of its documents in proportion to the misses of the other."""
        others = 2.0 ** np.arange(BINS)
        shares = 2 * others / (self._pairs[:, None] + others)
        halves: npt.NDArray[np.float64] = self.halves + (self._halved * (shares - 1)).sum(1)
        return halves


def _sums(places: Rows, values: Rows, length: int) -> Rows:
    """The sum of the values at each place."""
    return np.bincount(places, values, length).astype(np.int64)
