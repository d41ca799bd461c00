"""The figures of the concept pages match their formulas, and the chart of the README matches its results."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools import benchmark_chart
from tools.figures import FOLDER, figures

PAGES = [page.read_text(encoding="utf-8") for page in FOLDER.parent.glob("*.md")]
DRAWN = figures()


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_is_current_small_complete_and_used(name: str) -> None:
    content = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert content == DRAWN[name], "run make docs"
    assert len(content.encode()) < 100_000
    ElementTree.fromstring(content)
    assert any(f"](figures/{name}.svg)" in page for page in PAGES)


def test_there_are_no_other_figures() -> None:
    assert {Path(path).stem for path in FOLDER.iterdir()} == DRAWN.keys()


def test_the_chart_of_the_readme_shows_the_published_results() -> None:
    saved = json.loads(benchmark_chart.RESULTS.read_text(encoding="utf-8"))
    content = benchmark_chart.CHART.read_text(encoding="utf-8")
    assert content == benchmark_chart.chart(saved), "run make docs"
    ElementTree.fromstring(content)
    page = (benchmark_chart.ROOT / "docs/benchmarks/near-duplicates.md").read_text(encoding="utf-8")
    for result in saved["results"]:
        assert f"| {result['name']} | {result['settings']} | {result['wall']:.2f}" in page


def test_the_first_screens_state_the_published_results() -> None:
    """The README kept figures of an older run, beside a chart of a newer one."""
    saved = json.loads(benchmark_chart.RESULTS.read_text(encoding="utf-8"))
    wall = {result["name"]: result["wall"] for result in saved["results"]}
    ours = wall[benchmark_chart.LOOKALIKE]
    verified = f"{wall['Daft, then verified exactly'] / ours:.1f} times as long"
    pages = [(benchmark_chart.ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/index.md")]
    for page in pages:
        words = " ".join(page.split()).replace("[", "")
        assert f"in {ours:.1f} seconds on two cores" in words
        assert verified in words
    assert f"datasketch takes {wall['datasketch']:.0f} seconds" in " ".join(pages[0].split())
