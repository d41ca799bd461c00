"""Fields that functions of the user compare: their values, their weights, and what such functions may return."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.apps.resolve import Field, Settings
from lookalike.apps.resolve.functions import Own, Place
from lookalike.notices import Notice
from tests.apps.resolve.people import people
from tests.refusals import refused

ROWS, PERSON = people(120, 40)
VALUES = st.lists(st.sampled_from(["a", "b", "ab", None]), min_size=1, max_size=8)


def right_pairs() -> set[tuple[int, int]]:
    rows = range(len(ROWS))
    return {(i, j) for i in rows for j in rows if i < j and PERSON[i] == PERSON[j]}


def pairs_of(found: la.Resolved) -> set[tuple[int, int]]:
    return set(zip(found.matches["left"].to_pylist(), found.matches["right"].to_pylist(), strict=True))


@given(VALUES, st.data())
def test_every_pair_of_rows_has_the_similarity_that_the_function_returns(values: Any, data: Any) -> None:
    def measured(one: str, two: str) -> float:  # depends on the order
        return len(one) / (len(one) + 2 * len(two))

    row = st.integers(0, len(values) - 1)
    rows = data.draw(st.lists(st.tuples(row, row), min_size=1))
    own = Own.of("x", measured, pa.array(values, pa.string()), Place(("t",), len(values)))
    left, right = np.array(rows).T
    found = own.similarities(left, right)
    for similarity, ends in zip(found, rows, strict=True):
        one, two = values[min(ends)], values[max(ends)]
        assert np.isnan(similarity) if None in (one, two) else similarity == measured(one, two)


def test_a_function_compares_its_field_and_the_other_fields_are_guessed() -> None:
    seen: set[str] = set()

    def same_start(one: str, two: str) -> bool:
        seen.update([one, two])
        return one[:5] == two[:5]

    found = la.resolve(ROWS, fields={"surname": same_start})
    assert [str(field) for field in found.settings.fields][:3] == [
        "given (name)", "surname (function same_start)", "born (date)",
    ]  # fmt: skip
    assert len(pairs_of(found) ^ right_pairs()) <= 2
    assert seen <= {row["surname"] for row in ROWS}  # the values as they are in the table, and no missing ones
    steps = {step.name: step.similarity for step in found.explain(*min(pairs_of(found))).steps}
    assert steps["surname"] in (0, 1, None)


def test_kinds_functions_and_names_in_two_tables_can_be_given_in_one_dictionary() -> None:
    one = [{"title": row["street"], "born": row["born"], "tel": row["phone"]} for row in ROWS[:80]]
    two = [{"name": row["street"], "born": row["born"], "tel": row["phone"]} for row in ROWS[80:]]
    sides = []

    def equal(left: str, right: str) -> float:
        sides.append((left, right))
        return float(left == right)

    found = la.link(one, two, fields={"title=name": equal, "born": "date", "tel": Field("tel", "code")})
    assert [str(field) for field in found.settings.fields] == [
        "title = name (function equal)", "born (date)", "tel (code)",
    ]  # fmt: skip
    streets = [{row["title"] for row in one}, {row["name"] for row in two}]
    assert {left for left, _ in sides} <= streets[0] and {right for _, right in sides} <= streets[1]


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (lambda one, two: 1 / 0, "field-function-raised"),
        (lambda one: 1, "field-function-raised"),
        (lambda one, two: float("nan"), "field-function-out-of-range"),
        (lambda one, two: 1.01, "field-function-out-of-range"),
        (lambda one, two: None, "field-function-out-of-range"),
        (lambda one, two: "1", "field-function-out-of-range"),
    ],
)
def test_a_function_that_fails_is_named_with_its_field_values_and_rows(function: Any, code: str) -> None:
    with refused(code, field="surname", left="bremach") as error:
        la.link(
            [{"surname": "bremach", "city": "Leeds"}],
            [{"surname": "alt", "city": "York"}, {"surname": "bremach", "city": "Leeds"}],
            fields={"surname": function},
        )
    values = error.value.notice.values
    assert values["left_row"] == Notice("row-of-table", row=0, name="the list given")
    assert values["right_row"].values["row"] in (0, 1)


def test_what_is_neither_a_kind_nor_a_function_is_refused() -> None:
    values: list[Any] = [3, None, ["text"]]
    for value in values:
        with refused("field-not-kind-or-function", field="surname"):
            la.resolve(ROWS, fields={"surname": value})
    with refused("field-needs-function", field="surname"):
        la.resolve(ROWS, fields=["surname:function"])
    with refused("unknown-field-kind"):
        Field("surname", "text", similarity=lambda one, two: 1)
    with refused("field-name-not-a-string"):
        la.resolve(ROWS, fields={3: "text"})  # type: ignore[dict-item]


def test_settings_with_a_function_need_the_function_again(tmp_path: Path) -> None:
    def same(one: str, two: str) -> bool:
        return one == two

    found = la.resolve(ROWS, fields={"phone": same})
    text = found.settings.to_toml()
    assert Settings.from_toml(text).fields[-1] == Field("phone", "function")
    with refused("field-needs-function", field="phone"):
        la.resolve(ROWS, settings=text)
    again = la.resolve(ROWS, settings=text, fields={"phone": same})
    assert again.matches == found.matches and not again.warnings
    assert la.resolve(ROWS, settings=found.settings).matches == found.matches
    loaded = la.load(found.save(tmp_path / "saved"))
    assert loaded.matches == found.matches
    with refused("field-needs-function"):
        loaded.explain(0, 1)
