"""Clusters that open in a report: their first members, with excerpts and similarities to the representative."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.flow.arrays import Rows
from lookalike.results.summary import Summary

LISTED = 100
"""The maximum number of clusters that are listed, largest first."""
MEMBERS = 10
"""The maximum number of members of a listed cluster, the representative first."""
TEXTS = 1 << 24
"""The approximate size of all texts, in bytes, that are read for excerpts."""


@dataclass(frozen=True)
class Listed:
    """A cluster with its first members: their names, the beginnings of their texts, and how similar they are to the
    first, which represents the cluster. `highest` is the greatest similarity of a reported pair. None if not known."""

    size: int
    names: tuple[str, ...]
    excerpts: tuple[str | None, ...]
    similarities: tuple[float | None, ...]
    highest: float | None


def first_members(largest: Sequence[Rows], representatives: Rows) -> list[Rows]:
    """Returns the first members of each cluster, the representative first."""
    return [
        np.concatenate([[row], rows[rows != row][: MEMBERS - 1]]).astype(np.int64)
        for rows, row in zip(largest, representatives, strict=True)
    ]


def rows_with_excerpts(shown: Sequence[Rows], summary: Summary) -> Rows:
    """Returns the members whose texts are read: all, unless the texts are so long that they need too much memory."""
    mean = summary.bytes // max(1, summary.documents) + 1
    most = TEXTS // mean
    rows = np.concatenate([np.zeros(0, np.int64), *shown])
    if len(rows) <= most:
        return rows
    return np.array([row for place in range(MEMBERS) for some in shown for row in some[place : place + 1]][:most])


def highest_similarities(
    labels: Rows, largest: Sequence[Rows], left: Rows, similarity: np.ndarray | None
) -> list[float | None]:
    """Returns the greatest similarity of a reported pair of each cluster; None if it has none."""
    if similarity is None or not largest:
        return [None] * len(largest)
    place = np.full(len(labels), -1, np.int64)
    place[labels[[int(rows[0]) for rows in largest]]] = np.arange(len(largest))
    found, at = np.full(len(largest), -1.0), place[labels[left]]
    np.maximum.at(found, at[at >= 0], similarity[at >= 0])
    return [None if value < 0 else value for value in found.tolist()]
