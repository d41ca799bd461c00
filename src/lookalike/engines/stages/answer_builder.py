"""Creates an engine's answer: adds texts with the same words again, counts, and measures the stages.

Shared by engines with a kernel.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.base import Answer
from lookalike.engines.stages import boilerplate
from lookalike.engines.stages.copies import unfold_pairs
from lookalike.flow import Chars, Documents
from lookalike.flow.arrays import Rows, take, to_numpy
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress
from lookalike.flow.sketches import EMPTY, FALLBACK, SHORT
from lookalike.io.source import Source
from lookalike.kernel.protocol import Kernel
from lookalike.notices import Notice
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.clusters import Clusters, star_labels
from lookalike.results.pairs import Pairs
from lookalike.results.summary import Summary

MANY_IDS = 1 << 20
"""If there are at least this many ids, they are first compared by hash."""

WHOLE = Chars(10_000, whitespace="keep", case="keep", normalize="none")
"""A shingling that leaves texts unchanged and turns a text of up to 10,000 characters into a single shingle."""


@dataclass
class StageClock:
    """Measures the wall time of each stage, and reports the start of each stage as progress."""

    progress: Progress
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        self.progress(name, 0, None)
        began = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = time.perf_counter() - began


@dataclass(frozen=True, eq=False)
class RowFacts:
    """Facts about all rows from the first pass: flags, lengths and ids, and the total size of the texts."""

    flags: npt.NDArray[np.uint8]
    characters: Rows
    bytes: int
    ids: pa.Array | None
    malformed: int = 0
    warnings: tuple[Notice, ...] = ()

    def __len__(self) -> int:
        return len(self.flags)


@dataclass(frozen=True, eq=False)
class AnswerBuilder:
    """Creates an answer of pairs (`pairs`), clusters (`clusters`) or star clusters (`stars`)."""

    engine: str
    kernel: Kernel
    plan: ResolvedPlan
    source: Source
    facts: RowFacts
    first: Rows
    """For each row, the first row with the same words, or the row itself."""
    seconds: dict[str, float]
    memory: int = 0
    """The memory budget, in bytes."""

    def pairs(self, left: Rows, right: Rows, similarity: npt.NDArray[np.float64] | None, **counts: Any) -> Answer:
        """Creates an answer of pairs from the similar pairs of distinct documents."""
        warnings: tuple[Notice, ...] = ()
        if self._joined and len(left) >= boilerplate.LEAST:  # fewer pairs connect fewer documents
            warnings = self._about_clusters(self.kernel.connect(len(self.first), left, right))
        found = unfold_pairs(self.first, left, right, similarity)
        summary = self._summary(warnings, pairs=len(found[0]), **counts)
        rows, ids = len(self.first), self.facts.ids
        pairs = Pairs(*found, self.plan.threshold, rows, ids, summary)
        return Answer(self.plan, summary, ids, pairs, lengths=self.facts.characters, copy_of=self.first)

    def clusters(self, labels: Rows, **counts: Any) -> Answer:
        """Creates an answer of clusters from the label of each row."""
        ids = self.facts.ids
        sizes = np.bincount(labels)
        groups = sizes[sizes >= 2]
        is_large = groups.max(initial=0) > boilerplate.LEAST
        warnings = self._about_clusters(labels) if is_large and self._joined else ()
        summary = self._summary(warnings, clusters=len(groups), clustered=int(groups.sum()), **counts)
        clusters = Clusters(labels, ids=ids, summary=summary)
        return Answer(self.plan, summary, ids, clusters=clusters, lengths=self.facts.characters, copy_of=self.first)

    def stars(self, survivors: Rows, similarity: npt.NDArray[np.float64], **counts: Any) -> Answer:
        """Creates an answer of star clusters from the survivor of each row, and the row's similarity to it."""
        answer = self.clusters(star_labels(survivors), **counts)
        exact = self.plan.plan.verify == "exact"
        return replace(answer, survivors=survivors, similarity=similarity if exact else None)

    @property
    def _joined(self) -> bool:
        """True if sets were compared by an exact join, which has no buckets to warn of."""
        return self.plan.exact and self.plan.plan.verify == "exact" and self.plan.plan.copies is None

    def _about_clusters(self, labels: Rows) -> tuple[Notice, ...]:
        return boilerplate.large_cluster_warnings(labels, self.first, self.plan, self.source)

    def _summary(self, found: tuple[Notice, ...] = (), **counts: Any) -> Summary:
        facts, warnings = self.facts, self.facts.warnings + found
        if facts.ids is not None and (repeated := repeats(self.kernel, facts.ids)):
            warnings += (Notice("duplicate-ids", source=None, repeated=repeated, rows=len(facts.ids)),)
        return Summary(
            documents=len(self.first),
            empty=int(np.count_nonzero(facts.flags & EMPTY)),
            malformed=facts.malformed,
            short=int(np.count_nonzero(facts.flags & SHORT)),
            fallback=int(np.count_nonzero(facts.flags & FALLBACK)),
            same_words=int(np.count_nonzero(self.first != np.arange(len(self.first)))),
            bytes=facts.bytes,
            seconds=self.seconds,
            memory=self.memory,
            warnings=warnings,
            shingles=str(self.plan.shingles),
            plan=self.plan.to_toml(),
            verified=self.plan.plan.verify,
            engine=self.engine,
            **counts,
        )


def repeats(kernel: Kernel, ids: pa.Array) -> int:
    """Returns the number of ids that repeat an earlier id. If there are many, only ids that share a hash are compared.

    A table of all ids would take a hundred bytes per id, while a hash takes eight.
    """
    import pyarrow.compute as pc  # not on top: see flow/arrays.py

    if len(ids) >= MANY_IDS:
        hashes = _hashes(kernel, ids)
        order = np.sort(hashes)
        shared = distinct(order[1:][order[1:] == order[:-1]])
        ids = take(ids, np.flatnonzero(np.isin(hashes, shared)))
    return int(len(ids) - pc.count_distinct(ids).as_py())


def _hashes(kernel: Kernel, ids: pa.Array) -> npt.NDArray[np.uint64]:
    """Returns a hash of each id. Equal ids have equal hashes; different ids rarely do."""
    if pa.types.is_integer(ids.type):
        return to_numpy(ids).astype(np.uint64)
    hashes = np.zeros(len(ids), dtype=np.uint64)
    for start in range(0, len(ids), 1 << 16):
        sets = kernel.shingle(Documents(ids[start : start + (1 << 16)]), WHOLE)
        alone = np.flatnonzero(sets.sizes == 1)  # empty and very long ids keep hash 0, and are compared
        hashes[start + alone] = sets.values[sets.offsets[alone]]
    return hashes
