"""Warns about buckets or clusters of very many documents, and quotes the shingles that these share.

Usually, such shingles are boilerplate, which does not distinguish documents. With bands, they cause large buckets,
which are not compared pair by pair, but still take time. In an exact join, they can cause a large cluster.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.engines.stages.arrows import Texts
from lookalike.flow.arrays import Hashes, Rows
from lookalike.io.row_texts import FAR, read_texts
from lookalike.io.source import Source
from lookalike.notices import Notice
from lookalike.planning.resolve import ResolvedPlan
from lookalike.text.spans import cut

LEAST = 10_000
"""Buckets and clusters with more documents than this are reported. Texts with the same words count once."""

SAMPLED = 40
"""The maximum number of members of the largest bucket or cluster whose texts are read."""

NAMED = 3
"""The maximum number of shingles quoted in the warning."""

SHOWN = 60
"""The maximum number of characters quoted per shingle."""


@dataclass(frozen=True)
class LargeBuckets:
    """The number of buckets with more than LEAST documents, and the size and some members of the largest."""

    buckets: int = 0
    largest: int = 0
    members: list[int] = field(default_factory=list)

    def with_buckets(self, members: npt.NDArray[np.integer], starts: Rows) -> LargeBuckets:
        """Returns a copy with more buckets, where bucket i is `members[starts[i]:starts[i + 1]]`.

        Their order is irrelevant.
        """
        sizes = np.diff(starts)
        found = int(np.count_nonzero(sizes > LEAST))
        if not found:
            return self
        most = int(sizes.max())
        largest = [np.sort(members[starts[i] : starts[i + 1]]) for i in np.flatnonzero(sizes == most)]
        rows = min(largest, key=lambda rows: int(rows[0]))
        if (-most, int(rows[0])) >= (-self.largest, self.members[0] if self.members else 0):
            return LargeBuckets(self.buckets + found, self.largest, self.members)
        chosen = rows[np.linspace(0, most - 1, min(SAMPLED, most)).astype(np.int64)]
        return LargeBuckets(self.buckets + found, most, chosen.tolist())

    def at(self, rows: Rows) -> LargeBuckets:
        """Returns a copy in which each member, a position in `rows`, is replaced by the row at that position."""
        return LargeBuckets(self.buckets, self.largest, rows[self.members].tolist()) if self.buckets else self

    def warnings(self, plan: ResolvedPlan, texts: Texts, documents: int) -> tuple[Notice, ...]:
        """Returns a warning if there are large buckets."""
        if not self.buckets:
            return ()
        members = [some.to_pylist()[0] for row in self.members for some in texts.documents(row, row + 1)]
        facts = {"buckets": self.buckets, "least": LEAST, "largest": self.largest}
        return (Notice("large-buckets", **facts, **_shared_shingles(members, plan, self.largest / documents)),)

    def to_json(self) -> str:
        return json.dumps([self.buckets, self.largest, self.members])

    @classmethod
    def from_json(cls, text: str | bytes) -> LargeBuckets:
        return cls(*json.loads(text))


def find_large_buckets(keys: Hashes, rows: Rows) -> LargeBuckets:
    """Finds the large buckets among these rows, in all bands."""
    large_buckets = LargeBuckets()
    if len(rows) <= LEAST:
        return large_buckets
    for band in range(keys.shape[1]):
        column = keys[rows, band]
        order = np.argsort(column, kind="stable")
        starts = np.concatenate([[0], np.flatnonzero(np.diff(column[order])) + 1, [len(rows)]])
        large_buckets = large_buckets.with_buckets(rows[order], starts)
    return large_buckets


def large_cluster_warnings(labels: Rows, first: Rows, plan: ResolvedPlan, source: Source) -> tuple[Notice, ...]:
    """Returns a warning if a cluster has more than LEAST documents. `first` is the first copy of each row.

    The members whose texts are read are close together in the source, if possible, so that most of it is skipped.
    """
    if len(labels) <= LEAST:
        return ()
    sizes = np.bincount(labels)
    if sizes.max() <= LEAST:
        return ()
    distinct = first == np.arange(len(first))
    sizes = np.bincount(labels[distinct])
    largest = int(sizes.max())
    if largest <= LEAST:
        return ()
    members = np.flatnonzero(distinct & (labels == sizes.argmax()))
    close = members[: max(int(np.searchsorted(members, members[0] + FAR)), SAMPLED)]
    chosen = close[np.linspace(0, len(close) - 1, SAMPLED).astype(np.int64)]
    texts = list(read_texts(source, chosen).values())
    return (Notice("large-cluster", largest=largest, **_shared_shingles(texts, plan, largest / len(labels))),)


def _shared_shingles(texts: list[Any], plan: ResolvedPlan, share: float) -> dict[str, Any]:
    """Quotes shingles that most of these documents have in common. The documents are members of a large group.

    If they are dissimilar without these shingles, the value of `ignore_common` that excludes them is added. They occur
    in more than half of the group, so half of its share of all documents is low enough.
    """
    sets: list[set[int]] = []
    found: dict[int, tuple[int, str]] = {}
    for text in texts:
        one = cut(text, plan.shingles)
        values, first = np.unique(one.values, return_index=True)
        sets.append(set(values.tolist()))
        for value, i in zip(values.tolist(), first.tolist(), strict=True):
            found.setdefault(value, (i, one.text[one.starts[i] : one.ends[i]]))
    counts = Counter(value for one_set in sets for value in one_set)
    often = {value for value, count in counts.items() if 2 * count > len(sets)}
    order = sorted(often, key=lambda value: (-counts[value], found[value][0]))
    shingles = _not_overlapping([found[value] for value in order], getattr(plan.shingles, "k", 3))
    threshold = float(plan.threshold)
    before, after = (_similar_pairs(some, threshold) for some in (sets, [one_set - often for one_set in sets]))
    helps = bool(often) and 2 * after <= before
    return {"shingles": shingles or None, "share": _rounded_down(share / 2) if helps else None}


def _similar_pairs(sets: list[set[int]], threshold: float) -> int:
    """Counts the pairs of sets whose Jaccard similarity reaches the threshold."""
    return sum(bool(a and b) and len(a & b) >= threshold * len(a | b) for a, b in combinations(sets, 2))


def _rounded_down(share: float) -> str:
    """Returns a share with two significant digits, not rounded up, as a decimal number."""
    digits = 1 - math.floor(math.log10(share))
    return f"{math.floor(share * 10**digits) / 10**digits:.{digits}f}".rstrip("0")


def _not_overlapping(shingles: list[tuple[int, str]], k: int) -> list[str]:
    """Quotes up to NAMED shingles, given by their places and texts. Skips those that overlap the one before."""
    shown: list[str] = []
    last = -(10**9)
    for place, text in shingles:
        if abs(place - last) >= k and len(shown) < NAMED:
            shown.append(_quoted(text))
            last = place
    return shown


def _quoted(text: str) -> str:
    text = " ".join(text.split())
    return f"“{text if len(text) <= SHOWN else text[: SHOWN - 1] + '…'}”"
