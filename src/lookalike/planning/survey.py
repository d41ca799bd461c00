"""Computes statistics of the first rows of a source, from which a plan is resolved. They are the same for every engine.

A sample of these rows goes through the engine's own arrows (its steps): shingle, sign, propose and verify. Rates per
pair in the sample are assumed to hold for all pairs of rows, less what `pair_growth` says about their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa

from lookalike.flow import Candidates, Documents, Shingles, Signatures
from lookalike.flow.arrays import Rows, call_function, code_shares, take, to_numpy
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import Threshold
from lookalike.io.source import Source
from lookalike.planning.common_shingles import common_shingles
from lookalike.planning.costs import SetFacts, share_to_count
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import SURVEYED, ResolvedPlan, Statistics, resolve
from lookalike.planning.unique_elements import unique_shares
from lookalike.results.pairs import Pairs

SAMPLED = 1_000
"""The maximum number of sets in a sample. They are spread evenly over the first rows."""

SAMPLE = 1 << 16
"""The approximate size of a sample, in bytes or tokens, which takes a few milliseconds."""

LEAST_SAMPLED = 16
"""The minimum number of sets in a sample, if texts are long."""

ENOUGH, PART = 64, 16
"""Of long texts, ENOUGH sets are sampled, but at most one in PART. Among fewer, revisions of a text are rarely seen."""

SHARE, MOST_SAMPLED = 100, 2_000
"""One row in SHARE is sampled, up to MOST_SAMPLED rows, so that the sample grows with the data. Reading it takes about
1.5% of a run, and at most about 30 ms. In a small sample, a line that 35 of 100,000 files contain would look unique."""

FEW_SAMPLED, FEW_BYTES = 256, 1 << 19
"""FEW_SAMPLED rows are sampled even of a small source, unless they have more than FEW_BYTES, which takes 3 ms."""

MOST_BYTES = 1 << 23
"""The approximate maximum size of a larger sample, in bytes or tokens."""

VERIFIED = 1_000
"""The approximate maximum number of candidates of a sample that are compared."""

LOCAL = 4
"""The number of pairs that `pair_growth` adds to those of the sample."""

GIANT = 50_000
"""Texts longer than this, in bytes or tokens, are excluded from the sample. If all are, bands are used."""

PROBED = 16
"""The number of bytes, spread evenly over a text, that are compared to find copies. It is a multiple of 8."""

MOST_KEPT = SURVEYED * 5_000
"""The maximum number of bytes or tokens of the first rows that are kept in memory until the sample is chosen."""


class Arrows(Protocol):
    """The steps (arrows) of an engine that a survey uses."""

    def shingle(self, documents: Documents, plan: ResolvedPlan) -> Shingles: ...

    def sign(self, shingles: Shingles, plan: ResolvedPlan) -> Signatures: ...

    def propose(self, signatures: Signatures, plan: ResolvedPlan) -> Candidates: ...

    def verify(
        self, candidates: Candidates, shingles: Shingles, signatures: Signatures, plan: ResolvedPlan
    ) -> Pairs: ...


def resolve_on_source(plan: Plan, source: Source, arrows: Arrows) -> ResolvedPlan:
    """Resolves the plan as a run over this source would."""
    return resolve(plan, survey(plan, source, source.documents(0, SURVEYED), arrows))


def survey(
    plan: Plan, source: Source, head: Iterable[Documents], arrows: Arrows, progress: Progress | None = None
) -> Statistics:
    """Computes statistics of the source from its first SURVEYED rows, or from all rows if there are fewer.

    `head` contains these rows, and may contain more.
    """
    first = _First.of(head)
    lengths, rows = first.lengths, len(first.lengths)
    if not rows:
        return Statistics()
    if rows == SURVEYED:
        rows = max(rows, source.expected_rows(rows, first.bytes))
    statistics = replace(first.statistics, rows=rows)
    if plan.ignore_common is not None:
        sets = _sets_by(arrows, resolve(plan, statistics))
        common = common_shingles(source, Threshold(plan.ignore_common).value, sets, progress)
        statistics = replace(statistics, common=common)
    if not plan.is_open:
        return statistics
    apart = -(-len(lengths) // _sample_size(rows, max(1.0, float(lengths.mean()))))
    apart = -(-apart // first.step) * first.step
    kept = np.flatnonzero((lengths <= GIANT) & (np.arange(len(lengths)) % first.step == 0))
    if not len(kept):
        return statistics
    sample = Documents(take(pa.concat_arrays(first.texts), np.flatnonzero(kept % apart == 0)))
    facts = facts_of(sample, resolve(plan, statistics), arrows, rows, len(lengths), first.bytes / len(lengths))
    if not first.statistics.tokens:
        facts = replace(facts, distinct=distinct_share(pa.concat_arrays(first.texts), statistics.rows / len(lengths)))
    if lengths.max() > GIANT:  # huge texts are assumed to have as many elements per byte as other texts
        facts = replace(facts, elements=facts.elements * float(lengths.mean()) / max(1.0, float(lengths[kept].mean())))
    return replace(statistics, sets=facts)


def _sample_size(rows: int, mean: float) -> int:
    """The number of texts to sample, given the number of rows and the mean size of the first ones."""
    least = max(LEAST_SAMPLED, min(ENOUGH, rows // PART), min(SAMPLED, int(SAMPLE / mean)))
    few = min(FEW_SAMPLED, int(FEW_BYTES / mean))
    return max(least, few, min(MOST_SAMPLED, rows // SHARE, int(MOST_BYTES / mean)))


@dataclass(frozen=True, eq=False)
class _First:
    """The lengths of the first rows, and the texts of every row, or of every 2nd, 4th, 8th …, that are not huge."""

    statistics: Statistics
    lengths: Rows
    """The length of each row, in bytes or tokens."""
    bytes: int
    texts: list[pa.Array]
    """The texts that are kept: those of every `step`-th row, if they are not huge."""
    step: int

    @classmethod
    def of(cls, head: Iterable[Documents]) -> _First:
        """Reads the first rows. If their texts exceed MOST_KEPT, fewer of them are kept.

        Which ones depends only on the rows, not on the batches in which they come.
        """
        lengths: list[Rows] = [np.zeros(0, np.int64)]
        counted: list[Rows] = [np.zeros(0, np.int64)]
        texts: list[pa.Array] = []
        code: list[float] = []
        rows = size = kept = 0
        step, tokens = 1, False
        for documents in head:
            some = Documents(documents.texts[: SURVEYED - rows])
            tokens = some.has_tokens
            count = "list_value_length" if tokens else "binary_length"
            lengths.append(to_numpy(call_function(count, [some.texts])))
            if tokens:
                size += _bytes_of_tokens(some.texts)
            else:
                size += int(lengths[-1].sum())
                counted.append(to_numpy(call_function("utf8_length", [some.texts])))
                code += code_shares(some.texts, rows)
            here = np.flatnonzero((lengths[-1] <= GIANT) & (np.arange(rows, rows + len(some)) % step == 0))
            texts.append(some.texts if len(here) == len(some) else take(some.texts, here))
            kept += int(lengths[-1][here].sum())
            rows += len(some)
            while kept > MOST_KEPT:
                every = np.concatenate(lengths)
                before = np.flatnonzero((every <= GIANT) & (np.arange(rows) % step == 0))
                step *= 2
                chosen = np.flatnonzero(before % step == 0)
                texts = [take(pa.concat_arrays(texts), chosen)]
                kept = int(every[before[chosen]].sum())
            if rows == SURVEYED:
                break
        found = Statistics.of_lengths(rows, None if tokens else np.concatenate(counted), code)
        return cls(found, np.concatenate(lengths), size, texts, step)


def _sets_by(arrows: Arrows, plan: ResolvedPlan) -> Callable[[Documents], Shingles]:
    """Returns a function that cuts documents into sets, even for bags, so that a shingle counts once per document."""
    once = replace(plan, shingles=replace(plan.shingles, bag=False))
    return lambda documents: arrows.shingle(documents, once)


def facts_of(
    sample: Documents, plan: ResolvedPlan, arrows: Arrows, rows: int, first: int, size_in_bytes: float
) -> SetFacts:
    """Estimates the facts about the sets of all rows from some of the first ones, at the plan's threshold and bands.

    `rows` is the number of all rows, and `first` the number of those from which the sample was taken.
    """
    every = arrows.shingle(sample, plan)
    sets = distinct(every)
    similar, hits, false = _rates(sets, plan, arrows, rows / first)
    apart = max(1, len(sets.values) // SAMPLE)
    some = sets if apart == 1 else chosen_sets(sets, np.arange(0, len(sets), apart))
    lookups, meetings = meet(some, float(plan.threshold))
    size = len(every.values) / max(1, len(every))
    unique = unique_shares(sets, rows / max(1, len(every)))
    sampled = share_to_count(plan.threshold, round(float(np.median(sets.sizes))) if len(sets) else 1, unique)
    may_be_unique = 1 - float(plan.threshold)
    kept, joined = (
        float((unique <= most).mean()) if len(sets) else 1.0 for most in (may_be_unique / sampled, may_be_unique)
    )
    return SetFacts(
        size,
        lookups / max(1, len(some)),
        meetings / _pairs(len(some)),
        false,
        bytes=size_in_bytes,
        sampled=sampled,
        kept=kept,
        joined=joined,
        similar=similar,
        hits=hits,
    )


def _rates(sets: Shingles, plan: ResolvedPlan, arrows: Arrows, growth: float) -> tuple[float, float, float]:
    """Three rates per pair of sets: pairs that reach the threshold, bands in which these meet, and false candidates.

    The rates are those among `growth` times as many rows as the sets were taken from.
    """
    signatures = arrows.sign(sets, plan)
    candidates = arrows.propose(signatures, plan)
    apart = max(1, len(candidates.left) // VERIFIED)
    some = Candidates(candidates.left[::apart], candidates.right[::apart])
    found = arrows.verify(some, sets, signatures, plan)
    similar = len(found.left_rows)
    similarity = np.full(similar, float(plan.threshold)) if found.similarity is None else found.similarity
    hits = plan.bands * float(np.sum(similarity**plan.rows))
    rate = len(candidates.left) / max(1, len(some.left)) / _pairs(len(sets))
    of_similar = rate * growth ** (pair_growth(np.maximum(found.left_rows, found.right_rows), len(sets)) - 2)
    of_all = rate * growth ** (pair_growth(np.maximum(some.left, some.right), len(sets)) - 2)
    return similar * of_similar, hits * of_similar, (len(some.left) - similar) * of_all


def pair_growth(later: Rows, rows: int) -> float:
    """Estimates the exponent g if the first n rows of a collection contain about n to the power of g pairs.

    `later` contains the later row of each pair of a sample, in which rows are in their order. If copies are near their
    originals, or have them among the earlier rows, as in collections that have grown over time, each row adds as many
    pairs as any other, and g is 1. If the rows are in random order, it is 2. A pair whose later row is among the first
    share u of the rows has the density g · u ** (g - 1). The estimate is the most likely one after LOCAL pairs with a g
    of 1, since few pairs say little, and too many expected pairs would hide how the costs of both methods differ.

    >>> pair_growth(np.arange(0, 1000, 20), 1000), pair_growth(np.full(50, 800), 1000)
    (1.0, 2.0)
    """
    places = np.sort((later + 1) / max(1, rows))  # sorted, so that the sum is the same in every engine
    return float(np.clip((len(places) + LOCAL) / (LOCAL - np.log(places).sum()), 1.0, 2.0))


def _pairs(sets: int) -> int:
    return max(1, sets * (sets - 1) // 2)


def distinct_share(texts: pa.Array, growth: float) -> float:
    """Estimates the share of distinct texts if there were `growth` times as many, as `unique_shares` does for elements.

    Texts count as copies if they have the same length and the same bytes at PROBED places.
    """
    _, offsets, data = texts.buffers()
    starts = np.frombuffer(offsets or bytes(8), np.int64, len(texts) + 1, 8 * texts.offset)
    sizes = np.diff(starts)
    starts, sizes = starts[:-1][sizes > 0], sizes[sizes > 0]
    if not len(sizes):
        return 1.0
    places = starts[:, None] + (sizes[:, None] - 1) * np.arange(PROBED) // (PROBED - 1)
    hashes = sizes.astype(np.uint64)
    for word in np.frombuffer(data, np.uint8)[places].view(np.uint64).T:
        hashes = (hashes ^ hashes >> np.uint64(29)) * np.uint64(0x9E3779B97F4A7C15) ^ word
    quarter = -(-len(hashes) // 4)
    # Without `return_counts`, `np.unique` imports numpy.ma.
    before, now = (len(np.unique(some, return_counts=True)[0]) / len(some) for some in (hashes[:quarter], hashes))
    growth = max(1.0, growth)
    return min(1.0, max(now / growth, now - (before - now) * math.log(growth, 4)))


def distinct(sets: Shingles) -> Shingles:
    """Returns the distinct non-empty sets. A run also sets copies aside before it compares anything."""
    filled = np.flatnonzero(sets.sizes)
    if not len(filled):
        return Shingles(np.zeros(1, np.int64), sets.values[:0])
    mixed = sets.values * np.uint64(0x9E3779B97F4A7C15)
    sums = np.add.reduceat(mixed ^ mixed >> np.uint64(32), sets.offsets[filled])  # equal sets have equal sums
    chosen = filled[np.sort(np.unique(sums, return_index=True)[1])]
    return sets if len(chosen) == len(sets) else chosen_sets(sets, chosen)


def chosen_sets(sets: Shingles, chosen: Rows) -> Shingles:
    """Returns some of the sets, which are not empty."""
    sizes = sets.sizes[chosen]
    ends = np.cumsum(sizes)
    at = np.arange(ends[-1]) + np.repeat(sets.offsets[chosen] - (ends - sizes), sizes)
    return Shingles(np.concatenate([np.zeros(1, np.int64), ends]), sets.values[at])


def meet(sets: Shingles, threshold: float) -> tuple[int, int]:
    """Counts the elements that an exact join looks up in its index, and the sets that it finds there.

    Elements are ordered from rare to common. The first few elements of each set are looked up. Fewer are indexed: just
    enough for the set to be found by sets of the same size or larger. Only sets of compatible sizes are counted.
    """
    sizes = sets.sizes
    owner = np.repeat(np.arange(len(sets)), sizes)
    _, element, count = np.unique(sets.values, return_inverse=True, return_counts=True)
    rank = np.empty(len(count), np.int64)
    rank[np.argsort(count, kind="stable")] = np.arange(len(count))
    ordered = np.sort(owner << 32 | rank[element])  # rare elements first in every set
    element, position = ordered & 0xFFFFFFFF, np.arange(len(ordered)) - sets.offsets[owner]
    looked_up = position <= np.floor(sizes * (1 - threshold) + 1e-9)[owner]
    indexed = position <= np.floor(sizes * (1 - threshold) / (1 + threshold) + 1e-9)[owner]
    index = np.sort(element[indexed] << 32 | sizes[owner[indexed]])
    element, size = element[looked_up] << 32, sizes[owner[looked_up]]
    least = np.ceil(size * threshold - 1e-9).astype(np.int64)
    met = np.searchsorted(index, element | size, side="right") - np.searchsorted(index, element | least)
    return int(np.count_nonzero(looked_up)), int(
        met.sum() - np.count_nonzero(indexed)
    )  # a set does not count as found by itself


def _bytes_of_tokens(lists: pa.Array) -> int:
    """Estimates the size of lists of tokens in a file, with three bytes per token for quotation marks and a comma."""
    tokens = lists.flatten()
    tokens = tokens.fill_null("") if tokens.null_count else tokens
    return int(to_numpy(call_function("binary_length", [tokens])).sum()) + 3 * len(tokens)
