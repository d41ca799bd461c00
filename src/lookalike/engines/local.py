"""The local engine: the native kernel on the cores of one machine.

`run` reads the texts to sign them, and those that share a bucket again, from where it is cheapest. It holds a
fingerprint, band keys (8 bytes a band) and a length per document, some texts, then a set (8 bytes a shingle) per
candidate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike import kernel
from lookalike.engines.arrows import KernelArrows, Rows, equal_slots, load_sets, reached
from lookalike.engines.base import Progress, Result
from lookalike.engines.copies import too_many
from lookalike.engines.outcome import Outcome
from lookalike.engines.signing import sign_source
from lookalike.flow import Shingles
from lookalike.flow.pairs import MOST_PAIRS
from lookalike.io.source import Source
from lookalike.plan import Plan, ResolvedPlan
from lookalike.work import Parts, TextStore
from lookalike.work.threads import check_threads

Keys = npt.NDArray[np.uint64]

FEW_PAIRS = 32
"""Pairs a set up to which clusters come from an exact join of all."""


class Local(KernelArrows):
    """Runs plans on this machine, on `threads` threads (by default as many as the process may use)."""

    name = "local"

    def __init__(self, threads: int | None = None) -> None:
        super().__init__(check_threads(threads))

    def run(self, plan: Plan, source: Source, parts: Parts, progress: Progress | None = None) -> Result:
        clock = _Clock(progress or _silent)
        with TextStore(source, threads=self.threads) as texts:
            with clock.stage("sign"):
                resolved, signed = sign_source(plan, source, parts, texts, self.threads, clock.progress)
            with clock.stage("propose"):
                empty = signed.facts.flagged(kernel.EMPTY)
                first = kernel.copies(signed.fingerprints, empty)
                left_out = (first != np.arange(len(first))) | empty
                distinct = np.flatnonzero(kernel.bucketed(signed.keys, left_out, self.threads))
                keys = np.ascontiguousarray(signed.keys[distinct])
            with clock.stage("read candidates"):
                needed = distinct if plan.verify != "none" else distinct[:0]  # nothing is compared then
                sets = load_sets(resolved, texts, needed, self.threads, clock.progress)
        outcome = Outcome(self.name, resolved, source, signed.facts, first, clock.seconds)
        if plan.goal == "pairs":
            with clock.stage("verify"):
                left, right, similarity, counts = self._similar(resolved, keys, sets)
                return outcome.pairs(distinct[left], distinct[right], similarity, **counts)
        if plan.linkage == "star":
            with clock.stage("connect"):
                left, right, _, counts = self._similar(resolved, keys, sets)
                return outcome.stars(distinct[left], distinct[right], **counts)
        with clock.stage("connect"):
            near, counts = self._connected(resolved, keys, sets)
            label = np.arange(len(first), dtype=np.int64)
            label[distinct] = distinct[near]  # rows ascend, so the smallest index is the smallest row
            return outcome.clusters(label, **counts)

    def _similar(
        self, resolved: ResolvedPlan, keys: Keys, sets: Shingles
    ) -> tuple[Rows, Rows, npt.NDArray[np.float64] | None, dict[str, Any]]:
        """The true pairs among those that share a bucket, as positions in `keys`."""
        if resolved.plan.verify == "exact":
            found = self._verified(resolved, keys, sets)
            total = sets.sizes[found.left] + sets.sizes[found.right] - found.intersection
            counts = {"checked": found.checked, "candidates": found.candidates if found.candidates >= 0 else None}
            return found.left, found.right, found.intersection / total, counts
        left, right = kernel.candidates(keys, self.threads)
        if resolved.plan.verify == "none":
            return left, right, None, {"candidates": len(left)}
        shared, total = equal_slots(self.sign(sets, resolved), left, right)
        true = reached(shared, total, resolved)
        counts = {"candidates": len(left), "checked": len(left)}
        return left[true], right[true], shared[true] / total[true], counts

    def _verified(self, resolved: ResolvedPlan, keys: Keys, sets: Shingles) -> kernel.SimilarPairs:
        t = resolved.threshold
        try:
            if not resolved.exact:
                return kernel.similar_pairs(keys, sets, t.numerator, t.denominator, self.threads, MOST_PAIRS)
            joined = kernel.exact_pairs(
                sets, numerator=t.numerator, denominator=t.denominator, threads=self.threads, most=MOST_PAIRS
            )
            return kernel.SimilarPairs(joined.left, joined.right, joined.intersection, -1, joined.compared)
        except OverflowError:
            raise too_many(f"over {MOST_PAIRS:,}", resolved.plan) from None

    def _connected(self, resolved: ResolvedPlan, keys: Keys, sets: Shingles) -> tuple[Rows, dict[str, Any]]:
        """The components; pairs that cannot join two of them any more are never compared."""
        if resolved.exact and (few := self._few_pairs(resolved, sets)) is not None:
            return kernel.connect(len(keys), few.left, few.right), {"checked": few.compared}
        if resolved.plan.verify == "exact":
            t = resolved.threshold
            found = kernel.similar_components(keys, sets, t.numerator, t.denominator, self.threads)
            return found.labels, {"checked": found.checked}
        left, right, _, counts = self._similar(resolved, keys, sets)
        return kernel.connect(len(keys), left, right), {"checked": counts.get("checked", 0)}

    def _few_pairs(self, resolved: ResolvedPlan, sets: Shingles) -> kernel.ExactPairs | None:
        """The true pairs by an exact join, unless there are many more than sets.

        Components without pairs cost more where there are few, and much less where there are many: ten thousand copies
        of one text with a word changed are fifty million pairs.
        """
        t, most = resolved.threshold, FEW_PAIRS * (1000 + len(sets))
        try:
            return kernel.exact_pairs(
                sets, numerator=t.numerator, denominator=t.denominator, threads=self.threads, most=most
            )
        except OverflowError:
            return None


class _Clock:
    """Wall time by stage, told to the user as it passes."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.seconds: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.progress(name, 0, None)
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = time.perf_counter() - began


def _silent(stage: str, done: int, total: int | None) -> None:
    pass
