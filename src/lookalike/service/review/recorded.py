"""What a saved result has recorded about similarities. It is shown even if the input cannot be read."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from lookalike.flow.arrays import Rows, ids_of
from lookalike.results.clusters import Clusters
from lookalike.results.deduped import Deduped
from lookalike.results.pairs import Pairs
from lookalike.service.review.corpus import Known, Similarities
from lookalike.service.review.groups import Groups


class Recorded:
    """The similarities of removed documents to those kept, or those of pairs."""

    def __init__(self, result: Deduped | Clusters | Pairs, clusters: Clusters) -> None:
        self._result, self._clusters = result, clusters

    def of_clusters(self, groups: Groups) -> Known:
        """Returns the figures of clusters, as far as they are recorded."""
        found, unknown = self._result, np.full(len(groups), np.nan)
        if isinstance(found, Pairs) and found.similarity is not None:
            least, places = np.ones(len(groups)), groups.places_of(found.left_rows)
            np.minimum.at(least, places, found.similarity)
            count = np.bincount(places, minlength=len(groups))
            density = count / (groups.sizes * (groups.sizes - 1) / 2)
            # A pair that is not listed has a similarity below the threshold, so the least one may be unknown.
            return Known(np.where(density >= 1, least, np.nan), density, found.similarity, "pairs")
        if isinstance(found, Deduped):
            similarity = _similarities(found)
            least, places = np.full(len(groups), np.inf), groups.places_of(self._removed_rows)
            np.minimum.at(least, places[places >= 0], similarity[places >= 0])
            return Known(np.where(np.isinf(least), np.nan, least), unknown, similarity, "removed")
        return Known(unknown, unknown.copy(), np.zeros(0), "members")

    def pairs(self) -> tuple[Rows, Rows, Similarities]:
        """Returns all recorded pairs of rows, with their similarities."""
        found = self._result
        if isinstance(found, Pairs) and found.similarity is not None:
            return found.left_rows, found.right_rows, found.similarity
        if isinstance(found, Deduped) and self._clusters.survivors is not None:
            return self._removed_rows, self._clusters.survivors[self._removed_rows], _similarities(found)
        none = np.zeros(0, np.int64)
        return none, none, np.zeros(0)

    def similarity(self, row: int, survivor: int) -> float | None:
        """Returns the similarity of two rows; None if it is not recorded, or if they are the same row."""
        found = self._result
        if row == survivor:
            return None
        if isinstance(found, Deduped):
            id, similarity = self._removed.get(row, ("", None))
            return similarity if id == str(ids_of(self._clusters.ids, np.array([survivor]))[0].as_py()) else None
        if isinstance(found, Pairs) and found.similarity is not None:
            low, high = min(row, survivor), max(row, survivor)
            start, stop = np.searchsorted(found.left_rows, [low, low + 1])
            at = int(start + np.searchsorted(found.right_rows[start:stop], high))
            if at < stop and found.right_rows[at] == high:
                return float(found.similarity[at])
        return None

    def between(self, rows: Rows) -> list[list[float]]:
        """Returns the recorded similarities between rows: two positions and a value each."""
        made: list[list[float]] = []
        for i, row in enumerate(rows.tolist()):
            for j, other in enumerate(rows.tolist()[:i]):
                value = self.similarity(row, other)
                if value is None:
                    value = self.similarity(other, row)
                if value is not None:
                    made.append([j, i, value])
        return made

    def is_removed(self, row: int) -> bool | None:
        """Returns whether the run removed a row; None if the run removed nothing."""
        return row in self._removed if isinstance(self._result, Deduped) else None

    @cached_property
    def _removed_rows(self) -> Rows:
        """The rows that the run removed, ascending. Rows of a reference come first, and are not among them."""
        found = self._result
        assert isinstance(found, Deduped)
        own = np.arange(len(self._clusters.labels) - found.reference)
        return np.asarray(np.setdiff1d(own, found.kept_rows) + found.reference, np.int64)

    @cached_property
    def _removed(self) -> dict[int, tuple[str, float]]:
        """The id of the survivor and the similarity to it, for each removed row."""
        found = self._result
        if not isinstance(found, Deduped):
            return {}
        kept = map(str, found.removed["kept"].to_pylist())
        facts = zip(kept, _similarities(found).tolist(), strict=True)
        return dict(zip(self._removed_rows.tolist(), facts, strict=True))


def _similarities(found: Deduped) -> Similarities:
    """Returns the similarity of each removed row to the one that was kept for it."""
    return np.asarray(found.removed["similarity"].to_numpy(), np.float64)
