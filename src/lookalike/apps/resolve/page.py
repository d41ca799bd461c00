"""What was resolved → a page of its own: the fields, what each tells, and the evidence of sample pairs."""

from __future__ import annotations

from datetime import datetime

import numpy as np

from lookalike.apps.resolve.explanation import BITS, Explanation
from lookalike.apps.resolve.levels import LEVELS
from lookalike.apps.resolve.result import Resolved
from lookalike.drawing.markup import tag, text
from lookalike.report.page import framed

SHOWN = 24
"""Pairs whose evidence is shown, spread over the scores; the least sure are the ones to look at."""


def render(found: Resolved, *, made: datetime | None = None) -> str:
    """The page as text. Everything that comes from the data is escaped."""
    facts = found.facts
    rows = " and ".join(f"{table.rows:,} of {table.name}" for table in found.tables)
    tiles = [
        (f"{facts.records:,}", "records"),
        (f"{facts.compared:,}", "pairs compared"),
        (f"{len(found):,}", "matches"),
    ]
    if facts.recall is not None:
        tiles.append((f"{facts.recall:.1%}", "of the matches are among the candidates, estimated"))
    cells = [tag("div", tag("b", value), tag("span", words), kind="tile") for value, words in tiles]
    lead = tag("p", text(f"Records that are the same thing, among {rows}."), kind="lead")
    sections = [
        ("fields", "Fields", _fields(found)),
        ("evidence", "Evidence", _evidence(found)),
        ("settings", "Settings", tag("pre", text(found.settings.to_toml()))),
    ]
    title = f"Records of {found.tables[0].name}"
    return framed(title, lead, tag("div", *cells, kind="tiles"), sections=sections, made=made)


def _fields(found: Resolved) -> str:
    weights = found.settings.weights
    named = ("field", "kind", "equal, in bits", "unlike, in bits", "goes with")
    head = tag("tr", *(tag("th", name) for name in named))
    rows = []
    for number, field in enumerate(found.settings.fields):
        cells = [field.name, field.kind]
        if weights is not None:
            bits = np.log(weights.m[number, 0] / weights.u[number, 0]) / BITS
            parent = weights.parents[number]
            cells += [f"{bits[LEVELS - 1]:+.1f}", f"{bits[0]:+.1f}"]
            cells.append(found.settings.fields[parent].name if parent >= 0 else "")
        rows.append(tag("tr", *(tag("td", text(cell)) for cell in cells)))
    note = "One bit more doubles the odds of a match. What is unlike speaks against it."
    return tag("p", note, kind="note") + tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), kind="card")


def _evidence(found: Resolved) -> str:
    if not len(found):
        return tag("p", "There are no matches to show.", kind="nothing")
    order = np.argsort(found.outcome.score, kind="stable")
    chosen = order[np.unique(np.linspace(0, len(order) - 1, min(SHOWN, len(order))).astype(int))]
    matches = found.matches.take(chosen)
    pairs = zip(matches["left"].to_pylist(), matches["right"].to_pylist(), strict=True)
    note = "Spread over all scores, the least sure first. Bars to the right speak for a match, to the left against."
    return tag("p", note, kind="note") + "".join(_waterfall(found.explain(*pair)) for pair in pairs)


def _waterfall(one: Explanation) -> str:
    most = max(abs(step.adds) for step in one.steps) or 1.0
    rows = []
    for step in one.steps:
        width = 50 * abs(step.adds) / most
        left = 50 - width if step.adds < 0 else 50.0
        colour = "#2a8" if step.adds > 0 else "#c54"
        bar = tag(
            "i", style=f"position:absolute;top:0;bottom:0;left:{left:.1f}%;width:{width:.1f}%;background:{colour}"
        )
        track = tag("span", bar, style="position:relative;display:block;height:.9em;min-width:12em")
        cells = [text(step.name), text(f"{step.adds:+.1f}"), track, text(step.left), text(step.right or step.note)]
        rows.append(tag("tr", *(tag("td", cell) for cell in cells)))
    chance = "" if one.probability is None else f", probability {one.probability:.4f}"
    head = tag(
        "header", tag("b", text(f"{one.left} and {one.right}")), tag("span", f"{one.score:+.1f}{chance}", kind="small")
    )
    return tag("article", head, tag("div", tag("table", tag("tbody", *rows)), kind="scroll"), kind="pair")
