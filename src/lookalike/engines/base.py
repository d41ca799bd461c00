"""The protocol of engines: five arrows on small tables, and `run`, the whole search. Both give the same answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow import Candidates, Documents, Shingles, Signatures
from lookalike.flow.progress import Progress
from lookalike.flow.stars import star_labels
from lookalike.io.source import Source
from lookalike.planning.plan import Linkage, Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results import Clusters, Pairs, Summary
from lookalike.storage.parts import Parts


@dataclass(frozen=True, eq=False)
class Answer:
    """Pairs or clusters found by an engine, depending on the goal of the plan. Verbs build their results from it."""

    plan: ResolvedPlan
    summary: Summary
    ids: pa.Array | None = None
    pairs: Pairs | None = None
    clusters: Clusters | None = None
    lengths: npt.NDArray[np.int64] | None = None
    """Characters per text, for the rules `longest` and `shortest`."""
    copy_of: npt.NDArray[np.int64] | None = None
    """The first exact copy of each row; a row without an earlier copy is its own. None if not kept."""
    edges: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]] | None = None
    """Only under star linkage: the similar pairs of distinct rows. Clusters prefer earlier rows as representatives,
    unless `with_preference` changes that."""

    def with_preference(self, preference: npt.NDArray[np.int64]) -> Answer:
        """The answer with other star clusters: rows with smaller values are preferred as representatives."""
        if self.edges is None or self.clusters is None:
            return self
        rows = np.arange(len(self.clusters.labels), dtype=np.int64)
        copy_of = rows if self.copy_of is None else self.copy_of
        clusters = replace(self.clusters, labels=star_labels(preference, *self.edges, copy_of))
        groups = [(size, many) for size, many in clusters.sizes().items() if size >= 2]
        counts = {"clusters": len(clusters), "clustered": sum(size * many for size, many in groups)}
        return replace(self, clusters=clusters).with_summary(**counts)

    def with_summary(self, **facts: Any) -> Answer:
        """The answer with some entries of its summary changed, also in its pairs and clusters."""
        summary = replace(self.summary, **facts)
        pairs = None if self.pairs is None else replace(self.pairs, summary=summary)
        clusters = None if self.clusters is None else replace(self.clusters, summary=summary)
        return replace(self, summary=summary, pairs=pairs, clusters=clusters)


class Engine(Protocol):
    """Carries out plans. `lookalike.testing.check_engine` holds any engine to this contract."""

    name: str

    # The arrows: for teaching, experiments and tests.

    def shingle(self, documents: Documents, plan: ResolvedPlan) -> Shingles:
        """Texts → sets."""
        ...

    def sign(self, shingles: Shingles, plan: ResolvedPlan) -> Signatures:
        """Sets → signatures."""
        ...

    def propose(self, signatures: Signatures, plan: ResolvedPlan) -> Candidates:
        """Signatures → candidates. Signatures of empty sets (all slots at 2⁶⁴ − 1) propose nothing."""
        ...

    def verify(self, candidates: Candidates, shingles: Shingles, signatures: Signatures, plan: ResolvedPlan) -> Pairs:
        """Candidates → pairs, by the plan's `verify`: exact (compares sets), signature or none."""
        ...

    def connect(self, pairs: Pairs, linkage: Linkage = "connected") -> Clusters:
        """Pairs → clusters: connected components, or stars that prefer earlier rows as representatives."""
        ...

    # The whole search.

    def run(self, plan: Plan, source: Source, parts: Parts, progress: Progress | None = None) -> Answer:
        """Runs all stages, streaming the source. Finished stages are kept in `parts`."""
        ...

    def measure(
        self, plan: ResolvedPlan, source: Source, left: npt.NDArray[np.int64], right: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """The exact similarities of the given pairs of rows, however small."""
        ...
