"""The counts of a result that the terminal and the report show."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.results.clusters import Clusters
from lookalike.results.deduped import Deduped
from lookalike.results.pairs import Pairs


@dataclass(frozen=True)
class Overview:
    """The counts of a run, as shown in the terminal and in the report."""

    documents: int
    copies: int
    near: int
    """The number of near-duplicates: documents, other than exact copies, that would be removed."""
    clusters: int
    clustered: int
    sizes: tuple[tuple[int, int], ...]
    """Pairs of a cluster size, two or more, and the number of clusters of that size."""
    largest: tuple[int, ...]
    """The sizes of the five largest clusters, or of all if there are fewer."""
    pairs: int | None = None
    kept: int | None = None
    removed: int | None = None
    reference: int | None = None
    """The number of reference documents; None if there is no reference."""
    known: int | None = None
    """The number of documents that were removed because a reference document was kept in their place."""

    @property
    def distinct(self) -> int:
        """The number of documents that remain if one per cluster is kept."""
        return self.documents - self.copies - self.near


def clusters_of(result: Pairs | Clusters | Deduped) -> Clusters:
    """Returns the clusters of a result; for pairs, their connected components."""
    if isinstance(result, Deduped):
        return result.clusters
    if isinstance(result, Clusters):
        return result
    return result.clusters()


def overview(result: Pairs | Clusters | Deduped, clusters: Clusters | None = None) -> Overview:
    """Computes the counts of a result. `clusters` are its clusters, if they are already known."""
    clusters = clusters_of(result) if clusters is None else clusters
    sizes = [(size, count) for size, count in clusters.sizes().items() if size >= 2]
    groups, clustered = sum(count for _, count in sizes), sum(size * count for size, count in sizes)
    largest = [size for size, count in reversed(sizes) for _ in range(min(count, 5))][:5]
    copies = result.summary.exact_copies
    reference = known = None
    if isinstance(result, Deduped) and "kept_in" in result.removed.column_names:
        reference, known = result.reference, result.removed["kept_in"].to_pylist().count("against")
    return Overview(
        documents=len(clusters.labels),
        copies=copies,
        near=max(0, clustered - groups - copies),
        clusters=groups,
        clustered=clustered,
        sizes=tuple(sizes),
        largest=tuple(largest),
        pairs=len(result) if isinstance(result, Pairs) else None,
        kept=len(result.kept_rows) if isinstance(result, Deduped) else None,
        removed=result.removed.num_rows if isinstance(result, Deduped) else None,
        reference=reference,
        known=known,
    )
