"""Tables behind the charts of a result: weights and shares per level, missing values, and records that cannot match."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve.explanation import BITS
from lookalike.apps.resolve.learn import probabilities
from lookalike.apps.resolve.levels import CUTS, LEVELS
from lookalike.apps.resolve.placeholders import present
from lookalike.errors import InvalidOption

if TYPE_CHECKING:
    from lookalike.apps.resolve.result import Resolved

SAMPLE = 5000
"""At most this many records, evenly spread, are compared with themselves."""


def weights_table(found: Resolved) -> pa.Table:
    """Returns m, u and the weight in bits for each field and range of similarity (field, from, to, m, u, bits).

    The last range of a field, from 1 to 1, is that of equal values. Of a field that depends on another one, these are
    the values if the other one is missing.
    """
    weights = found.settings.weights
    if weights is None:
        raise InvalidOption("chart-needs-weights")
    edges = [0.0, *CUTS.tolist()[:-1], 1.0, 1.0]
    m, u = weights.m[:, 0], weights.u[:, 0]
    names = [field.name for field in found.settings.fields] + ["rivals"] * (len(m) - len(found.settings.fields))
    return pa.table(
        {
            "field": np.repeat(names, LEVELS).tolist(),
            "from": edges[:-1] * len(m),
            "to": edges[1:] * len(m),
            "m": m.ravel(),
            "u": u.ravel(),
            "bits": (np.log(m / u) / BITS).ravel(),
        }
    )


def threshold_table(found: Resolved) -> pa.Table:
    """Returns the number of pairs, and the expected precision and recall, at each threshold."""
    steps = found.facts.thresholds
    if not steps and found.settings.method == "points":
        raise InvalidOption("chart-needs-weights")
    names = ("threshold", "pairs", "precision", "low", "high", "recall")
    return pa.table({name: [getattr(step, name) for step in steps] for name in names})


def self_match_probabilities(found: Resolved) -> np.ndarray:
    """Returns, sorted, the probability of each sampled record that it would match an exact copy of itself."""
    if found.settings.method == "points":
        raise InvalidOption("chart-needs-weights")
    comparer = found.outcome.comparer
    rows = np.unique(np.linspace(0, max(0, comparer.records - 1), min(SAMPLE, comparer.records)).astype(np.int64))
    return np.sort(probabilities(comparer.score(rows, rows)))


def unlinkable_table(found: Resolved) -> pa.Table:
    """Returns the share of records that could not match even an exact copy of themselves, by threshold."""
    known = self_match_probabilities(found)
    thresholds = np.unique([0.01, *np.linspace(0.05, 0.95, 19).round(2), 0.99, 0.999, found.settings.threshold])
    shares = np.searchsorted(known, thresholds, side="left") / max(1, len(known))
    return pa.table({"threshold": thresholds, "unlinkable": shares})


def missing_table(found: Resolved) -> pa.Table:
    """Returns the share of missing values per column, and whether it is compared. `side` is 1 for a right table."""
    rows = []
    for side, table in enumerate(found.records):
        compared = {field.right or field.name if side else field.name for field in found.settings.fields}
        for name, values in table.columns.items():
            missing = present(values).null_count / max(1, table.rows)
            rows.append({"side": side, "column": name, "missing": missing, "compared": name in compared})
    kinds = {"side": pa.int64(), "column": pa.string(), "missing": pa.float64(), "compared": pa.bool_()}
    return pa.Table.from_pylist(rows, pa.schema(kinds.items()))
