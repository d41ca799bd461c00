"""Entities are shown with their fields, in reports, notebooks and terminals."""

from __future__ import annotations

from pathlib import Path

import pytest

import lookalike as la
from lookalike.apps.resolve.groups import groups_of
from tests.apps.resolve.people import people
from tests.display.pages import Page
from tests.refusals import refused


@pytest.fixture(scope="module")
def found() -> la.Resolved:
    return la.resolve(people()[0])


def test_groups_are_entities_whose_differences_are_marked(found: la.Resolved) -> None:
    rows, _ = people()
    groups = groups_of(found, 12)
    members = {frozenset(map(str, one)) for one in found.clusters.members()}
    assert len(groups) == 12 and all(frozenset(group.ids) in members for group in groups if group.size <= 8)
    for group in groups:
        for id, record in zip(group.ids, group.records, strict=True):
            values = [rows[int(id)][field.name] or "" for field in found.settings.fields]
            assert [cell.value for cell in record] == values
        for column in zip(*group.records, strict=True):
            assert len({cell.value for cell in column if not cell.differs}) <= 1
            assert any(cell.differs for cell in column) == (len({cell.value for cell in column}) > 1)


def test_the_report_and_show_have_the_records(found: la.Resolved, tmp_path: Path) -> None:
    found.report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    first = groups_of(found, 12)[0]
    for cell in first.records[0]:
        assert cell.value in page and cell.value in str(found.show())
    shown = Page.of(found.show(3)._repr_html_())
    assert shown.harmless and "mark" in shown.tags and "3 of " in shown.text
    with refused("not-a-whole-number", option="n"):
        found.show(0)


def test_matches_of_two_tables_are_shown_beside_each_other() -> None:
    left = [{"name": f"{given} stein", "town": town} for given, town in zip("abcdef", "uvwxyz", strict=True)]
    right = [{"label": row["name"].upper(), "town": row["town"]} for row in left]
    found = la.link(left, right, fields=["name=label:name", "town:text"])
    shown = str(found.show(2))
    assert shown.startswith(f"2 of {len(found)} matches") and "a stein" in shown and "[A STEIN]" in shown


def test_matched_records_have_the_fields_of_both(found: la.Resolved) -> None:
    rows, _ = people()
    table = found.matched_records()
    assert table.select(found.matches.column_names).equals(found.matches)
    for row in table.to_pylist():
        for side in ("left", "right"):
            record = rows[row[side]]
            for field in found.settings.fields:
                assert row[f"{field.name}_{side}"] == ((record[field.name] or "").strip() or None)


def test_matched_records_of_two_tables_take_each_side_from_its_table() -> None:
    left = [{"name": f"{given} stein", "town": town} for given, town in zip("abcdef", "uvwxyz", strict=True)]
    right = [{"label": row["name"].upper(), "town": row["town"]} for row in reversed(left)]
    table = la.link(left, right, fields=["name=label:name", "town:text"]).matched_records()
    assert table.num_rows and all(row["name_left"].upper() == row["name_right"] for row in table.to_pylist())
    assert all(row["name_right"] == right[row["right"]]["label"] for row in table.to_pylist())


def test_hostile_values_are_harmless() -> None:
    name = "\x1b[2J<script>alert(1)</script> smith"
    rows = [{"name": name, "n": n} for n in ("1", "2", "3")] + [{"name": f"x{n} y", "n": n} for n in "456789"]
    shown = la.resolve(rows, fields=["name:text", "n:text"]).show()
    assert "\x1b" not in str(shown) and Page.of(shown._repr_html_()).harmless
