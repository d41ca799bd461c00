"""A summary keeps its warnings as notices, by code and values, wherever it goes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import lookalike as la
from lookalike.errors import LookalikeWarning
from lookalike.notices import Notice
from lookalike.results.summary import Summary

ROWS = [{"id": "a", "text": "one two three"}, {"id": "a", "text": "four five six"}, {"id": "b", "text": "seven"}]


def test_json_keeps_the_codes_and_values_of_warnings() -> None:
    warnings = (Notice("duplicate-ids", source=None, repeated=1, rows=3),)
    summary = Summary(documents=3, seconds={"sign": 0.5}, warnings=warnings)
    as_json = json.dumps(summary.to_dict())
    assert json.loads(as_json)["warnings"] == [
        {"code": "duplicate-ids", "values": {"source": None, "repeated": 1, "rows": 3}}
    ]
    assert Summary.from_dict(json.loads(as_json)) == summary


@pytest.mark.parametrize("engine", ["local", "reference"])
def test_ids_that_repeat_are_reported_by_each_engine(engine: Any) -> None:
    with pytest.warns(LookalikeWarning, match="not unique"):
        found = la.find_clusters(ROWS, id="id", engine=engine)
    assert found.summary.warnings == (Notice("duplicate-ids", source=None, repeated=1, rows=3),)


def test_a_join_names_the_side_whose_ids_repeat() -> None:
    with pytest.warns(LookalikeWarning):
        (warning,) = la.join(ROWS, ROWS[1:], id="id").summary.warnings
    assert isinstance(warning, Notice) and warning.code == "duplicate-ids"
    assert warning.values["source"] and (warning.values["repeated"], warning.values["rows"]) == (1, 3)


def test_ids_that_both_the_data_and_its_reference_have_are_no_duplicates() -> None:
    assert la.dedupe(ROWS[1:], against=ROWS[:1], id="id").summary.warnings == ()
