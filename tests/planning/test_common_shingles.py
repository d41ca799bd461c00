"""Shingles that are in too many documents are counted exactly, for any size of blocks, and excluded from all sets."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.reference import definitions
from lookalike.engines.reference.engine import Reference
from lookalike.flow import Documents, Shingles, Tokens
from lookalike.planning import common_shingles as common
from lookalike.planning.common_shingles import common_shingles
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.planning.survey import resolve_on_source
from lookalike.testing import Rows
from tests.refusals import refused

SHARES = st.sampled_from(["0.05", "0.1", "0.333333333", "0.5", "0.9", "1"])
lists = st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), max_size=40)


def sets(documents: Documents) -> Shingles:
    return definitions.shingle(documents, Tokens(1))


@given(lists, SHARES, st.integers(1, 40), st.integers(1, 7))
def test_common_shingles_are_those_of_plain_counting(rows: list[list[str]], share: str, block: int, batch: int) -> None:
    wanted = definitions.common([one.tolist() for one in sets(Documents.from_texts(rows))], Fraction(share))
    source = Rows(rows, batch_rows=batch)
    assert common_shingles(source, Fraction(share), sets, block=block) == wanted


def test_a_shingle_that_becomes_common_late_is_counted_from_the_start() -> None:
    """`x` is rare at first, is dropped, and appears again. The second pass counts it."""
    rows = [["x"], *([[str(i)] for i in range(500)]), *([["x"]] * 100), *([[str(i)] for i in range(500, 900)])]
    for share, wanted in (("0.05", True), ("0.1", True), ("0.101", False)):  # it is in 101 of 1,001
        found = np.frombuffer(common_shingles(Rows(rows, batch_rows=3), Fraction(share), sets, block=20), "<u8")
        assert found.tolist() == (sets(Documents.from_texts([["x"]])).values.tolist() if wanted else [])


def test_few_shingles_are_kept_while_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most a few hundred of a hundred thousand distinct shingles are kept at a time."""
    most = 0
    plain = common._counted

    def watched(shingles: Any, known: Any, least: int) -> Any:
        nonlocal most
        most = max(most, len(known))
        return plain(shingles, known, least)

    monkeypatch.setattr(common, "_counted", watched)
    rows = [["all", *(f"{row}-{i}" for i in range(20))] for row in range(5_000)]
    found = common_shingles(Rows(rows, batch_rows=100), Fraction("0.05"), sets, block=2_000)
    assert len(found) == 8 and most < 500


HEAD = "please accept our cookies before you read on and subscribe to the letter that we send every week"
STORIES = ["ministers met in the old town to talk about fish", "a cat was found on the moon by two tired sailors"]
PAGES = [f"{HEAD} {story}" for story in (*STORIES, STORIES[0], "rain will fall on northern hills late tonight")]


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize("method", ["lsh", "exact"])
def test_boilerplate_makes_pages_similar_unless_it_is_ignored(engine: str, method: str) -> None:
    options: dict[str, Any] = {"shingles": "words:2", "threshold": 0.4, "engine": engine, "method": method}
    assert len(la.find_pairs(PAGES, **options)) == 6
    assert [pair[:2] for pair in la.find_pairs(PAGES, ignore_common=0.6, **options)] == [(0, 2)]


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_a_text_of_only_common_shingles_is_similar_only_to_its_copies(engine: str) -> None:
    texts = ["one two three", "one two three four", "ONE two three", "one two four", "", "one two three four five six"]
    found = la.find_pairs(texts, shingles="words:1", threshold=0.1, ignore_common=0.3, engine=engine, recall=1.0)
    assert list(found) == [(0, 2, 1.0)]
    assert found.summary.empty == 1


def test_the_resolved_plan_contains_the_ignored_shingles() -> None:
    plan = Plan(shingles="words:2", ignore_common="0.6")
    resolved = resolve_on_source(plan, Rows(PAGES), Reference())
    assert len(resolved.shingles.ignores) == len(HEAD.split()) - 1
    other = resolve_on_source(Plan(shingles="words:2", ignore_common="0.9"), Rows(PAGES[:1]), Reference())
    assert len({resolved.key, plan.resolve().key, other.key}) == 3
    assert len({resolved.signed_by, plan.resolve().signed_by, other.signed_by}) == 3
    assert ResolvedPlan.from_toml(resolved.to_toml()).shingles == resolved.shingles
    assert Plan.from_toml(resolved.to_toml()).ignore_common == plan.ignore_common
    assert Plan.from_toml(plan.to_toml()) == plan and "ignore_common" not in Plan().to_toml()


def test_repetitions_do_not_make_a_shingle_more_common() -> None:
    rows = [["a", "a", "a"], ["b"], ["c"], ["d"]]
    plan = Plan(shingles=Tokens(1, bag=True), ignore_common=0.5)
    assert resolve_on_source(plan, Rows(rows), Reference()).shingles.ignored == b""


@pytest.mark.parametrize("share", [0, 1.5, -1, "much", True])
def test_an_invalid_share_is_refused(share: Any) -> None:
    with refused("not-a-share", option="ignore_common"):
        Plan(ignore_common=share)
