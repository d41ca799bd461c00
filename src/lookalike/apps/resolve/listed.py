"""Lists entities, or matches between two tables, as the data of a report in which readers search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.apps.resolve.columns import Codes
from lookalike.apps.resolve.groups import group_of
from lookalike.apps.resolve.learn import probabilities
from lookalike.flow.arrays import Rows

if TYPE_CHECKING:
    from lookalike.apps.resolve.result import Resolved

MOST = 2000
"""The maximum number of listed entities. If there are more, half of them are the least certain ones, and the others are
spread evenly over the table."""
LONGEST = 200
"""The maximum number of characters of a value that are listed."""
NOUNS = (("entity", "entities"), ("match", "matches"))
"""What is listed, for one table and for two, in the singular and the plural."""


def listed(found: Resolved) -> dict[str, Any]:
    """Returns the data of the script `report/explore_records.js`."""
    is_linked = len(found.records) > 1
    members, least = _matches(found) if is_linked else _entities(found)
    chosen = _chosen(least)
    return {
        "is_linked": is_linked,
        "nouns": NOUNS[is_linked],
        "total": len(members),
        "fields": [field.name for field in found.settings.fields],
        "entities": [_entity(found, members[place], float(least[place])) for place in chosen.tolist()],
    }


def _matches(found: Resolved) -> tuple[list[Rows], np.ndarray]:
    left, right = found.outcome.left, found.outcome.right
    return [np.array(pair) for pair in zip(left.tolist(), right.tolist(), strict=True)], _certainty(found)


def _entities(found: Resolved) -> tuple[list[Rows], np.ndarray]:
    """Returns the rows of each entity in the order of the table, and its least certain match."""
    groups = sorted(found.clusters.largest(), key=lambda rows: int(rows[0]))
    labels = found.outcome.labels
    least = np.full(len(labels), np.inf)
    if found.settings.method == "weights":
        np.minimum.at(least, labels[found.outcome.left], _certainty(found))
    return groups, least[[int(labels[rows[0]]) for rows in groups]] if groups else np.zeros(0)


def _certainty(found: Resolved) -> np.ndarray:
    by_points = found.settings.method == "points"
    return np.full(len(found), np.nan) if by_points else probabilities(found.outcome.score)


def _chosen(least: np.ndarray) -> Codes:
    if len(least) <= MOST:
        return np.arange(len(least))
    doubtful = np.argsort(least, kind="stable")[: MOST // 2]
    spread = np.linspace(0, len(least) - 1, MOST - MOST // 2).astype(np.int64)
    return np.unique(np.concatenate([doubtful, spread]))


def _entity(found: Resolved, rows: Rows, least: float) -> dict[str, Any]:
    group = group_of(found, rows)
    return {
        "size": group.size,
        "ids": group.ids,
        "least": least if np.isfinite(least) else None,
        "records": [[cell.value[:LONGEST] for cell in record] for record in group.records],
        "differs": [[place for place, cell in enumerate(record) if cell.differs] for record in group.records],
    }
