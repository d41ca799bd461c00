"""The local engine: the native kernel on the cores of one machine.

`run` reads all texts to sign them, and later reads the candidates' texts again, from the source or from a store. It
keeps in memory a fingerprint, a length and band keys (8 bytes per band) per document, some texts, and later the set of
each candidate (8 bytes per shingle). If that is too much, it uses files (`spill`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.engines.base import Answer
from lookalike.engines.local.spill.run import SpillingSearch
from lookalike.engines.stages.answer_builder import AnswerBuilder, RowFacts
from lookalike.engines.stages.arrows import KernelArrows, load_sets
from lookalike.engines.stages.boilerplate import LargeBuckets, find_large_buckets
from lookalike.engines.stages.candidate_components import first_copies
from lookalike.engines.stages.checking import Counts, connected, similar
from lookalike.engines.stages.copies import in_order, unfolded
from lookalike.engines.stages.first_pass import SourceEnd, sign_source
from lookalike.engines.stages.memory import LEAST, OVERHEAD, SHINGLE, Allowance, CandidateCosts, give_back, whole_row
from lookalike.engines.stages.signed_rows import Signed
from lookalike.flow.arrays import Rows
from lookalike.flow.buckets import IN_LARGE
from lookalike.flow.byte_sizes import bytes_of
from lookalike.flow.progress import Progress, silent
from lookalike.flow.sketches import EMPTY
from lookalike.io.source import Source
from lookalike.kernel import Kernel, default
from lookalike.flow.checks import check_threads
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.budget import Budget
from lookalike.storage.parts import Parts
from lookalike.work.text_store import TextStore


class Local(KernelArrows):
    """Runs plans on this machine, with `threads` threads (default: one per core that the process may use).

    `memory` limits the memory of the process (default: half of the free memory). Data that does not fit is kept in
    files.
    """

    name = "local"

    def __init__(
        self,
        threads: int | None = None,
        memory: int | str | None = None,
        allowance: Allowance | None = None,
        kernel: Kernel | None = None,
    ) -> None:
        """`allowance` limits the memory for tables. Only tests set it; the answer does not depend on it."""
        super().__init__(kernel or default(check_threads(threads)))
        self.memory = None if memory is None else bytes_of(memory)
        self.allowance = allowance

    def run(self, plan: Plan, source: Source, parts: Parts, progress: Progress | None = None) -> Answer:
        budget = Budget.of(self.memory)
        allowance = self.allowance or Allowance.of(budget)
        clock = _Clock(progress or silent)
        with TextStore(source, allowance.texts, threads=self.kernel.threads) as texts:
            with clock.stage("sign"):
                resolved, signed, ended = sign_source(
                    self.kernel, plan, source, parts, texts, clock.progress, allowance
                )
            run = _Execution(self, plan, resolved, source, signed, ended, allowance, clock)
            result = run.in_memory(texts) if signed.fits else None
            if result is None:
                result = run.spilled(texts)
        result = result.with_summary(memory=budget.limit, spilled=signed.spill.written)
        if budget.user_set:  # later work, such as a report, needs some of the budget
            del run, signed, ended, texts
            give_back()
        return result

    def measure(
        self, plan: ResolvedPlan, source: Source, left: Rows, right: Rows, most: int | None = None
    ) -> npt.NDArray[np.float64]:
        """The exact similarity of each pair. If the sets exceed the budget, the pairs are halved, repeatedly.

        The source is read once for each group of pairs.
        """
        if most is None:
            most = self._memory_to_measure() // SHINGLE
        order = np.argsort(right, kind="stable")  # pairs of one document are measured together
        similarity = np.empty(len(left))
        similarity[order] = self._measured(plan, source, left[order], right[order], most)
        return similarity

    def _measured(
        self, plan: ResolvedPlan, source: Source, left: Rows, right: Rows, most: int
    ) -> npt.NDArray[np.float64]:
        with suppress(OverflowError):  # ends before the halves are measured, since the error keeps loaded sets alive
            return super().measure(plan, source, left, right, most if len(left) > 1 else None)
        halves = zip(np.array_split(left, 2), np.array_split(right, 2), strict=True)
        return np.concatenate([self._measured(plan, source, *half, most) for half in halves])

    def _memory_to_measure(self) -> int:
        """The bytes available for measuring. A budget that is too small is not refused, since the result exists."""
        if self.allowance is not None:
            return self.allowance.tables
        budget = Budget.of(self.memory)
        if budget.user_set:
            give_back()
        return max(LEAST, budget.free() - OVERHEAD)


@dataclass(frozen=True, eq=False)
class _Execution:
    """The rest of a run, after all rows are signed: in memory (`in_memory`) or with files (`spilled`)."""

    engine: Local
    plan: Plan
    resolved: ResolvedPlan
    source: Source
    signed: Signed
    ended: SourceEnd
    allowance: Allowance
    clock: _Clock

    def in_memory(self, texts: TextStore) -> Answer | None:
        """Computes the answer in memory; None if the candidates' sets or the listed pairs do not fit."""
        kernel = self.engine.kernel
        with self.clock.stage("propose"):
            whole = self.signed.whole()
            empty = whole.facts.flagged(EMPTY)
            first = kernel.copies(whole.fingerprints, empty)
            left_out = (first != np.arange(len(first))) | empty
            shared = kernel.bucketed(whole.keys, left_out)
            distinct = np.flatnonzero(shared)
            indexed = self.resolved.exact or shared[distinct] & IN_LARGE != 0
            cost = CandidateCosts.of(self.resolved, kernel.threads, whole.windows[distinct]).of_all(indexed)
            beside = self.allowance.less(
                self.allowance.texts + len(first) * whole_row(self.signed.bands, kernel.threads)
            )
            if beside.tables < int(cost.sum()):
                self.signed.take_back(whole)
                return None
            keys = np.ascontiguousarray(whole.keys[distinct])
            large_buckets = (
                LargeBuckets()
                if self.resolved.exact
                else find_large_buckets(keys, np.flatnonzero(indexed)).at(distinct)
            )
            facts, again = whole.facts, whole if self.lists_pairs and self.allowance.user_set else None
            del whole
        with self.clock.stage("read candidates"):
            needed = distinct if self.plan.verify != "none" else distinct[:0]  # otherwise nothing is compared
            sets = load_sets(kernel, self.resolved, self.signed.texts or texts, needed, self.clock.progress)
            warnings = large_buckets.warnings(self.resolved, self.signed.texts or texts)
        if again is None:
            texts.drop()
        builder = self.builder(facts, first, warnings)
        if self.lists_pairs:
            with self.clock.stage("verify" if self.plan.goal == "pairs" else "connect"):
                allowance = beside.less(int(cost.sum()))
                try:
                    found = similar(kernel, self.resolved, keys, sets, most=allowance.pairs())
                    left, right = distinct[found.left], distinct[found.right]
                    self.check_copies(first, left, right, allowance)
                except OverflowError:
                    if again is None:
                        raise allowance.too_many_pairs(self.plan) from None
                    self.signed.take_back(again)
                    return None
                return self.listed(builder, left, right, found.similarity, found.counts)
        with self.clock.stage("connect"):
            near, counts = connected(kernel, self.resolved, keys, sets)
            label = np.arange(len(first), dtype=np.int64)
            label[distinct] = distinct[near]  # rows ascend, so the smallest position belongs to the smallest row
            return builder.clusters(label, checked=counts.checked)

    def spilled(self, texts: TextStore) -> Answer:
        """Computes the answer with files, within the allowance, for a corpus of any size."""
        allowance = self.allowance.beside(self.signed.rows)
        run = SpillingSearch(self.engine.kernel, self.resolved, self.signed, allowance, self.clock.progress)
        with self.clock.stage("propose"):
            give_back()  # memory freed by the previous stage
            facts = self.signed.facts()
            empty = facts.flagged(EMPTY)
            first = first_copies(self.engine.kernel, self.signed, empty, allowance.to_sort)
            components = run.propose((first != np.arange(len(first))) | empty)
        if self.plan.goal == "clusters" and self.plan.linkage == "connected" and self.plan.verify == "none":
            warnings = components.large_buckets.warnings(self.resolved, self.signed.texts or texts)
            return self.builder(facts, first, warnings).clusters(components.labels(self.signed.rows))
        give_back()
        with self.clock.stage("read candidates"):
            candidates = run.gather(self.signed.texts or texts, components)
            warnings = components.large_buckets.warnings(self.resolved, self.signed.texts or texts)
        texts.drop()
        give_back()
        builder = self.builder(facts, first, warnings)
        if self.lists_pairs:
            with self.clock.stage("verify" if self.plan.goal == "pairs" else "connect"):
                left, right, similarity = run.pairs(candidates)
                try:
                    self.check_copies(first, left, right, allowance)
                except OverflowError:
                    raise allowance.too_many_pairs(self.plan) from None
                return self.listed(builder, left, right, similarity, run.counts)
        with self.clock.stage("connect"):
            return builder.clusters(run.labels(candidates), checked=run.counts.checked)

    @property
    def lists_pairs(self) -> bool:
        """True if the answer needs a list of all similar pairs. Connected clusters do not need one."""
        return self.plan.goal == "pairs" or self.plan.linkage == "star"

    def check_copies(self, first: Rows, left: Rows, right: Rows, allowance: Allowance) -> None:
        """Raises OverflowError if these pairs, after copies are unfolded, would exceed the user's budget.

        If the user set no budget, `unfold_pairs` checks the general limit.
        """
        if self.plan.goal == "pairs" and allowance.user_set and unfolded(first, left, right) > allowance.pairs():
            raise OverflowError

    def listed(
        self,
        builder: AnswerBuilder,
        left: Rows,
        right: Rows,
        similarity: npt.NDArray[np.float64] | None,
        counts: Counts,
    ) -> Answer:
        """Builds the answer, pairs or star clusters, from the similar pairs of distinct documents."""
        counted: dict[str, Any] = {"candidates": counts.candidates, "checked": counts.checked}
        if self.plan.goal == "pairs":
            return builder.pairs(left, right, similarity, **counted)
        return builder.stars(*in_order(left, right), **counted)

    def builder(self, facts: RowFacts, first: Rows, warnings: tuple[Notice, ...]) -> AnswerBuilder:
        facts = replace(facts, malformed=self.ended.malformed, warnings=self.ended.warnings + warnings)
        kernel = self.engine.kernel
        return AnswerBuilder(self.engine.name, kernel, self.resolved, self.source, facts, first, self.clock.seconds)


class _Clock:
    """Measures the wall time of each stage, and reports the start of each stage as progress."""

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
