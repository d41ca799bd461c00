"""Measures the recall of a result: the share of the true partners of sampled documents that the result contains.

Documents are sampled rather than candidates, so that pairs that no band proposed count as missed. An exact join, which
does not use signatures, finds all partners of the sampled documents in the corpus.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InputError
from lookalike.flow.arrays import Rows
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import Threshold
from lookalike.io.source import Source
from lookalike.notices import Notice
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.restoring import checked
from lookalike.results.result import Result
from lookalike.results.summary import Summary
from lookalike.storage.budget import Budget
from lookalike.trust.intervals import Share, share_found
from lookalike.trust.reported_pairs import ALONE, Answers, Reported
from lookalike.trust.true_partners import Partners, Sample, choose_rows, read_sample, true_partners

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables

MISSED = 100_000
"""The maximum number of missed pairs that are listed; all are counted."""

STEPS = 5
"""The number of ranges into which similarities from the threshold to 1 are divided. Equal sets are a further range."""

EXPECTED_UNITS = 1 << 40
"""The number of units per expected pair. It is small enough that the sum over the 2,000,000 pairs of a block fits into
64 bits.
"""

SHARES = ("pair_recall", "cluster_recall", "precision")

ENOUGH = 10
"""The least number, on average, of sampled documents among the documents that have half of all pairs. With fewer, the
interval contains the true share in less than 93 of 100 samples (`tests/trust/test_intervals.py`).
"""


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


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit(Result):
    """The recall and precision of a result, measured on sampled documents.

    In shares, a pair counts once for each of its documents that was sampled, so twice if both were. Numbers of pairs
    count each pair once.
    """

    source: str
    documents: int
    sample: int
    with_partners: int
    """The number of sampled documents that have a true partner."""
    seed: int
    threshold: Threshold
    verified: str
    pair_recall: Share | None
    """The share of true pairs that the result lists; None for clusters."""
    cluster_recall: Share
    """The share of true pairs whose documents are in one cluster."""
    precision: Share
    """The share of listed pairs that are true. For clusters, the share of clustered documents that have a true partner
    in their cluster.
    """
    expected: float
    """The expected recall of the plan's bands, averaged over the true pairs of the sample."""
    by_similarity: tuple[Range, ...]
    missed: pa.Table
    """The true pairs that were missed, up to 100,000: left, right (ids) and similarity."""
    seconds: float = 0.0
    warnings: tuple[Notice, ...] = ()

    @property
    def recall(self) -> Share:
        """The recall of pairs if the result lists pairs, otherwise the recall of clusters."""
        return self.cluster_recall if self.pair_recall is None else self.pair_recall

    @property
    def summary(self) -> Summary:
        return Summary(
            documents=self.documents,
            seconds={"audit": self.seconds},
            warnings=self.warnings,
            verified=self.verified,
        )

    def __repr__(self) -> str:
        pairs = "1 pair" if self.recall.of == 1 else f"{self.recall.of:,} pairs"
        return f"Audit(recall {self.recall}, of {pairs} of {self.sample:,} sampled documents)"

    def _card(self) -> Card:
        from lookalike.display.cells import FirstRows
        from lookalike.trust.audit_lines import lines_about_sample, short_lines_of_audit

        ranges = [one for one in self.by_similarity if one.pairs]
        columns = {"similarity": [one.name for one in ranges]}
        columns |= {name: [getattr(one, name) for one in ranges] for name in ("pairs", "found", "expected")}
        tables = [
            FirstRows.of(pa.table(columns), "True pairs by similarity"),
            FirstRows.of(self.missed, "Missed pairs"),
        ]
        facts = [*lines_about_sample(self), *short_lines_of_audit(self)]
        return replace(self._heading(), facts=facts, tables=[one for one in tables if one.total])

    def to_dict(self) -> dict[str, Any]:
        """Returns the audit in JSON types, with the number of missed pairs instead of the table."""
        shares = {name: getattr(self, name) for name in SHARES}
        plain = {name: None if share is None else share.to_dict() for name, share in shares.items()}
        about = {name: getattr(self, name) for name in ("source", "documents", "sample", "with_partners", "seed")}
        more = {"threshold": str(self.threshold), "verified": self.verified, "expected": self.expected}
        ranges = [asdict(one) for one in self.by_similarity]
        return about | more | plain | {"by_similarity": ranges, "missed": self.missed.num_rows}

    def to_arrow(self) -> pa.Table:
        """Returns a table of the true pairs that were missed, with the columns left, right (ids) and similarity."""
        return self.missed

    def tables(self) -> dict[str, pa.Table]:
        return {"missed": self.missed}

    def _facts(self) -> dict[str, Any]:
        plain = ("source", "documents", "sample", "with_partners", "seed", "verified", "expected", "seconds")
        shares = {name: getattr(self, name) for name in SHARES}
        return {
            **{name: getattr(self, name) for name in plain},
            **{name: None if share is None else asdict(share) for name, share in shares.items()},
            "threshold": str(self.threshold),
            "by_similarity": [asdict(one) for one in self.by_similarity],
        }

    def _stored(self) -> dict[str, pa.Table]:
        return self.tables()

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Audit:
        about = checked(facts, source=str, verified=str, expected=float, seconds=float)
        counts = checked(facts, documents=int, sample=int, with_partners=int, seed=int)
        interval = {"value": float, "low": float, "high": float, "of": int, "documents": int}
        shares: dict[str, Any] = {
            name: None if facts[name] is None and name == "pair_recall" else Share(**checked(facts[name], **interval))
            for name in SHARES
        }
        columns = {"low": float, "high": float, "pairs": int, "found": int, "expected": float}
        ranges = checked(facts, by_similarity=list[dict[str, Any]])["by_similarity"]
        return cls(
            threshold=Threshold(facts["threshold"]),
            by_similarity=tuple(Range(**checked(one, **columns)) for one in ranges),
            missed=tables.with_columns("missed", "left", "right", "similarity"),
            warnings=summary.warnings,
            **about,
            **counts,
            **shares,
        )


def audit_result(
    reported: Reported, source: Source, *, sample: int, seed: int, threads: int, progress: Progress,
    warnings: tuple[Notice, ...] = (), budget: Budget | None = None,
) -> Audit:  # fmt: skip
    """Audits a result: samples documents of the source, finds their true partners, and counts those in the result."""
    check_whole("sample", sample, 1)
    check_whole("seed", seed, 0)
    began = time.perf_counter()
    documents = reported.documents if reported.documents is not None else _count(source)
    rows = choose_rows(documents, sample, seed)
    chosen = read_sample(source, reported.plan, rows, threads, progress)
    tally = _Tally(chosen, reported.answers(chosen.rows, chosen.ids), reported.plan)
    read = 0
    for partners in true_partners(source, reported.plan, chosen, threads, progress, budget):
        tally.add(partners)
        read = partners.stop
    source.check_unchanged()
    if read != documents or len(chosen.rows) != len(rows):
        raise InputError(
            "audit-documents-differ", result=reported.name, expected=documents, source=source.name, found=read
        )
    tally.answers.check_ids()
    warnings += _skewed(tally.answers.half_of_pairs, documents, len(rows))
    return tally.audit(
        source=source.name, documents=documents, sample=len(rows), seed=seed, threshold=reported.plan.threshold,
        verified=reported.plan.plan.verify, seconds=time.perf_counter() - began, warnings=warnings,
    )  # fmt: skip


def _skewed(half: int, documents: int, sample: int) -> tuple[Notice, ...]:
    """Returns a warning if the sample probably contains too few of the `half` documents that have half of all pairs."""
    enough = min(documents, math.ceil(ENOUGH * documents / max(half, 1)))
    if not half or sample >= enough:
        return ()
    return (Notice("sample-with-few-of-many-pairs", documents=half, all=documents, sample=enough),)


class _Tally:
    """Counts the true partners and the found partners of each sampled document."""

    def __init__(self, sample: Sample, answers: Answers, plan: ResolvedPlan) -> None:
        n = len(sample.rows)
        self.sample, self.answers, self.plan = sample, answers, plan
        self.true, self.listed, self.clustered = (np.zeros(n, np.int64) for _ in range(3))
        self.edges = np.linspace(float(plan.threshold), 1, STEPS + 1)
        self.seen, self.found = (np.zeros(STEPS + 1, np.int64) for _ in range(2))
        """The number of true pairs in each range of similarities, and the number found. A pair of two sampled documents
        counts twice.
        """
        self.seen_twice, self.found_twice = (np.zeros(STEPS + 1, np.int64) for _ in range(2))
        """The same numbers, for pairs of two sampled documents only."""
        self.expected = [0] * (STEPS + 1)
        """The expected number of pairs in each range, in units of 1 / EXPECTED_UNITS, so that sums do not depend on the
        order of blocks.
        """
        self.common_partners = np.zeros(3, np.int64)
        """Three numbers of ordered pairs of sampled documents with a common partner: all, those in which neither
        document is listed with the partner, and those in which neither is in the partner's cluster.
        """
        self.missed: list[tuple[Rows, Rows, pa.Array | None, npt.NDArray[np.float64]]] = []
        self.listable = MISSED

    def add(self, partners: Partners) -> None:
        ids = partners.partner_ids
        self.answers.check_rows(np.arange(partners.start, partners.stop), partners.ids)
        own = self.answers.sampled_labels[partners.sampled]
        clustered = (own != ALONE) & (own == self.answers.labels(partners.rows, ids))
        found = clustered
        if self.answers.reported is not None:
            found = self.answers.listed(partners.sampled, partners.rows, ids)
            self.listed += np.bincount(partners.sampled[found], minlength=len(self.listed))
        self.true += np.bincount(partners.sampled, minlength=len(self.true))
        self.clustered += np.bincount(partners.sampled[clustered], minlength=len(self.clustered))
        self._ranges(partners.similarity, found, np.isin(partners.rows, self.sample.rows))
        _, partner = np.unique(partners.rows, return_inverse=True)
        for place, which in enumerate((slice(None), ~found, ~clustered)):
            views = np.bincount(partner[which])
            self.common_partners[place] += int((views * (views - 1)).sum())
        self._miss(partners, ids, np.flatnonzero(~found))

    def _ranges(
        self, similarity: npt.NDArray[np.float64], found: npt.NDArray[np.bool_], twice: npt.NDArray[np.bool_]
    ) -> None:
        place = np.clip(np.searchsorted(self.edges, similarity, "right") - 1, 0, STEPS - 1)
        place[similarity >= 1] = STEPS
        bands, rows = self.plan.bands, self.plan.rows
        chance = np.ones(len(similarity)) if self.plan.exact else 1 - (1 - similarity**rows) ** bands
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

    def audit(self, *, documents: int, **about: Any) -> Audit:
        shared, *missed = self.common_partners.tolist()
        lists_pairs = self.answers.reported is not None
        twice, others = int(self.seen_twice.sum()) // 2, self.answers.other_partners
        pairs = None
        if lists_pairs:
            pairs = share_found(self.true, self.listed, documents, (shared, missed[0]), twice=twice, others=others)
            false, also = self.answers.false_common_partners(), self.answers.reported_twice
            precision = share_found(self.answers.reported, self.listed, documents, false, twice=also, others=others)
        else:
            in_cluster = self.answers.sampled_labels != ALONE
            precision = share_found(in_cluster, in_cluster & (self.clustered > 0), documents)
        total = int(self.seen.sum())
        highs = (*self.edges[1:].tolist(), 1.0)
        lows = (*self.edges[:-1].tolist(), 1.0)
        expected = [units / EXPECTED_UNITS for units in self.expected]
        shares = [sure / ends if ends else 1.0 for sure, ends in zip(expected, self.seen.tolist(), strict=True)]
        seen, found = self.seen - self.seen_twice // 2, self.found - self.found_twice // 2
        ranges = map(Range, lows, highs, seen.tolist(), found.tolist(), shares)
        return Audit(
            documents=documents,
            with_partners=int(np.count_nonzero(self.true)),
            pair_recall=pairs,
            cluster_recall=share_found(
                self.true, self.clustered, documents, (shared, missed[1]), twice=twice, others=others
            ),
            precision=precision,
            expected=sum(self.expected) / EXPECTED_UNITS / total if total else 1.0,
            by_similarity=tuple(ranges),
            missed=self._missed(),
            **about,
        )

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


def _count(source: Source) -> int:
    known = source.total_rows()
    return known if known is not None else sum(len(batch) for batch in source.read([source.column]))
