"""Candidates by rules of the user: columns that must be equal, and functions that return keys."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.apps.resolve import Settings, blocks
from lookalike.apps.resolve.blocks import blocked
from lookalike.apps.resolve.rules import rules_of
from lookalike.apps.resolve.tables import columns_of, guess
from lookalike.io.records import Records, read_records
from tests.apps.resolve.people import people
from tests.refusals import refused

ROWS, PERSON = people(120, 40)
CELL = st.sampled_from(["a", "b", "A.", "N/A", None])
TABLE = st.lists(st.fixed_dictionaries({"x": CELL, "y": CELL}), min_size=2, max_size=9)
PLAIN = {"a": "a", "b": "b", "A.": "a", "N/A": None, None: None}


def candidates(tables: list[Records], given: Any) -> set[tuple[int, int]]:
    fields = guess(tables, [], [], [None] * len(tables)).fields
    settings = Settings(fields, candidates=rules_of(given, tables))
    found = blocked(tables, columns_of(tables, fields), settings)
    assert found is not None and len(found) == len(set(zip(found.left.tolist(), found.right.tolist(), strict=True)))
    return set(zip(found.left.tolist(), found.right.tolist(), strict=True))


@given(TABLE, TABLE, st.booleans())
def test_rules_select_all_pairs_that_fulfil_one_of_them(one: Any, two: Any, is_linked: bool) -> None:
    rows = [{"x": "p q", "y": "r"}, *one, *([{"x": "p q", "y": "r"}, *two] if is_linked else [])]
    split = len(one) + 1
    parts = [rows[:split], rows[split:]] if is_linked else [rows]
    tables = [read_records([{"n": f"w{i} v", **row} for i, row in enumerate(part)]) for part in parts]

    def equal(i: int, j: int, name: str) -> bool:
        one, two = (PLAIN.get(rows[row][name], rows[row][name]) for row in (i, j))
        return one == two and one is not None

    pairs = [(i, j) for j in range(len(rows)) for i in range(j) if not is_linked or i < split <= j]
    assert candidates(tables, "x") == {pair for pair in pairs if equal(*pair, "x")}
    assert candidates(tables, "x,y") == {pair for pair in pairs if equal(*pair, "x") and equal(*pair, "y")}
    assert candidates(tables, ["x", ("y",)]) == {pair for pair in pairs if equal(*pair, "x") or equal(*pair, "y")}

    def keys(row: dict[str, str | None]) -> list[Any]:
        return [PLAIN.get(row["x"], row["x"]), ("y", PLAIN.get(row["y"], row["y"]))]

    assert candidates(tables, keys) == {pair for pair in pairs if equal(*pair, "x") or equal(*pair, "y")}


def test_only_pairs_of_the_rules_are_compared_with_the_usual_weights() -> None:
    found, usual = la.resolve(ROWS, candidates=["phone", ("surname", "born")]), la.resolve(ROWS)
    rows = zip(found.outcome.left.tolist(), found.outcome.right.tolist(), strict=True)
    for one, two in ((ROWS[i], ROWS[j]) for i, j in rows):
        assert one["phone"] == two["phone"] or all(one[name] == two[name] for name in ("surname", "born"))
    assert 25 < len(found) < len(usual)
    weights = found.settings.weights, usual.settings.weights
    assert weights[0] is not None and weights[1] is not None
    assert (weights[0].m == weights[1].m).all() and weights[0].odds == weights[1].odds
    assert found.facts.candidates == found.facts.predicted and found.facts.recall is None


def test_rules_are_saved_with_the_settings_but_functions_are_not() -> None:
    found = la.resolve(ROWS, candidates=["phone", "surname, born"])
    text = found.settings.to_toml()
    assert [rule.name for rule in Settings.from_toml(text).candidates or ()] == ["phone", "surname and born"]
    assert la.resolve(ROWS, settings=text).matches == found.matches

    def initials(row: dict[str, str | None]) -> str:
        return f"{row['given']}"[0] + f"{row['surname']}"[0]

    by_function = la.resolve(ROWS, candidates=initials)
    text = by_function.settings.to_toml()
    with refused("candidates-need-function", name="initials()"):
        la.resolve(ROWS, settings=text)
    assert la.resolve(ROWS, settings=text, candidates=initials).matches == by_function.matches


def test_tables_are_linked_by_rules_and_columns_may_be_written_differently() -> None:
    other = [{name.title(): value for name, value in row.items()} for row in ROWS[80:]]
    found = la.link(ROWS[:80], other, candidates="phone")
    assert len(found) and found.facts.candidates == len(
        [1 for one in ROWS[:80] for two in ROWS[80:] if one["phone"] == two["phone"] is not None]
    )


@pytest.mark.parametrize(
    ("rules", "code", "values"),
    [
        ([], "no-candidate-rules", {}),
        (3, "not-a-candidate-rule", {"value": 3}),
        (["phone", ("a", 3)], "not-a-candidate-rule", {}),
        (lambda row: 1 / 0, "candidate-function-raised", {"name": "<lambda>"}),
        (lambda row: {}, "candidate-function-raised", {}),
        (lambda row: object(), "not-a-candidate-key", {}),
        ("colour", "no-such-column", {"column": "colour"}),
    ],
)
def test_invalid_rules_are_refused(rules: Any, code: str, values: dict[str, Any]) -> None:
    with refused(code, **values):
        la.resolve(ROWS, candidates=rules)


def test_rules_with_too_many_pairs_are_refused_before_they_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "MOST", 100)
    with refused("too-many-candidates", rule="given", most=100):
        la.resolve(ROWS, candidates=["phone", "given"])


def test_a_warning_says_that_rules_miss_matches() -> None:
    nothing = la.resolve(ROWS, candidates=lambda row: None)
    assert not len(nothing) and [one.code for one in nothing.warnings] == ["no-candidates", "candidates-miss-matches"]
    assert np.array_equal(nothing.outcome.labels, np.arange(len(ROWS)))
