"""Renders the report on a contamination check. The templates of its sections are in `templates/contamination/`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.drawing.histograms import similarity_histogram
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.planning.plan import Plan
from lookalike.report.excerpts import mostly_code
from lookalike.report.figures import SAMPLES, choose_samples
from lookalike.report.side_by_side import Sample, compare_sample
from lookalike.report.templating import chart, render_page

if TYPE_CHECKING:
    from lookalike.trust.contamination import Contamination

LISTED = 200
"""The maximum number of table rows that the report shows."""


def render_leaks(found: Contamination, train: Source, test: Source, *, made: datetime | None = None) -> str:
    """Renders the report as an HTML string. Reads the documents that it shows from the sources."""
    shingles = f"{found.threshold} or more of their {found.shingles}"
    lead = f"{len(found):,} of {found.test:,} test documents appear in the {found.train:,} documents of {train.name}: "
    lead += f"{shingles} are in one of them, or in all of them together."
    tiles = [
        ("test documents", found.test),
        (f"contained in one document ({shingles})", found.contained),
        (f"similar to one document ({found.threshold} or more)", found.resembling),
        (f"covered by all documents together ({shingles})", found.covered),
        (f"with at least one shared shingle ({found.shingles})", found.touched),
    ]
    samples = _samples(found, train, test)
    return render_page(
        "contamination",
        title=f"{test.name} in {train.name}",
        lead=lead,
        tiles=[(label, f"{figure:,}") for label, figure in tiles],
        sections=[
            ("containment", "Containment"), ("documents", "Leaked documents"), ("pairs", "Pairs side by side"),
        ],
        made=made,
        rows=found.table.slice(0, LISTED).to_pylist(),
        total=found.table.num_rows,
        samples=samples,
        is_code=mostly_code(samples),
        **_containment(found),
    )  # fmt: skip


def _containment(found: Contamination) -> dict[str, Any]:
    if not len(found.pairs):
        return {"chart": None}
    values = found.pairs.overlap / found.pairs.left_size
    whole = int(np.count_nonzero(values == 1))
    drawn = chart(partial(similarity_histogram, values, float(found.threshold), measure="containment"))
    return {"chart": drawn, "whole": whole, "partial": len(values) - whole}


def _samples(found: Contamination, train: Source, test: Source) -> list[Sample]:
    return samples_of(found, train, test, choose_samples(found.pairs.overlap / found.pairs.left_size, SAMPLES))


def samples_of(found: Contamination, train: Source, test: Source, chosen: Sequence[int]) -> list[Sample]:
    """Compares the chosen pairs of a test document and a training document."""
    values = found.pairs.overlap / found.pairs.left_size
    left, right = found.pairs.left[list(chosen)], found.pairs.right[list(chosen)]
    one, two = read_texts(test, left), read_texts(train, right)
    names = zip(*found.names(list(chosen)), strict=True)
    plan = Plan(shingles=found.shingles)
    return [
        compare_sample(named, (one[int(a)], two[int(b)]), float(values[i]), plan)
        for i, a, b, named in zip(chosen, left, right, names, strict=True)
    ]
