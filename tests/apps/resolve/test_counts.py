"""The counts of resolve: candidates and pairs compared. Kinds that only differ in name."""

from __future__ import annotations

import random
from typing import Any

import pytest

import lookalike as la
from lookalike.apps.resolve import grouping, resolution
from lookalike.apps.resolve.page import render
from lookalike.cli import records
from tests.apps.resolve.people import people
from tests.apps.resolve.test_resolve import slipped


def test_a_pair_that_is_compared_again_while_grouping_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three records had 3 candidates and 4 pairs compared."""
    few = la.resolve([*people(2, 1)[0]], method="points")
    assert few.facts.candidates == few.facts.compared == few.summary.checked == 3
    compared: set[tuple[int, int]] = set()
    score, within = resolution.Comparer.score, grouping.matches_within

    def recorded(self: Any, left: Any, right: Any, *levels: Any) -> Any:
        compared.update((min(pair), max(pair)) for pair in zip(left.tolist(), right.tolist(), strict=True))
        return score(self, left, right, *levels)

    def listed(*entities: Any) -> Any:
        monkeypatch.setattr(resolution.Comparer, "score", score)
        return within(*entities)

    monkeypatch.setattr(resolution.Comparer, "score", recorded)
    monkeypatch.setattr(resolution, "matches_within", listed)
    draw = random.Random(0)
    rows = [slipped(draw, {"a": "abcdefgh bcdefg", "b": "hgfedcba"}) for _ in range(350)]
    facts = la.resolve(rows, method="points", threshold=180, fields=["a:code", "b:code"]).facts
    assert facts.candidates < facts.compared == len(compared)


def test_summary_and_report_name_both_counts() -> None:
    draw = random.Random(0)
    rows = [slipped(draw, {"a": "abcdefgh bcdefg", "b": "hgfedcba"}) for _ in range(40)]
    found = la.resolve(rows, method="points", threshold=180, fields=["a:code", "b:code"])
    facts = found.facts
    lines = {name: str(value) for name, value in records.summary(found)}
    more = facts.compared - facts.candidates
    assert more > 0 and f"{more:,} more pair" in lines["candidates"] and f"{facts.candidates:,} " in lines["candidates"]
    assert all(f"{count:,}" in render(found) for count in (facts.compared, facts.candidates))


@pytest.mark.parametrize("method", ["weights", "points"])
def test_titles_that_are_taken_for_addresses_are_compared_as_texts(method: Any) -> None:
    rows = [{"title": f"{row['surname']} {row['phone']}", "name": row["given"]} for row in people()[0]]
    found = la.resolve(rows, method=method)
    assert [field.kind for field in found.settings.fields][:2] == ["address", "name"]
    assert found.matches.equals(la.resolve(rows, method=method, fields=["title:text", "name:name"]).matches)
