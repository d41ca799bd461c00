"""The first rows of a source → the statistics that a plan is resolved on. The same for every engine.

A sample of these rows goes through the engine's own arrows, which give the same in all engines: shingle, sign, propose
and verify. What it says of pairs holds for all rows, since pairs of a random sample are random pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from lookalike.flow import Candidates, Documents, Shingles, Signatures
from lookalike.flow.arrays import Rows, call_function, characters, take, to_numpy
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import Threshold
from lookalike.io.source import Source
from lookalike.planning.common_shingles import common_shingles
from lookalike.planning.costs import SetFacts
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import SURVEYED, ResolvedPlan, Statistics
from lookalike.results import Pairs

SAMPLED = 1_000
"""At most so many sets are looked at, evenly spread over the rows surveyed."""

SAMPLE = 1 << 16
"""Bytes (or given tokens) of a sample, about: some milliseconds of work."""

LONG = 5_000
"""Texts of more bytes (or tokens) on average are signed, without a look at their sets."""

GIANT = 10 * LONG
"""A text of more is not cut for the sample; what it would add to the sets that are held follows from its length."""


class Arrows(Protocol):
    """What a survey needs of an engine."""

    def shingle(self, documents: Documents, plan: ResolvedPlan) -> Shingles: ...

    def sign(self, shingles: Shingles, plan: ResolvedPlan) -> Signatures: ...

    def propose(self, signatures: Signatures, plan: ResolvedPlan) -> Candidates: ...

    def verify(
        self, candidates: Candidates, shingles: Shingles, signatures: Signatures, plan: ResolvedPlan
    ) -> Pairs: ...


def resolve_on_source(plan: Plan, source: Source, arrows: Arrows) -> ResolvedPlan:
    """The plan as a run over this source would resolve it."""
    return plan.resolve(survey(plan, source, source.documents(0, SURVEYED), arrows))


def survey(
    plan: Plan, source: Source, head: Iterable[Documents], arrows: Arrows, progress: Progress | None = None
) -> Statistics:
    """From the first SURVEYED rows of the source, or all if it has fewer; `head` may go on after them."""
    first = _First.of(head)
    lengths, rows = first.lengths, len(first.lengths)
    if not rows:
        return Statistics()
    if rows == SURVEYED:
        rows = max(rows, source.expected_rows(rows, first.bytes))
    statistics = replace(first.statistics, rows=rows)
    if plan.ignore_common is not None:
        sets = _sets_by(arrows, plan.resolve(statistics))
        common = common_shingles(source, Threshold(plan.ignore_common).value, sets, progress)
        statistics = replace(statistics, common=common)
    if not plan.is_open or lengths.mean() > LONG:
        return statistics
    sample = Documents(take(pa.concat_arrays(first.texts), _spread(lengths)))
    facts = facts_of(sample, plan.resolve(statistics), arrows)
    return replace(statistics, sets=replace(facts, held=_held(facts.elements, lengths)))


@dataclass(frozen=True, eq=False)
class _First:
    """The first rows: how long they are and, unless they are so long that nobody will look at them, their texts."""

    statistics: Statistics
    lengths: Rows
    """In bytes, or in tokens."""
    bytes: int
    texts: list[pa.Array]

    @classmethod
    def of(cls, head: Iterable[Documents]) -> _First:
        """No more is held than SURVEYED texts that are LONG: the first ten thousand of a corpus of books are many."""
        lengths: list[Rows] = [np.zeros(0, np.int64)]
        counted: list[Rows] = [np.zeros(0, np.int64)]
        texts: list[pa.Array] = []
        rows = size = total = 0
        tokens = False
        for documents in head:
            some = Documents(documents.texts[: SURVEYED - rows])
            lengths.append(_lengths(some))
            rows, total, size = rows + len(some), total + int(lengths[-1].sum()), size + _bytes(some, lengths[-1])
            tokens = some.has_tokens
            if not tokens:
                counted.append(characters(some.texts))
            texts.append(some.texts)
            if total > SURVEYED * LONG:
                texts.clear()
            if rows == SURVEYED:
                break
        found = Statistics.of_lengths(rows, None if tokens else np.concatenate(counted))
        return cls(found, np.concatenate(lengths), size, texts)


def _sets_by(arrows: Arrows, plan: ResolvedPlan) -> Callable[[Documents], Shingles]:
    """Documents → their sets, in which every shingle is once: how often a document has it makes it no more common."""
    once = replace(plan, shingles=replace(plan.shingles, bag=False))
    return lambda documents: arrows.shingle(documents, once)


def facts_of(sample: Documents, plan: ResolvedPlan, arrows: Arrows) -> SetFacts:
    """What the sets of a sample say about all, at the plan's threshold and bands."""
    every = arrows.shingle(sample, plan)
    sets = distinct(every)
    pairs = max(1, len(sets) * (len(sets) - 1) // 2)
    signatures = arrows.sign(sets, plan)
    candidates = arrows.propose(signatures, plan)
    vain = len(candidates) - len(arrows.verify(candidates, sets, signatures, plan))
    lookups, meetings = meet(sets, float(plan.threshold))
    return SetFacts(len(every.values) / max(1, len(every)), lookups / max(1, len(sets)), meetings / pairs, vain / pairs)


def distinct(sets: Shingles) -> Shingles:
    """The sets that are not empty, each once: copies are set aside before anything is compared."""
    filled = np.flatnonzero(sets.sizes)
    if not len(filled):
        return Shingles(np.zeros(1, np.int64), sets.values[:0])
    mixed = sets.values * np.uint64(0x9E3779B97F4A7C15)
    sums = np.add.reduceat(mixed ^ mixed >> np.uint64(32), sets.offsets[filled])  # equal sets have equal sums
    chosen = filled[np.sort(np.unique(sums, return_index=True)[1])]
    sizes = sets.sizes[chosen]
    ends = np.cumsum(sizes)
    at = np.arange(ends[-1]) + np.repeat(sets.offsets[chosen] - (ends - sizes), sizes)
    return Shingles(np.concatenate([np.zeros(1, np.int64), ends]), sets.values[at])


def meet(sets: Shingles, threshold: float) -> tuple[int, int]:
    """How many elements an exact join looks up in its index, and how many sets it meets there.

    Elements are ordered by how rare they are. Of every set the first few are looked up, fewer are in the index: enough
    to be found by sets that are as large or larger. A set meets those of a size that could be similar.
    """
    sizes = sets.sizes
    owner = np.repeat(np.arange(len(sets)), sizes)
    _, element, count = np.unique(sets.values, return_inverse=True, return_counts=True)
    rank = np.empty(len(count), np.int64)
    rank[np.argsort(count, kind="stable")] = np.arange(len(count))
    ordered = np.sort(owner << 32 | rank[element])  # rare ones first in every set
    element, position = ordered & 0xFFFFFFFF, np.arange(len(ordered)) - sets.offsets[owner]
    looked_up = position <= np.floor(sizes * (1 - threshold) + 1e-9)[owner]
    indexed = position <= np.floor(sizes * (1 - threshold) / (1 + threshold) + 1e-9)[owner]
    index = np.sort(element[indexed] << 32 | sizes[owner[indexed]])
    element, size = element[looked_up] << 32, sizes[owner[looked_up]]
    least = np.ceil(size * threshold - 1e-9).astype(np.int64)
    met = np.searchsorted(index, element | size, side="right") - np.searchsorted(index, element | least)
    return int(np.count_nonzero(looked_up)), int(met.sum() - np.count_nonzero(indexed))  # everyone meets itself


def _lengths(documents: Documents) -> Rows:
    """In bytes, or in tokens."""
    count = "list_value_length" if documents.has_tokens else "binary_length"
    return to_numpy(call_function(count, [documents.texts]))


def _bytes(documents: Documents, lengths: Rows) -> int:
    """About what the texts take in a file, with quotation marks and a comma for every given token."""
    if not documents.has_tokens:
        return int(lengths.sum())
    tokens = documents.texts.flatten()
    tokens = tokens.fill_null("") if tokens.null_count else tokens
    return int(to_numpy(call_function("binary_length", [tokens])).sum()) + 3 * len(tokens)


def _spread(lengths: Rows) -> Rows:
    """Rows evenly spread, as many as make up a sample. Single giants are left out: they would be most of the work."""
    wanted = min(SAMPLED, int(SAMPLE / max(1.0, float(lengths.mean()))))
    rows = np.arange(0, len(lengths), -(-len(lengths) // wanted))
    return rows[lengths[rows] <= GIANT]


def _held(elements: float, lengths: Rows) -> float | None:
    """Elements of a set on average, as if giants had as many to a byte as the rest; None where there is no giant."""
    others = lengths[lengths <= GIANT]
    if len(others) == len(lengths):
        return None
    return elements * float(lengths.mean()) / max(1.0, float(others.mean())) if len(others) else float(lengths.mean())
