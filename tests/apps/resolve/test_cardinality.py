"""How many matches a record may have between two tables, why, and how many it has."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lookalike as la
from lookalike.notices import Notice
from tests.apps.resolve.people import people
from tests.refusals import refused

ROWS, _ = people(120, 40)


def reason(found: la.Resolved) -> tuple[str, str]:
    matching = found.facts.matching
    assert matching is not None
    return matching.code, matching.values["why"].code


def test_the_reason_is_named(tmp_path: Path) -> None:
    usual = la.link(ROWS[:80], ROWS[80:])
    assert reason(usual) == ("one-match-per-record", "because-no-table-repeats")
    assert usual.cardinality == "one-to-one"
    repeated = la.link(ROWS[:80], [*ROWS[80:], *ROWS[80:]])
    assert reason(repeated) == ("many-matches-per-record", "because-tables-repeat")
    assert repeated.facts.matching is not None
    assert repeated.facts.matching.values["why"] == Notice("because-tables-repeat", names=("the list given",))
    assert reason(la.link(ROWS[:80], ROWS[80:], one_to_one=False)) == ("many-matches-per-record", "as-requested")
    assert reason(la.link(ROWS[:80], ROWS[80:], settings=usual.settings))[1] == "as-in-settings"
    assert la.load(repeated.save(tmp_path / "saved")).facts.matching == repeated.facts.matching
    page = repeated.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The matches are one-to-many: any number of matches per record" in page


@pytest.mark.parametrize(
    ("left", "right", "cardinality"),
    [(1, 1, "one-to-one"), (2, 1, "many-to-one"), (1, 2, "one-to-many"), (2, 2, "many-to-many")],
)
def test_matches_are_counted_on_both_sides(left: int, right: int, cardinality: str) -> None:
    row: dict[str, Any] = {"name": "Ann Smith", "city": "Leeds"}
    found = la.link([row] * left, [row] * right, method="points", one_to_one=False)
    assert len(found) == left * right and found.cardinality == cardinality


def test_one_table_has_no_cardinality() -> None:
    found = la.resolve(ROWS)
    assert found.facts.matching is None
    with refused("resolve-has-no-cardinality"):
        _ = found.cardinality


def test_tables_without_rows_are_refused() -> None:
    import pyarrow as pa

    with refused("no-records"):
        la.resolve(pa.table({"name": pa.array([], pa.string())}))


def test_fields_with_missing_values_are_listed_on_one_line() -> None:
    """Each of them once had a line "nothing to compare"."""
    rows = [*ROWS, {"surname": "brenmann"}, {"surname": "brenmann"}]
    explained = la.resolve(rows).explain(len(ROWS), len(ROWS) + 1)
    assert explained.missing == ["given", "born", "street", "phone"]
    lines = [line for line in str(explained).splitlines() if line.startswith("missing")]
    assert len(lines) == 1 and lines[0].endswith("given, born, street, phone")
    assert sum(step.adds for step in explained.compared) == pytest.approx(explained.score)
