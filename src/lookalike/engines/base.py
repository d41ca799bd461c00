"""The engine protocol: five arrows for small tables, and `run` for the whole search. Both give the same answers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.flow import Candidates, Documents, Shingles, Signatures
from lookalike.flow.preference import Prefer
from lookalike.flow.progress import Progress
from lookalike.io.source import Source
from lookalike.planning.plan import Linkage, Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.results.clusters import Clusters
from lookalike.results.pairs import Pairs
from lookalike.results.summary import Summary
from lookalike.storage.parts import Parts


@dataclass(frozen=True, eq=False)
class Answer:
    """The pairs or clusters that an engine found, depending on the plan's goal. Verbs create their results from it."""

    plan: ResolvedPlan
    summary: Summary
    ids: pa.Array | None = None
    pairs: Pairs | None = None
    clusters: Clusters | None = None
    lengths: npt.NDArray[np.int64] | None = None
    """The number of characters in each text, for the rules `longest` and `shortest`."""
    copy_of: npt.NDArray[np.int64] | None = None
    """For each row, the first row with the same words in the same order, or the row itself. None if not recorded."""
    survivors: npt.NDArray[np.int64] | None = None
    """For each row, the row that is kept in its place, or the row itself. Only set for star linkage."""
    similarity: npt.NDArray[np.float64] | None = None
    """The exact similarity of each row to its survivor; None if it was not computed."""

    def with_summary(self, **facts: Any) -> Answer:
        """Returns a copy with some fields of the summary replaced, also in the summaries of its pairs and clusters."""
        summary = replace(self.summary, **facts)
        pairs = None if self.pairs is None else replace(self.pairs, summary=summary)
        clusters = None if self.clusters is None else replace(self.clusters, summary=summary)
        return replace(self, summary=summary, pairs=pairs, clusters=clusters)


class Engine(Protocol):
    """Carries out plans. `lookalike.testing.check_engine` checks that an engine fulfils this contract."""

    name: str

    # The arrows: for teaching, experiments and tests.

    def shingle(self, documents: Documents, plan: ResolvedPlan) -> Shingles:
        """Cuts texts into sets of shingles."""
        ...

    def sign(self, shingles: Shingles, plan: ResolvedPlan) -> Signatures:
        """Computes the signatures of sets."""
        ...

    def propose(self, signatures: Signatures, plan: ResolvedPlan) -> Candidates:
        """Finds candidate pairs from signatures.

        Signatures of empty sets (all slots at 2⁶⁴ − 1) are in no candidate pair.
        """
        ...

    def verify(self, candidates: Candidates, shingles: Shingles, signatures: Signatures, plan: ResolvedPlan) -> Pairs:
        """Selects the similar candidates.

        The plan's `verify` sets the method: exact (compares sets), signature or none.
        """
        ...

    def connect(self, pairs: Pairs, linkage: Linkage = "connected") -> Clusters:
        """Groups pairs into clusters: connected components, or stars that prefer earlier rows as representatives."""
        ...

    # The whole search.

    def run(
        self,
        plan: Plan,
        source: Source,
        parts: Parts,
        progress: Progress | None = None,
        prefer: Prefer | None = None,
    ) -> Answer:
        """Runs all stages, streaming the source. Finished stages are kept in `parts`.

        With star linkage, `prefer` returns the order in which rows are preferred as survivors (default: input order).
        """
        ...

    def measure(
        self,
        plan: ResolvedPlan,
        source: Source,
        left: npt.NDArray[np.int64],
        right: npt.NDArray[np.int64],
        *,
        progress: Progress | None = None,
    ) -> npt.NDArray[np.float64]:
        """Measures the exact similarity of each given pair of rows, even if it is below the threshold.

        Progress is reported as part of the stage `keep`, which needs these similarities.
        """
        ...

    def losses(
        self,
        plan: ResolvedPlan,
        source: Source,
        removed: npt.NDArray[np.int64],
        kept: npt.NDArray[np.int64],
        lengths: npt.NDArray[np.int64],
        *,
        progress: Progress | None = None,
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
        """Compares removed rows with the rows kept in their place. Reads both again.

        Returns, for each pair, whether the bytes are equal, and how many characters (in lists: tokens) of the removed
        document lie in shingles that the kept one lacks; −1 for texts that are too large for the memory budget.
        `lengths` are those of all rows.
        """
        ...
