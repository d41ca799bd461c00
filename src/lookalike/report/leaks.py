"""Contamination and its two sources → a page like that of the report: counts, and leaked documents side by side."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.drawing.markup import tag, text
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.planning.plan import Plan
from lookalike.report.charts import similarity_histogram
from lookalike.report.figures import COMPARED, SAMPLES, Sample, choose_samples
from lookalike.report.page import framed, side_by_side
from lookalike.text.comparison import compare, of_one_kind

if TYPE_CHECKING:
    from lookalike.trust.contamination import Contamination

LISTED = 200
"""Rows of the table that the page shows; the table itself has them all."""


def render_leaks(found: Contamination, train: Source, test: Source, *, made: datetime | None = None) -> str:
    """The page as text; the documents that it shows are read again."""
    share = f"{found.threshold} or more of their {found.shingles}"
    lead = f"{len(found):,} of {found.test:,} test documents stand in the {found.train:,} documents of {train.name}: "
    lead += f"{share} are in one of them, or in all together."
    counts = [
        ("test documents", found.test),
        (f"contained in one document, {share}", found.contained),
        (f"of similarity {found.threshold} or more to one", found.resembling),
        (f"covered by all together, {share}", found.covered),
        (f"with one of these {found.shingles} or more", found.touched),
    ]
    tiles = [tag("div", tag("b", f"{value:,}"), tag("span", text(name)), kind="tile") for name, value in counts]
    sections = [
        ("containment", "Containment", _containment(found)),
        ("documents", "Leaked documents", _table(found)),
        ("pairs", "Side by side", _samples(found, train, test)),
    ]
    header = tag("p", text(lead), kind="lead"), tag("div", *tiles, kind="tiles")
    return framed(f"{test.name} in {train.name}", *header, sections=sections, made=made)


def _containment(found: Contamination) -> str:
    if not len(found.pairs):
        return tag("p", "No test document is contained in one document.", kind="nothing")
    values = found.pairs.overlap / found.pairs.left_size
    whole = int(np.count_nonzero(values == 1))
    words = f"Of the listed pairs: {whole:,} of containment 1, {len(values) - whole:,} below it."
    drawing = similarity_histogram(values, float(found.threshold))
    return tag("p", words, kind="note") + tag("figure", drawing, kind="card")


def _table(found: Contamination) -> str:
    if not found.table.num_rows:
        return tag("p", "There are none.", kind="nothing")
    names = ("containment", "resemblance", "covered", "test", "train", "passage")
    rows = []
    for row in found.table.slice(0, LISTED).to_pylist():
        cells = [_number(row[name]) for name in names[:3]]
        cells += [tag("td", text("–" if row[name] is None else row[name]), dir="auto") for name in names[3:]]
        rows.append(tag("tr", *cells))
    head = tag("tr", *(tag("th", name, kind="n" if i < 3 else "") for i, name in enumerate(names)))
    more = f"The first {LISTED} of {found.table.num_rows:,} rows." if found.table.num_rows > LISTED else ""
    table = tag("table", tag("thead", head), tag("tbody", *rows))
    return tag("p", more, kind="note") + tag("div", table, kind="card scroll next")


def _number(value: float | None) -> str:
    return tag("td", "–" if value is None else f"{value:.3f}", kind="n")


def _samples(found: Contamination, train: Source, test: Source) -> str:
    if not len(found.pairs):
        return tag("p", "There are no pairs to show.", kind="nothing")
    values = found.pairs.overlap / found.pairs.left_size
    chosen = choose_samples(values, SAMPLES)
    left, right = found.pairs.left[chosen], found.pairs.right[chosen]
    one, two = read_texts(test, left), read_texts(train, right)
    named = dict(zip(chosen, zip(*found.names(chosen), strict=True), strict=True))
    plan = Plan(shingles=found.shingles)
    shown = [_shown(named[i], one[int(a)], two[int(b)], float(values[i]), plan)
             for i, a, b in zip(chosen, left, right, strict=True)]  # fmt: skip
    note = f"Spread over the range, highest containment first. {tag('mark', 'Marked')} is what both have."
    return tag("p", note, kind="note") + "".join(shown)


def _shown(names: tuple[Any, Any], one: Any, two: Any, containment: float, plan: Plan) -> str:
    comparison = compare(*of_one_kind(one[:COMPARED], two[:COMPARED]), plan)
    cut = max(len(one), len(two)) > COMPARED
    return side_by_side(Sample(str(names[0]), str(names[1]), containment, comparison, cut=cut))
