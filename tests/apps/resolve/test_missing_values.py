"""What should not matter does not: placeholders instead of nulls, and columns that only one table has."""

from __future__ import annotations

import random
from typing import Any

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.apps.resolve.dates import date_in_digits, is_date
from lookalike.apps.resolve.placeholders import PLACEHOLDERS, present
from tests.apps.resolve.people import people

Rows = list[dict[str, Any]]


def _spoilt(rows: Rows, share: float, values: list[str | None]) -> Rows:
    """The same cells are chosen for any values."""
    draw = random.Random(7)
    return [
        {name: draw.choice(values) if draw.random() < share else value for name, value in row.items()} for row in rows
    ]


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_placeholders_are_missing_values(share: float) -> None:
    """A table with N/A or unknown in 30 % of its cells used to be a table of people who live in Unknown."""
    rows, _ = people()
    nulls: list[str | None] = [None] * 4
    placeholders: list[str | None] = ["N/A", "unknown", "null", "-"]
    empty, written = (la.resolve(_spoilt(rows, share, values)) for values in (nulls, placeholders))
    assert [field.kind for field in written.settings.fields] == [field.kind for field in empty.settings.fields]
    assert written.matches.equals(empty.matches)


def test_a_text_that_contains_a_placeholder_is_a_value() -> None:
    texts = pa.array(["Unknown Pleasures", "Nathan", "N/A", *PLACEHOLDERS])
    assert present(texts).to_pylist() == ["Unknown Pleasures", "Nathan", *[None] * (1 + len(PLACEHOLDERS))]


def test_a_column_beside_others_that_only_one_table_has_is_compared() -> None:
    """The name was ignored, because no other column of both tables was filled in the same rows."""
    rows, _ = people()
    left = [{"given": row["given"], "surname": row["surname"], "weight": None} for row in rows]
    weights = [{"given": None, "surname": None, "weight": str(number)} for number in range(1500, 1540, 3)]
    found = la.link(
        [{"name": f"{row['given']} {row['surname']}", "weight": None, "city": "Leeds"} for row in left]
        + [{"name": None, "weight": f"{row['weight']}.5", "city": "York"} for row in weights],
        [{"name": f"{row['given']} {row['surname']}", "weight": None, "job": "cook"} for row in left]
        + [{"name": None, "weight": f"{row['weight']}.5", "job": "judge"} for row in weights],
    )
    assert "name" in [field.name for field in found.settings.fields]


def test_whole_rows_decide_whether_a_record_has_several_matches() -> None:
    """The names repeat, but the rows do not, so a record has at most one match."""
    draw = random.Random(4)
    names = [f"{draw.choice(['anna', 'carl', 'emil'])} {draw.choice('abcdefgh')}berg" for _ in range(300)]
    left = [{"name": name, "born": str(1900 + row % 97), "desk": f"d{row}"} for row, name in enumerate(names)]
    right = [{"name": name, "salary": str(draw.randrange(20_000, 90_000))} for name in names]
    assert la.link(left, right).settings.one_to_one
    assert not la.link([{"name": name} for name in names], [{"name": name} for name in names]).settings.one_to_one


def test_rows_of_frequent_values_do_not_count_as_repeats() -> None:
    """With 40 % of the values missing, rows of a city and a year alone made matches many-to-many."""
    draw = random.Random(5)
    rows, _ = people(600, 0)
    left = [{**row, "city": draw.choice("abcde"), "year": str(1990 + draw.randrange(9))} for row in rows]
    left = [{name: None if draw.random() < 0.5 else value for name, value in row.items()} for row in left]
    assert la.link(left, left).settings.one_to_one
    assert not la.link(left + left[:100], left).settings.one_to_one


@pytest.mark.parametrize(
    "text",
    [
        "31 December 1999",
        "31-dec-1999",
        "Dec 31, 1999",
        "December 31st 1999",
        "1999 Dec 31",
        "31.12.1999",
        "12/31/1999",
    ],
)
def test_months_may_be_words(text: str) -> None:
    assert is_date(text)
    assert date_in_digits(text) == "19991231"


@pytest.mark.parametrize("text", ["May 5", "Marchetti 5 1999", "Augusta 12", "5 Maypole 1999"])
def test_words_that_start_like_months_are_no_dates(text: str) -> None:
    assert not is_date(text)


def test_a_constant_column_does_not_make_other_columns_stand_beside_it() -> None:
    rows, _ = people(200, 60)
    streets = [{"street": row["street"]} for row in rows[:80]]
    table = [{**row, "street": None} for row in rows] + streets + streets[:20]
    plain = la.resolve(table)
    with_origin = la.resolve([{**row, "origin": "web"} for row in table])
    assert "street" in plain.ignored
    assert "street" in with_origin.ignored
    assert len(with_origin) == len(plain)


def test_columns_of_other_names_are_paired_by_kind_and_values() -> None:
    """Only columns of equal names were compared, so two tables of the same people had no match."""
    rows, person = people()
    seen: set[int] = set()
    left: list[tuple[dict[str, Any], int]] = []
    right: list[tuple[dict[str, Any], int]] = []
    for row, who in zip(rows, person, strict=True):
        (right if who in seen else left).append((row, who))
        seen.add(who)
    found = la.link(
        [
            {
                "customer": number,
                "full_name": f"{row['given']} {row['surname']}",
                "telephone": row["phone"],
                "job": "cook",
            }
            for number, (row, _) in enumerate(left)
        ],
        [
            {"Name": f"{row['given']} {row['surname']}", "Tel.": row["phone"], "comment": f"said {number} words"}
            for number, (row, _) in enumerate(right)
        ],
    )
    assert {field.name: field.right for field in found.settings.fields} == {"full_name": "Name", "telephone": "Tel."}
    assert found.ignored["job"] == "not in the right table"
    assert found.ignored["comment"] == "not in the left table"
    true = sum(
        left[a][1] == right[b - len(left)][1] for a, b in zip(found.outcome.left, found.outcome.right, strict=True)
    )
    assert 2 * true >= 0.9 * (len(found) + len(right))
