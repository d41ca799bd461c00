"""Plans, families and curves are shown as a readable line in a terminal and as a chart in a notebook."""

from __future__ import annotations

import pickle
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from tests.display.pages import Page

FAMILIES = [
    la.MinHash(), la.Hyperplanes(), la.BitSampling(64), la.GaussianLines(1.0), la.WeightedMinHash(),
    la.MinHash().and_(5).or_(20), la.Banded(16, 6), la.Signs(3), la.UnitLines(1.0, 3), la.CrossPolytope(),
]  # fmt: skip
plans = st.builds(
    la.Plan,
    threshold=st.sampled_from(["0.8", "0.5", "0.95"]),
    shingles=st.sampled_from(["auto", "words:3", "chars:7", "tokens"]) | st.just(la.Words(k=2, case="keep")),
    recall=st.sampled_from([0.9, 0.99]),
    hashes=st.sampled_from([128, 256]),
    goal=st.sampled_from(["pairs", "clusters"]),
    ignore_common=st.sampled_from([None, "0.5"]),
    seed=st.integers(0, 3),
)


@given(plans)
def test_the_repr_of_a_plan_is_the_shortest_code_that_makes_it(plan: la.Plan) -> None:
    assert eval(repr(plan), {"Plan": la.Plan, "Words": la.Words}) == plan
    assert repr(la.Plan(threshold=0.8)) == "Plan(threshold='0.8')"


@given(plans)
def test_a_plan_is_shown_with_its_curve(plan: la.Plan) -> None:
    for shown in (plan, plan.resolve()):
        page = Page.of(shown._repr_html_())
        assert page.harmless and page.text.startswith(repr(shown))
        assert {"threshold", "recall", "bands"} <= set(page.cells) and "svg" in page.tags


def test_a_plan_without_bands_has_no_curve() -> None:
    page = Page.of(la.Plan(method="exact")._repr_html_())
    assert "svg" not in page.tags and "1: every pair is found" in page.cells


def test_an_explanation_is_shown_as_it_is_printed() -> None:
    explained = la.Plan(threshold=0.8).explain()
    assert repr(explained) == str(explained) and "\n" in repr(explained)
    assert pickle.loads(pickle.dumps(explained)) == explained


@pytest.mark.parametrize("family", FAMILIES, ids=repr)
def test_a_family_is_shown_with_its_curve(family: la.Family) -> None:
    page = Page.of(family._repr_html_())
    assert page.harmless and page.text.startswith(repr(family)) and "svg" in page.tags
    plotted: Any = family.plot()
    assert ElementTree.fromstring(plotted._repr_svg_()).tag.endswith("svg")
    assert repr(plotted) == str(plotted), "in a terminal, the drawing is text"
    curve = family.curve(50)
    assert ElementTree.fromstring(curve._repr_svg_()).tag.endswith("svg")
    assert len(repr(curve)) < 80 and repr(curve).startswith("Curve(50 points: ")


def test_what_else_has_a_readable_line() -> None:
    assert repr(la.MinHash().sample(3)).startswith("Draws(3 functions of MinHash(")
    tuning = la.tune(0.8, 0.99)
    assert repr(tuning) == "Tuning(AND 4, OR 3, AND 2, OR 5: 120 hashes, recall 0.9931)"
    assert "AND 6, OR 16" in Page.of(tuning._repr_html_()).cells
    people = [{"name": "Ann Smith", "town": "Leeds"}, {"name": "Anne Smith", "town": "Leeds"}] * 3
    explained = la.resolve(people, method="points", threshold=100).explain(0, 1)
    assert repr(explained).startswith("Explanation(0 and 1: a match, score ")
    assert "Anne Smith" in Page.of(explained._repr_html_()).cells
    assert len(repr(la.find_pairs(["a b c"]).summary)) < 1000


TEXTS = [
    "the cat sat on the mat today",
    "The cat sat on the mat, today!",
    "the cat sat on the mat today, and slept",
    "",
]


def test_a_summary_is_one_line_and_shows_what_is_not_zero() -> None:
    summary = la.find_pairs(TEXTS, threshold=0.5, shingles="words:2").summary
    assert repr(summary).startswith("Summary(4 documents: 3 pairs, 1 with the same words, 1 empty; ")
    page = Page.of(summary._repr_html_())
    assert page.harmless and {"documents", "pairs", "shingles", "words:2"} <= set(page.cells)
    assert "malformed" not in page.cells and "documents" in str(summary)


def test_more_pairs_than_candidates_are_explained_by_copies() -> None:
    """98 pairs of 85 candidates looked wrong: pairs of exact copies are no candidates."""
    found = la.find_pairs(TEXTS, threshold=0.5, shingles="words:2")
    assert len(found) == 3 > (found.summary.candidates or 0)
    assert "1 compared (copies count once)" in str(found)


def test_a_notebook_shows_of_an_audit_what_the_command_prints() -> None:
    found = la.find_pairs(TEXTS, threshold=0.5, shingles="words:2")
    page = Page.of(la.audit(found, TEXTS)._repr_html_())
    assert {"true pairs", "pair recall", "cluster recall", "expected", "precision", "missed"} <= set(page.cells)
    assert {"similarity", "pairs", "found"} <= set(page.cells)


def test_the_axis_of_a_chart_names_its_measure() -> None:
    train = [f"{TEXTS[0]} and ran away from the dog {n}" for n in range(3)]
    found = la.contamination(train, [TEXTS[0], TEXTS[2]], shingles="words:2", threshold=0.5)
    assert ">containment<" in found._repr_html_() and ">similarity<" not in found._repr_html_()
