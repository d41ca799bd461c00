"""Renders resolved records as an HTML page: entities that can be searched, evidence, charts of fields and of the data.

The templates are in `templates/records/` of the package `report`.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.apps.resolve import charts
from lookalike.apps.resolve.diagnostics import SAMPLE, weights_table
from lookalike.apps.resolve.explanation import BITS, Explanation
from lookalike.apps.resolve.groups import groups_of
from lookalike.apps.resolve.levels import LEVELS
from lookalike.apps.resolve.listed import NOUNS, listed
from lookalike.apps.resolve.result import Resolved
from lookalike.apps.resolve.trade_off import THRESHOLDS
from lookalike.drawing.curves import Draw
from lookalike.report import check_report, save_page
from lookalike.report.interactive import OF_RECORDS, live
from lookalike.report.templating import chart, markup, render_page

ENTITIES = 12
"""The maximum number of entities that readers without scripts see."""

SHOWN = 24
"""The maximum number of pairs whose evidence is shown. They are spread evenly over the ranking by score."""


def write_page(path: str | Path, found: Resolved, *, force: bool = False) -> Path:
    """Writes the page to a file."""
    check_report(path, force=force)
    return save_page(path, render(found, made=datetime.now()), force=force)


def render(found: Resolved, *, made: datetime | None = None) -> str:
    """Renders the page as an HTML string."""
    is_linked = len(found.records) > 1
    rows = " and ".join(f"{table.rows:,} from {table.name}" for table in found.records)
    sections = [("entities", "Matches" if is_linked else "Entities"), ("evidence", "Evidence"), ("fields", "Fields")]
    sections += [("threshold", "Threshold"), ("values", "Data"), ("settings", "Settings")]
    total = len(found) if is_linked else len(found.clusters)
    matching = None if found.facts.matching is None else f"The matches are {found.cardinality}: {found.facts.matching}."
    warnings = [*found.warnings, *(warning for table in found.records for warning in table.warnings)]
    return render_page(
        "records",
        title=f"Records of {' and '.join(table.name for table in found.records)}",
        lead=f"Records that refer to the same entity, among {rows}.",
        tiles=_tiles(found),
        sections=sections,
        made=made,
        live=live(listed(found), OF_RECORDS) if total else None,
        matching=matching,
        warnings=[str(warning) for warning in warnings],
        groups=groups_of(found, ENTITIES),
        total=total,
        nouns=NOUNS[is_linked][1],
        fields=_fields(found),
        learned=found.settings.weights is not None,
        pairs=_sample(found),
        settings=found.settings.to_toml(),
        evaluation=found.evaluation,
        at=found.settings.threshold,
        **_charts(found),
    )


def _tiles(found: Resolved) -> list[tuple[str, str]]:
    facts, evaluation = found.facts, found.evaluation
    tiles = [
        ("records", f"{facts.records:,}"), ("candidates", f"{facts.candidates:,}"),
        ("pairs compared, including those within groups", f"{facts.compared:,}"), ("matches", f"{len(found):,}"),
    ]  # fmt: skip
    if len(found.records) == 1:
        tiles.append(("entities with two or more records", f"{len(found.clusters):,}"))
    if facts.recall is not None:
        tiles.append(("of the matches, at most, are among the candidates (estimate)", f"{facts.recall:.1%}"))
    for name in ("precision", "recall") if evaluation is not None else ():
        measured = getattr(evaluation, name)
        if measured.of:
            interval = f"{measured.low:.1%} to {measured.high:.1%}"
            tiles.append((f"{name} among {measured.of:,} labelled pairs ({interval})", f"{measured.value:.1%}"))
    return tiles


def _charts(found: Resolved) -> dict[str, Any]:
    """Returns the charts and what the templates write beside them; None for charts that need learned weights."""
    missing = found.chart("missing")
    filled = sum(share == 0 for share in missing.table["missing"].to_pylist())
    shown: dict[str, Any] = {
        "missing_chart": chart(missing.draw),
        "missing_note": f"Missing values per column. Of {missing.table.num_rows:,} columns, {filled:,} are complete. "
        "Values such as N/A count as missing.",
    }
    if found.settings.method == "points":
        return {**shown, "thresholds_chart": None, "unlinkable_chart": None}
    steps = found.facts.thresholds
    unlinkable = found.chart("unlinkable")
    at = found.settings.threshold
    share = dict(zip(*(column.to_pylist() for column in unlinkable.table.columns), strict=True))[at]
    of = f"a sample of {SAMPLE:,} records" if found.facts.records > SAMPLE else f"the {found.facts.records:,} records"
    return {
        **shown,
        "weights_chart": chart(found.chart("weights").draw),
        "level_charts": [
            {"name": name, "drawing": markup(draw())} for name, draw in charts.levels_charts(weights_table(found))
        ],
        "thresholds_chart": chart(partial(_sized, found.chart("thresholds").draw, 480, 380)) if steps else None,
        "thresholds": [step for step in steps if step.threshold in THRESHOLDS],
        "unlinkable_chart": chart(partial(_sized, unlinkable.draw, 1000, 250)),
        "unlinkable_note": f"Records that cannot be linked: at the threshold of {at:g}, {share:.1%} of {of} have so "
        "few or so common values that they could not even match an exact copy of themselves.",
    }


def _sized(draw: Draw, usual_width: int, usual_height: int, *, width: int = 0, height: int = 0) -> str:
    return draw(width=width or usual_width, height=height or usual_height)


def _fields(found: Resolved) -> list[dict[str, Any]]:
    """Returns the name and kind of each field and, if weights were learned, its evidence in bits and its parent."""
    weights, fields = found.settings.weights, found.settings.fields
    shown: list[dict[str, Any]] = [{"name": field.name, "kind": field.compared_by} for field in fields]
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
