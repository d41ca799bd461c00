"""Charts of a result: they show the weights, the thresholds and the data as they are, and are valid SVG."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.apps.resolve.charts import CHARTS
from lookalike.apps.resolve.trade_off import trade_off
from lookalike.drawing.bars import share_bars, signed_bars
from tests.apps.resolve.people import people
from tests.refusals import refused

ROWS, _ = people(120, 40)
EVIL = "<b onclick='x'>&\"\u2028"


@pytest.fixture(scope="module")
def found() -> la.Resolved:
    return la.resolve([{**row, EVIL: f"{EVIL} {i % 7}", "empty": None} for i, row in enumerate(ROWS)])


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_is_valid_svg_and_has_a_table(found: la.Resolved, name: str, tmp_path: Path) -> None:
    chart = found.chart(name)
    root = ElementTree.fromstring(chart.save(tmp_path / "chart.svg").read_text(encoding="utf-8"))
    assert root.tag.endswith("svg") and len([*root.iter()]) > 10
    sizes: list[dict[str, int]] = [{}, {"width": 400, "height": 260}]
    for size in sizes:
        _, _, width, height = map(float, ElementTree.fromstring(chart.draw(**size)).attrib["viewBox"].split())
        assert width > 0 and height > 0
    assert str(chart).startswith(chart.title) and all(column in str(chart) for column in chart.table.column_names)
    assert "onclick" not in {key for element in root.iter() for key in element.attrib}


def test_weights_are_those_of_the_settings(found: la.Resolved) -> None:
    weights, table = found.settings.weights, found.chart("weights").table
    assert weights is not None and table.num_rows == 13 * len(found.settings.fields)
    assert np.allclose(table["bits"], np.log2(np.asarray(table["m"]) / np.asarray(table["u"])))
    assert np.allclose(np.asarray(table["m"]).reshape(-1, 13), weights.m[:, 0])
    linked = la.link(ROWS[:80], ROWS[80:], one_to_one=True)
    assert linked.chart("weights").table["field"].to_pylist()[-1] == "rivals"


@given(st.lists(st.floats(0, 1), min_size=1, max_size=50))
def test_thresholds_count_the_pairs_and_expected_matches_above_them(values: list[float]) -> None:
    steps = trade_off(np.array(values))
    for step in steps:
        above = [value for value in values if value >= step.threshold]
        assert step.pairs == len(above)
        assert step.precision == pytest.approx(sum(above) / len(above))
        assert step.recall == pytest.approx(sum(above) / sum(values))
        assert step.low <= step.precision + 1e-12 and step.precision <= step.high + 1e-12
    assert len(steps) == 0 or max(values) >= steps[-1].threshold


def test_the_expected_number_of_pairs_is_the_number_that_is_reported() -> None:
    linked = la.link(ROWS[:80], ROWS[80:], one_to_one=True)
    for threshold in (0.25, 0.5, 0.9):
        step = next(step for step in linked.facts.thresholds if step.threshold == threshold)
        again = la.link(ROWS[:80], ROWS[80:], settings=linked.settings, threshold=threshold)
        assert len(again) == step.pairs


def test_records_with_little_information_cannot_be_linked() -> None:
    rows = [*ROWS, *({"given": "anna"} for _ in range(40))]
    shares = la.resolve(rows).chart("unlinkable").table
    at = dict(zip(*(column.to_pylist() for column in shares.columns), strict=True))
    assert 0.19 < at[0.5] < 0.25
    assert shares["unlinkable"].to_pylist() == sorted(shares["unlinkable"].to_pylist())


def test_missing_values_are_counted_per_column_of_both_tables() -> None:
    left, right = ({"a": "x y", "b": value, "c": "p"} for value in ("N/A", "z"))
    table = la.link([left, right], [left], method="points", fields={"a": "name"}).chart("missing").table
    assert table.select(["side", "column", "missing"]).to_pylist()[:5] == [
        {"side": side, "column": column, "missing": missing}
        for side, column, missing in [(0, "a", 0), (0, "b", 0.5), (0, "c", 0), (1, "a", 0), (1, "b", 1)]
    ]


def test_points_have_no_weights_and_unknown_charts_are_refused() -> None:
    found = la.resolve(ROWS, method="points")
    for name in ("weights", "levels", "thresholds", "unlinkable"):
        with refused("chart-needs-weights"):
            found.chart(name)
    with refused("not-one-of", option="name"):
        found.chart("pie")


@given(st.lists(st.tuples(st.text(max_size=60), st.floats(-30, 30)), max_size=8))
def test_bars_stay_inside_their_chart(values: list[tuple[str, float]]) -> None:
    bars = [(label.encode("ascii", "replace").decode(), value, f"{value:.1f}") for label, value in values]
    bars = [("".join(filter(str.isprintable, label)), value, printed) for label, value, printed in bars]
    for svg in (
        signed_bars([("field", bars)], "words", ("against", "for")),
        share_bars([(label, abs(value) / 30, printed) for label, value, printed in bars], "words", width=400),
    ):
        root = ElementTree.fromstring(svg)
        _, _, width, height = map(float, root.attrib["viewBox"].split())
        for bar in root.iter("rect"):
            x, y, wide, high = (float(bar.attrib[name]) for name in ("x", "y", "width", "height"))
            assert x >= 0 and x + wide <= width and y >= 0 and y + high <= height
