"""Measures the recall of a result: the share of the true partners of sampled documents that the result contains.

Documents are sampled rather than candidates, so that pairs that no band proposed count as missed. An exact join, which
does not use signatures, finds all partners of the sampled documents in the corpus.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lookalike.errors import InputError
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import Threshold
from lookalike.io.source import Source
from lookalike.notices import Notice
from lookalike.results.restoring import checked
from lookalike.results.result import Result
from lookalike.results.summary import Summary
from lookalike.storage.budget import Budget
from lookalike.trust.intervals import Share
from lookalike.trust.reported_pairs import Reported
from lookalike.trust.sampling import Chances, read_sample
from lookalike.trust.tally import Range, Tally
from lookalike.trust.true_partners import true_partners

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables

SHARES = ("pair_recall", "cluster_recall", "removal_recall", "precision")


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit(Result):
    """The recall and precision of a result, measured on sampled documents.

    A pair is true if its similarity reaches the threshold. Documents with many reported partners are more likely to be
    sampled. The shares are corrected for this, so that every pair of the corpus has the same weight. Counts of pairs
    refer to the sample, in which each pair counts once.
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
    """The share of true pairs that the result lists; None for clusters and for `dedupe`."""
    cluster_recall: Share | None
    """The share of true pairs whose documents are in the same cluster; None for `dedupe`."""
    removal_recall: Share | None
    """The share of true pairs in which `dedupe` removed at least one document; None for other results."""
    precision: Share
    """The share of listed pairs that are true. For clusters, the share of clustered documents that have a true partner
    in their cluster. For `dedupe`, the share of removed documents whose similarity to the document kept in their place
    reaches the threshold.
    """
    expected: float
    """The expected recall of the plan's bands, averaged over the true pairs of the sample."""
    by_similarity: tuple[Range, ...]
    missed: pa.Table
    """A table of up to 100,000 true pairs that were missed."""
    seconds: float = 0.0
    warnings: tuple[Notice, ...] = ()

    @property
    def recall(self) -> Share:
        """The recall of the result: `pair_recall`, `cluster_recall` or, for `dedupe`, `removal_recall`."""
        share = self.pair_recall or self.removal_recall or self.cluster_recall
        assert share is not None
        return share

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
        """Returns a table of the true pairs that were missed, with the ids of both documents and their similarity."""
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
            name: None if facts[name] is None and name != "precision" else Share(**checked(facts[name], **interval))
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
    partners_of = reported.partner_counts()
    chances = Chances(documents, sample, partners_of.counts[partners_of.counts > 0])
    chosen = read_sample(
        source, reported.plan, lambda rows, ids: chances.of(partners_of.of(rows, ids)), sample=sample, seed=seed,
        threads=threads, progress=progress,
    )  # fmt: skip
    if chosen.read != documents:
        values = {"expected": documents, "source": source.name, "found": chosen.read}
        raise InputError("audit-documents-differ", result=reported.name, **values)
    removed, answers = reported.removed(chosen.ids), reported.answers(chosen.rows, chosen.ids)
    removals = None if removed is None else removed.lookup(chosen)
    tally = Tally(chosen, answers, reported.plan, chances, partners_of, removals)
    for partners in true_partners(source, reported.plan, chosen, threads, progress, budget):
        exempt = None if removed is None else removed.exempt
        tally.add(partners if exempt is None else exempt.left_out_of(partners, chosen))
    source.check_unchanged()
    tally.answers.check_ids()
    return Audit(
        source=source.name, documents=documents, sample=len(chosen.rows), seed=seed,
        threshold=reported.plan.threshold, verified=reported.plan.plan.verify,
        warnings=(*warnings, *reported.warnings),
        seconds=time.perf_counter() - began, **tally.findings(),
    )  # fmt: skip


def _count(source: Source) -> int:
    known = source.total_rows()
    return known if known is not None else sum(len(batch) for batch in source.read([source.column]))
