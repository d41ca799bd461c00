"""Renders resolved records as an HTML page: the fields, the evidence of each field, and some pairs with explanations.

The templates are in `templates/records/` of the package `report`.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.apps.resolve.explanation import BITS, Explanation
from lookalike.apps.resolve.groups import groups_of
from lookalike.apps.resolve.levels import LEVELS
from lookalike.apps.resolve.result import Resolved
from lookalike.report import check_report, save_page
from lookalike.report.templating import render_page

ENTITIES = 12
"""The maximum number of entities that are shown with their records."""

SHOWN = 24
"""The maximum number of pairs whose evidence is shown. They are spread evenly over the ranking by score."""


def write_page(path: str | Path, found: Resolved, *, force: bool = False) -> Path:
    """Writes the page to a file."""
    check_report(path, force=force)
    return save_page(path, render(found, made=datetime.now()), force=force)


def render(found: Resolved, *, made: datetime | None = None) -> str:
    """Renders the page as an HTML string."""
    facts = found.facts
    rows = " and ".join(f"{table.rows:,} from {table.name}" for table in found.records)
    tiles = [
        ("records", f"{facts.records:,}"), ("candidates", f"{facts.candidates:,}"),
        ("pairs compared, including those within groups", f"{facts.compared:,}"), ("matches", f"{len(found):,}"),
    ]  # fmt: skip
    if len(found.records) == 1:
        tiles.append(("entities with two or more records", f"{len(found.clusters):,}"))
    if facts.recall is not None:
        tiles.append(("of the matches, at most, are among the candidates (estimate)", f"{facts.recall:.1%}"))
    entities = {} if len(found.records) > 1 else {"groups": groups_of(found, ENTITIES), "total": len(found.clusters)}
    return render_page(
        "records",
        title=f"Records of {found.records[0].name}",
        lead=f"Records that refer to the same entity, among {rows}.",
        tiles=tiles,
        sections=[
            *([("entities", "Entities")] if entities else []),
            ("fields", "Fields"), ("evidence", "Evidence"), ("settings", "Settings"),
        ],
        made=made,
        fields=_fields(found),
        learned=found.settings.weights is not None,
        pairs=_sample(found),
        settings=found.settings.to_toml(),
        **entities,
    )  # fmt: skip


def _fields(found: Resolved) -> list[dict[str, Any]]:
    """Returns the name and kind of each field and, if weights were learned, its evidence in bits and its parent."""
    weights, fields = found.settings.weights, found.settings.fields
    shown: list[dict[str, Any]] = [{"name": field.name, "kind": field.kind} for field in fields]
    if weights is not None:
        for number, field in enumerate(shown):
            bits = np.log(weights.m[number, 0] / weights.u[number, 0]) / BITS
            parent = weights.parents[number]
            field |= {"equal": float(bits[LEVELS - 1]), "different": float(bits[0])}
            field["parent"] = fields[parent].name if parent >= 0 else ""
    return shown


def _sample(found: Resolved) -> list[Explanation]:
    """Returns explanations of up to `SHOWN` matches, spread over all scores, lowest first."""
    order = np.argsort(found.outcome.score, kind="stable")
    chosen = order[np.unique(np.linspace(0, len(order) - 1, min(SHOWN, len(order))).astype(int))]
    matches = found.matches.take(chosen)
    pairs = zip(matches["left"].to_pylist(), matches["right"].to_pylist(), strict=True)
    return [found.explain(*pair) for pair in pairs]
