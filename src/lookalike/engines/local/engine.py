"""The local engine: the native kernel on the cores of one machine.

`run` reads all texts to sign them, and later reads the candidates' texts again, from the source or from a store. For
each document, it keeps two hashes, a length and band keys (8 bytes per band) in memory; in addition, some texts, and
later the set of each candidate (8 bytes per shingle). If that takes too much memory, it uses files (`spill`).
"""

from __future__ import annotations

from contextlib import closing, suppress
from dataclasses import dataclass, replace
from hashlib import blake2b

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.base import Answer
from lookalike.engines.stages import boilerplate
from lookalike.engines.stages.answer_builder import AnswerBuilder, RowFacts, StageClock
from lookalike.engines.stages.arrows import HUGE_BATCH, KernelArrows, load_sets
from lookalike.engines.stages.candidate_components import first_copies
from lookalike.engines.stages.checking import connected, similar
from lookalike.engines.stages.copies import unfolded
from lookalike.engines.stages.first_pass import FirstPass, RowSigner, sign_source
from lookalike.engines.stages.huge_sets import overlaps
from lookalike.engines.stages.memory import (
    CHOICE,
    LEAST,
    SHINGLE,
    SMALL_READING,
    WORKING,
    Allowance,
    CandidateCosts,
    give_back,
    whole_row,
)
from lookalike.engines.stages.resumed_pass import sign_into_parts
from lookalike.engines.stages.survivors import PreferredCopies, among_copies, choose_survivors
from lookalike.flow.arrays import Mask, Rows, to_numpy
from lookalike.flow.buckets import IN_LARGE
from lookalike.flow.byte_sizes import bytes_of
from lookalike.flow.checks import check_threads
from lookalike.flow.preference import Prefer
from lookalike.flow.progress import Progress, silent
from lookalike.flow.sketches import EMPTY
from lookalike.io.source import Source
from lookalike.kernel import Kernel, default
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.budget import SMALL, Budget
from lookalike.storage.parts import NoParts, Parts
from lookalike.work.text_parts import TextParts
from lookalike.work.text_store import LastTexts, TextStore

LARGE = 64 << 20
"""More bytes than this are returned to the system before others are allocated."""

LEFT_OUT = "left-out"
"""The name of the part that lists rows without a partner."""

MOST_PARTS = 1 << 10
"""The maximum number of parts into which sets are divided that do not fit into memory."""


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
        """Creates the engine.

        `allowance` limits the memory for tables; only tests set it, and no answer depends on it.
        """
        super().__init__(kernel or default(check_threads(threads)))
        self.threads = self.kernel.threads
        self.memory = None if memory is None else bytes_of(memory)
        self.allowance = allowance
        self.largest = SMALL
        """The size of the largest document of all runs so far, in bytes, or SMALL."""

    def run(
        self,
        plan: Plan,
        source: Source,
        parts: Parts,
        progress: Progress | None = None,
        prefer: Prefer | None = None,
    ) -> Answer:
        budget = Budget.of(self.memory)
        allowance = self.allowance or Allowance.of(budget, self.kernel.threads)
        if plan.linkage == "star":
            allowance = replace(allowance, state=allowance.state + CHOICE)
        if source.reader_bytes > SMALL_READING:
            allowance = allowance.of_source(source)
        clock = StageClock(progress or silent)
        signer = RowSigner(self, plan, source, clock.progress, allowance)
        threads = allowance.readers(source, self.kernel.threads)
        with closing(TextStore(source, allowance.texts, threads=threads, ahead=allowance.ahead)) as texts:
            with clock.stage("sign"):
                signed = sign_into_parts(signer, parts, texts) if parts.keeps else sign_source(signer, texts)
            allowance = allowance.with_documents(signer.largest)
            self.largest = max(self.largest, signer.largest)
            run = _Execution(self, plan, source, texts, signed, allowance, clock, budget.limit, prefer)
            result = run.in_memory() if signed.rows is not None else None
            if result is None:
                result = run.spilled()
        if signed.parts is not None:
            result = result.with_summary(spilled=signed.parts.spill.written)
        if budget.user_set:  # later work, such as a report, needs part of the budget
            del run, signer, signed, texts
            give_back()
        return result

    def measure(
        self,
        plan: ResolvedPlan,
        source: Source,
        left: Rows,
        right: Rows,
        most: int | None = None,
        huge: int = HUGE_BATCH,
        *,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.float64]:
        """Measures the exact similarity of each pair. If the sets exceed the budget, the pairs are halved, repeatedly.

        The source is read once for each group of pairs.
        """
        if self.memory is None and self.allowance is None:
            most = most or max(LEAST, Budget.of(None).free() - WORKING) // SHINGLE
        else:
            allowance = self.allowance or Allowance.beside_answer(Budget.of(self.memory), source, self.largest)
            most, huge = most or allowance.tables // SHINGLE, min(huge, allowance.huge)
        order = np.argsort(right, kind="stable")  # pairs of one document are measured together
        similarity = np.empty(len(left))
        waiting = [order]
        while waiting:
            some = waiting.pop()
            with suppress(OverflowError):  # ends before the halves are measured, because the error keeps sets alive
                similarity[some] = super().measure(plan, source, left[some], right[some], most, huge, progress=progress)
                continue
            if len(some) > 1:
                waiting += reversed(np.array_split(some, 2))
            else:
                similarity[some] = self._measured_in_parts(plan, source, left[some], right[some], most, huge)
        return similarity

    def _measured_in_parts(
        self, plan: ResolvedPlan, source: Source, left: Rows, right: Rows, most: int, huge: int
    ) -> npt.NDArray[np.float64]:
        """The exact similarity of a pair whose sets do not fit: as many parts as needed are compared."""
        plan = replace(plan, plan=replace(plan.plan, verify="exact"))
        parts = 2
        while True:
            limit = most if parts < MOST_PARTS else None
            with suppress(OverflowError):
                shared, total = overlaps(
                    self.kernel, plan, TextStore(source, 0, ahead=2 * huge), left, right, parts, limit, huge
                )
                return np.divide(shared, total, out=np.zeros(len(left)), where=total > 0)
            parts *= 2


@dataclass(eq=False)
class _Execution:
    """The stages of a run after all rows are signed, either in memory (`in_memory`) or with files (`spilled`)."""

    engine: Local
    plan: Plan
    source: Source
    store: TextStore
    signed: FirstPass
    allowance: Allowance
    clock: StageClock
    memory: int
    """The memory budget, in bytes."""
    prefer: Prefer | None = None
    """Returns the order in which rows are preferred as survivors (default: input order)."""
    cannot_match: Mask | None = None
    """Rows that can have no partner in an exact join; None if they are not known."""

    def in_memory(self) -> Answer | None:
        """Computes the answer in memory. Returns None if the candidates' sets or the listed pairs do not fit."""
        kernel, resolved = self.engine.kernel, self.signed.resolved
        lists_pairs = self.plan.goal == "pairs"
        chooses = not lists_pairs and self.plan.linkage == "star"
        rows, self.signed.rows = self.signed.rows, None  # so that their memory can be freed
        assert rows is not None
        with self.clock.stage("propose"):
            sketches = rows.sketches
            empty = sketches.flags & EMPTY != 0
            first = kernel.copies(sketches.words, empty)
            facts = RowFacts(sketches.flags, sketches.lengths, int(sketches.sizes.sum()), rows.ids)
            preferred = PreferredCopies.of(self.prefer, first, sketches.lengths) if chooses else None
            if self.plan.copies is not None:
                return self.of_copies(facts, first, preferred)
            left_out = (first != np.arange(len(first))) | empty
            if preferred is not None and preferred.first is not first:
                left_out = preferred.left_out(empty)
            if self.signed.census is not None or (resolved.exact and self.signed.parts is not None):
                self.leave_out(left_out, sketches.windows)
            if resolved.exact:  # all rows are compared with one another
                distinct = np.flatnonzero(~left_out)
                indexed = np.full(len(distinct), True)
            else:
                shared = kernel.bucketed(sketches.keys, left_out)
                distinct = np.flatnonzero(shared)
                indexed = shared[distinct] & IN_LARGE != 0
            costs = CandidateCosts.of(resolved, kernel.threads, sketches.windows[distinct])
            cost = int(costs.of_all(indexed).sum())
            whole = len(first) * whole_row(sketches.keys.shape[1], kernel.threads)
            room = max(0, self.allowance.tables - whole - self.allowance.few_texts)
            may_fit = room < cost and self.cannot_match is not None  # if most sets are left out once they are read
            if may_fit:
                cost = int(costs.of_pruning().sum())
            if self.allowance.user_set:  # while the largest set is made, it is in memory twice more
                cost += 2 * SHINGLE * int(sketches.windows[distinct].max(initial=0))
            if self.allowance.tables < self.store.held + whole + cost:
                self.store.shrink(self.allowance.few_texts)
            if room < cost:
                self.signed.rows = rows
                return None
            whole += self.allowance.few_texts
            keys = np.ascontiguousarray(sketches.keys[distinct])
            elements = int(sketches.windows[distinct].sum(dtype=np.int64))
            again = rows if may_fit or (lists_pairs and self.allowance.user_set) else None
            del rows, sketches
        with self.clock.stage("read candidates"):
            needed = distinct if self.plan.verify != "none" else distinct[:0]  # otherwise nothing is compared
            texts: TextStore | TextParts | LastTexts = self.signed.texts
            if resolved.exact and again is None and isinstance(texts, TextStore):  # nothing else reads texts again
                texts = LastTexts(texts)
            expected, huge = elements if len(needed) else 0, self.allowance.huge
            sets = load_sets(kernel, resolved, texts, needed, self.clock.progress, huge=huge, expected=expected)
            warnings: tuple[Notice, ...] = ()
            if not resolved.exact and np.count_nonzero(indexed) > boilerplate.LEAST:
                large_buckets = boilerplate.find_large_buckets(keys, np.flatnonzero(indexed)).at(distinct)
                warnings = large_buckets.warnings(resolved, texts, len(first))
        if again is None:
            self.store.close()
            if resolved.exact and sets.values.nbytes > LARGE:  # an exact join takes more memory than reading
                give_back()
        if self.cannot_match is not None and sets.values.nbytes > LARGE:  # only a sample of their elements was counted
            kept, sets = kernel.prune_sets(sets, resolved.threshold.numerator, resolved.threshold.denominator)
            keys, distinct = keys[kept], distinct[kept]
        if may_fit and room < CandidateCosts.of(resolved, kernel.threads, sets.sizes).of_all(True).sum():
            self.signed.rows = again
            return None
        builder = self.builder(facts, first, warnings)
        if preferred is not None:
            with self.clock.stage("connect"):
                most = self.allowance.pairs()
                try:
                    chosen = choose_survivors(kernel, resolved, keys, sets, preferred.among(distinct), most)
                except OverflowError:
                    raise self.allowance.too_many_pairs(self.plan) from None
                return builder.stars(*preferred.for_rows(chosen, distinct), checked=chosen.counts.checked)
        if lists_pairs:
            with self.clock.stage("verify"):
                allowance = self.allowance.less(whole).less(cost)
                try:
                    found = similar(kernel, resolved, keys, sets, most=allowance.pairs())
                    left, right = distinct[found.left], distinct[found.right]
                    self.check_copies(first, left, right, allowance)
                except OverflowError:
                    if again is None:
                        raise allowance.too_many_pairs(self.plan) from None
                    self.signed.rows = again
                    return None
                return builder.pairs(left, right, found.similarity, **found.counts.of_pairs())
        with self.clock.stage("connect"):
            near, counts = connected(kernel, resolved, keys, sets)
            label = np.arange(len(first), dtype=np.int64)
            label[distinct] = distinct[near]  # rows are ascending, so the smallest position belongs to the smallest row
            return builder.clusters(label[first], checked=counts.checked)

    def leave_out(self, left_out: Mask, windows: npt.NDArray[np.uint32]) -> None:
        """Adds the rows that can have no partner to those that are left out, if their shingles were counted.

        A run that can be resumed stores these rows, because nothing is counted again.
        """
        census, self.signed.census = self.signed.census, None
        stored = self.signed.parts.spill.parts if self.signed.parts is not None else NoParts()
        # Decisions about documents change which rows count as copies, and so which rows can have a partner.
        name = f"{LEFT_OUT}-{blake2b(np.packbits(left_out).tobytes(), digest_size=8).hexdigest()}"
        if census is not None:
            size, threshold = census.nbytes, self.signed.resolved.threshold
            with suppress(OSError):  # of the file in which it is; then all rows are compared
                self.cannot_match = ~census.can_match(windows, left_out, threshold.numerator, threshold.denominator)
                if stored.keeps:
                    stored.put(name, pa.table({"row": np.flatnonzero(self.cannot_match)}))
            del census
            if size > LARGE:  # it was in small blocks, which sets cannot use
                give_back()
        elif self.cannot_match is None and stored.keeps and (table := stored.get(name)) is not None:
            self.cannot_match = np.zeros(len(left_out), dtype=bool)
            self.cannot_match[to_numpy(table["row"])] = True
        if self.cannot_match is not None:
            left_out |= self.cannot_match

    def spilled(self) -> Answer:
        """Computes the answer with files, within the allowance, for a corpus of any size."""
        from lookalike.engines.local.spill.run import SpillingSearch  # few runs need it

        kernel, resolved, texts = self.engine.kernel, self.signed.resolved, self.signed.texts
        self.store.shrink(self.allowance.few_texts)
        signed = self.signed.in_parts(self.allowance)
        chooses = self.plan.goal == "clusters" and self.plan.linkage == "star"
        allowance = self.allowance.beside(signed.rows)
        run = SpillingSearch(kernel, resolved, signed, allowance, self.clock.progress)
        with self.clock.stage("propose"):
            give_back()  # memory freed by the previous stage
            facts = signed.facts()
            empty = facts.flags & EMPTY != 0
            first = first_copies(kernel, signed, empty, allowance.to_sort)
            preferred = PreferredCopies.of(self.prefer, first, facts.characters) if chooses else None
            if self.plan.copies is not None:
                return self.of_copies(facts, first, preferred)
            left_out = (first != np.arange(len(first))) | empty
            if preferred is not None and preferred.first is not first:
                left_out = preferred.left_out(empty)
            if resolved.exact:
                self.leave_out(left_out, signed.column("windows", np.uint32))
                run.pruned = self.cannot_match is not None
            components = run.propose(left_out)
        if self.plan.goal == "clusters" and preferred is None and self.plan.verify == "none":
            warnings = components.large_buckets.warnings(resolved, texts, len(first))
            return self.builder(facts, first, warnings).clusters(components.labels(signed.rows)[first])
        give_back()
        with self.clock.stage("read candidates"):
            place = None if preferred is None else preferred.place[preferred.best]
            candidates = run.gather(texts, components, place)
            warnings = components.large_buckets.warnings(resolved, texts, len(first))
        self.store.close()
        give_back()
        builder = self.builder(facts, first, warnings)
        if preferred is not None:
            from lookalike.engines.local.spill.stars import SpilledStars

            with self.clock.stage("connect"):
                chosen = SpilledStars(run, candidates, preferred, texts).choose()
                return builder.stars(*preferred.for_rows(chosen), checked=chosen.counts.checked)
        if self.plan.goal == "pairs":
            with self.clock.stage("verify"):
                left, right, similarity = run.pairs(candidates)
                try:
                    self.check_copies(first, left, right, allowance)
                except OverflowError:
                    raise allowance.too_many_pairs(self.plan) from None
                return builder.pairs(left, right, similarity, **run.counts.of_pairs())
        with self.clock.stage("connect"):
            return builder.clusters(run.labels(candidates)[first], checked=run.counts.checked)

    def of_copies(self, facts: RowFacts, first: Rows, preferred: PreferredCopies | None) -> Answer:
        """Computes the answer if only copies are removed: no sets are compared."""
        assert preferred is not None
        chosen = among_copies(self.engine.kernel, preferred, first)
        return self.builder(facts, first, ()).stars(*preferred.for_rows(chosen))

    def check_copies(self, first: Rows, left: Rows, right: Rows, allowance: Allowance) -> None:
        """Raises OverflowError if these pairs and the pairs of their copies would exceed the user's budget.

        If the user set no budget, `unfold_pairs` checks the general limit.
        """
        if self.plan.goal == "pairs" and allowance.user_set and unfolded(first, left, right) > allowance.pairs():
            raise OverflowError

    def builder(self, facts: RowFacts, first: Rows, warnings: tuple[Notice, ...]) -> AnswerBuilder:
        signed, engine = self.signed, self.engine
        facts = replace(facts, malformed=signed.malformed, warnings=signed.warnings + warnings)
        seconds, memory = self.clock.seconds, self.memory
        return AnswerBuilder(engine.name, engine.kernel, signed.resolved, self.source, facts, first, seconds, memory)
