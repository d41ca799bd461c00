"""Finds the N most similar pairs of a corpus, without a threshold, and exactly: `find_pairs(data, top=N)`.

First, the engine finds all pairs above a high threshold. If there are fewer than N, the local engine keeps the sets in
memory and joins them at lower and lower thresholds (`joins/most_similar.py`). If the sets do not fit, and with other
engines, the whole run is repeated at lower thresholds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from lookalike.engines.base import Answer
from lookalike.engines.stages.copies import unfold_pairs, unfolded
from lookalike.engines.stages.memory import COUNTED, POSTED, SHINGLE
from lookalike.errors import InvalidOption
from lookalike.flow import Shingles
from lookalike.flow.arrays import Rows
from lookalike.flow.checks import check_whole
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import PLACES, Threshold
from lookalike.io.source import Source
from lookalike.joins.blocks import put_together
from lookalike.joins.measures import Jaccard
from lookalike.joins.most_similar import SMALLEST, STEPS, most_similar_pairs
from lookalike.joins.sets import rows_of
from lookalike.joins.source_sets import Cutting
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.pairs import MOST_PAIRS, Pairs
from lookalike.storage.budget import Budget

FIRST = Fraction("0.9")
"""The threshold of the first run."""

CLOSEST = Fraction(1, 10**6)
"""The search between a threshold with too few pairs and one with too many ends at this difference."""

TOO_MANY = ("too-many-pairs", "pairs-exceed-memory")

NOT_WITH_TOP = {
    "method": ("lsh",),
    "verify": ("signature", "none"),
    "work": None,
    "resume": (True,),
    "audit": (True,),
    "forecast": (True,),
    "keep_work": (True,),
    "bands": None,
    "rows": None,
}
"""Options that cannot be combined with `top`, and the values for which this is so; None stands for all values."""

Answering = Callable[[Plan], Answer]


def check_top(options: Mapping[str, Any]) -> int:
    """Checks `top` and the options beside it, and returns `top`."""
    top: int = options["top"]
    check_whole("top", top, 1, MOST_PAIRS)
    for name, values in NOT_WITH_TOP.items():
        value = options.get(name)
        if value is not None and (values is None or value in values):
            raise InvalidOption("not-with-top", option=name)
    if options.get("recall") not in (None, 1):
        raise InvalidOption("not-with-top", option="recall")
    return top


def exact_plan(plan: Plan, threshold: Threshold) -> Plan:
    """Returns the plan for an exact join at this threshold."""
    if plan.verify != "exact":
        raise InvalidOption("not-with-top", option="verify")
    return replace(plan, threshold=threshold, recall=1.0, method="exact", bands=None, rows=None)


class TopPairs:
    """The search for the `top` most similar pairs with a similarity of at least `least`."""

    def __init__(self, top: int, least: Fraction, engine: Any, source: Source, progress: Progress) -> None:
        self.top = top
        self.least = least
        self.engine = engine
        self.source = source
        self.progress = progress

    def find(self, plan: Plan, answering: Answering) -> Answer:
        """Returns an answer with the best pairs. `answering` runs a plan."""
        if self.engine.name == "reference":  # it compares all pairs at any threshold
            return self._chosen(answering(exact_plan(plan, _decimal(self.least))))
        first = max(FIRST, self.least)
        try:
            answer = answering(exact_plan(plan, _decimal(first)))
        except InvalidOption as error:
            if error.code not in TOO_MANY:
                raise
            if self.engine.name != "local":
                return self._between(plan, answering, first, Fraction(1), error)
            # nothing but the copies and the counts of this run is used
            answer = answering(replace(exact_plan(plan, _decimal(Fraction(1))), goal="clusters", linkage="connected"))
        else:
            assert answer.pairs is not None
            if len(answer.pairs) >= self.top or first == self.least:
                return self._chosen(answer)
        below = Fraction(1) if answer.pairs is None else first
        found = self._joined(answer, below) if self.engine.name == "local" else below
        return found if isinstance(found, Answer) else self._repeated(plan, answering, found)

    def _repeated(self, plan: Plan, answering: Answering, below: Fraction) -> Answer:
        """Runs the plan at lower and lower thresholds."""
        above = Fraction(1)
        for step in [step for step in STEPS if self.least < step <= below] + [self.least]:
            try:
                answer = answering(exact_plan(plan, _decimal(step)))
            except InvalidOption as error:
                if error.code not in TOO_MANY:
                    raise
                return self._between(plan, answering, step, above, error)
            assert answer.pairs is not None
            if len(answer.pairs) >= self.top:
                break
            above = step
        return self._chosen(answer)

    def _between(
        self, plan: Plan, answering: Answering, too_low: Fraction, too_high: Fraction, error: InvalidOption
    ) -> Answer:
        """Searches for a threshold that neither too few nor too many pairs reach."""
        while too_high - too_low > CLOSEST:
            middle = (too_low + too_high) / 2
            try:
                answer = answering(exact_plan(plan, _decimal(middle)))
            except InvalidOption as again:
                if again.code not in TOO_MANY:
                    raise
                too_low = middle
                continue
            assert answer.pairs is not None
            if len(answer.pairs) >= self.top:
                return self._chosen(answer)
            too_high = middle
        raise error

    def _joined(self, answer: Answer, below: Fraction) -> Answer | Fraction:
        """Keeps the sets of distinct documents in memory, and joins them.

        Returns a threshold if that takes too much memory; fewer than `top` pairs are then known to exceed it.
        """
        assert answer.copy_of is not None
        first, budget, threads = answer.copy_of, Budget.of(self.engine.memory), self.engine.threads
        distinct = np.flatnonzero(first == np.arange(len(first)))
        free = budget.free()
        sets = self._sets(answer.plan, distinct, free // (2 * SHINGLE), threads)
        if sets is None:
            return below
        fits = free - sets.values.nbytes

        def may_join(some: Shingles, threshold: Fraction) -> bool:
            each = SHINGLE + COUNTED + POSTED * (1 - threshold)
            return len(some.values) * each < fits

        self.progress("verify", 0, None)
        best = most_similar_pairs(sets, self.top, below=below, least=self.least, threads=threads, may_join=may_join)
        if isinstance(best, Fraction):
            return best
        similarity = Jaccard(1).similarity(sets.sizes[best.left], sets.sizes[best.right], best.overlap)
        found = best_of_rows(first, distinct[best.left], distinct[best.right], similarity, self.top)
        pairs = Pairs(*found, answer.plan.threshold, len(first), answer.ids, answer.summary)
        return self._chosen(replace(answer, pairs=pairs, clusters=None))

    def _sets(self, plan: ResolvedPlan, rows: Rows, most: int, threads: int) -> Shingles | None:
        """Reads the sets of the given rows; None if they have more than `most` elements."""
        cutting = Cutting(self.source, plan.shingles, threads=threads, progress=self.progress, stage="read candidates")
        tables, elements = [], 0
        with closing(cutting.tables()) as whole:
            for table in whole:
                here = rows[np.searchsorted(rows, table.start) : np.searchsorted(rows, table.start + len(table))]
                chosen = rows_of(table, here - table.start)
                elements += len(chosen.values)
                if elements > most:
                    return None
                tables.append(Shingles(chosen.offsets, chosen.values))
        return put_together(tables)

    def _chosen(self, answer: Answer) -> Answer:
        """Returns the answer with the best of its pairs, and a plan whose threshold all of these reach."""
        assert answer.pairs is not None and answer.pairs.similarity is not None
        similarity, threshold = answer.pairs.similarity, _decimal(self.least)
        warnings = answer.summary.warnings
        if len(similarity) < self.top:
            facts = {"found": len(similarity), "top": self.top}
            if self.least == SMALLEST:
                warnings += (Notice("fewer-pairs-than-top", **facts),)
            else:
                warnings += (Notice("fewer-pairs-at-threshold", **facts, least=str(threshold)),)
            order = np.arange(len(similarity))
        else:
            order = np.sort(np.argsort(-similarity, kind="stable")[: self.top])
            threshold = max(threshold, _threshold_reached(float(similarity[order].min())))
        plan = replace(answer.plan, plan=replace(exact_plan(answer.plan.plan, threshold), goal="pairs", linkage=None))
        counts: dict[str, Any] = {"pairs": len(order), "clusters": None, "clustered": 0}
        summary = replace(answer.summary, plan=plan.to_toml(), warnings=warnings, **counts)
        pairs = replace(answer.pairs._chosen(order), threshold=threshold, limit=self.top, summary=summary)
        return replace(answer, plan=plan, pairs=pairs, clusters=None, summary=summary)


def best_of_rows(first: Rows, left: Rows, right: Rows, similarity: Any, top: int) -> tuple[Rows, Rows, Any]:
    """Returns the `top` best pairs of all rows, given the `top` best pairs of distinct documents.

    `first[row]` is the first row with the same words. All pairs of such rows have similarity 1. The result is ordered
    by (left, right).

    >>> left, right, similarity = best_of_rows(np.array([0, 1, 0]), np.array([0]), np.array([1]), np.array([0.5]), 2)
    >>> left.tolist(), right.tolist(), similarity.tolist()
    ([0, 0], [1, 2], [0.5, 1.0])
    """
    if unfolded(first, left, right) <= 4 * top + (1 << 20):
        pairs = unfold_pairs(first, left, right, similarity)
    else:
        pairs = _smallest_of_rows(first, left, right, similarity, top)
    lefts, rights, values = pairs
    assert values is not None
    best = np.lexsort((rights, lefts, -values))[:top]
    best = best[np.lexsort((rights[best], lefts[best]))]
    return lefts[best], rights[best], values[best]


def _smallest_of_rows(first: Rows, left: Rows, right: Rows, similarity: Any, top: int) -> tuple[Rows, Rows, Any]:
    """Converts pairs of distinct documents to pairs of rows, without listing all pairs of large groups of copies."""
    members = np.argsort(first, kind="stable")
    sizes = np.bincount(first, minlength=len(first))
    starts = np.cumsum(sizes) - sizes
    groups = np.flatnonzero(sizes > 1)
    ones, others = np.concatenate([groups, left]), np.concatenate([groups, right])
    values = np.concatenate([np.ones(len(groups)), similarity])
    parts: list[tuple[Rows, Rows, Any]] = []
    listed, before, check, value = 0, 0, top, 2.0
    for place in np.lexsort((others, ones, -values)):
        a, b = int(ones[place]), int(others[place])
        if values[place] < value:  # all further pairs are less similar
            if listed >= top:
                break
            before, value = len(parts), float(values[place])
        elif listed >= check:  # the pairs of two groups never come before the pair of their first members
            check = 2 * listed
            lefts = np.concatenate([part[0] for part in parts[before:]])
            missing = top - (listed - len(lefts))
            if np.partition(lefts, missing - 1)[missing - 1] < a:
                break
        one, two = (members[starts[group] : starts[group] + min(int(sizes[group]), top + 1)] for group in (a, b))
        lefts, rights = _smallest_within(one, top) if a == b else _smallest_between(one, two, top)
        parts.append((lefts, rights, np.full(len(lefts), value)))
        listed += len(lefts)
    lefts, rights, values = (np.concatenate(column) for column in zip(*parts, strict=True))
    return lefts, rights, values


def _smallest_within(members: Rows, top: int) -> tuple[Rows, Rows]:
    """Returns at least the `top` smallest pairs of members; all pairs if there are fewer."""
    partners = np.arange(len(members) - 1, -1, -1)
    partners = partners[: int(np.searchsorted(np.cumsum(partners), top)) + 1]
    i = np.repeat(np.arange(len(partners)), partners)
    j = i + 1 + np.arange(len(i)) - np.repeat(np.cumsum(partners) - partners, partners)
    return members[i], members[j]


def _smallest_between(one: Rows, two: Rows, top: int) -> tuple[Rows, Rows]:
    """Returns at least the `top` smallest pairs of a member of each group; all pairs if there are fewer.

    The pair of the i-th and the j-th member comes after the other i·j - 1 pairs of the first i and the first j members.
    So it is needed only if i·j is at most `top`.
    """
    partners = np.minimum(len(two), top // np.arange(1, len(one) + 1))
    i = np.repeat(np.arange(len(one)), partners)
    j = np.arange(len(i)) - np.repeat(np.cumsum(partners) - partners, partners)
    return np.minimum(one[i], two[j]), np.maximum(one[i], two[j])


def _decimal(value: Fraction) -> Threshold:
    """Converts a fraction to a threshold. Fractions with more places are rounded down."""
    whole = value.numerator * 10**PLACES // value.denominator
    return Threshold(f"{whole // 10**PLACES}.{whole % 10**PLACES:0{PLACES}d}")


def _threshold_reached(similarity: float) -> Threshold:
    """Returns the highest threshold that this similarity reaches: the similarity rounded down, unless it is decimal."""
    rounded = Threshold(similarity)
    return rounded if float(rounded) <= similarity else _decimal(rounded.value - SMALLEST)
