"""A column of numbers or objects is refused as a column. Skipping its rows one by one would compare nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import lookalike as la
from tests.refusals import refused


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    path = tmp_path / "nested.jsonl"
    rows = [{"id": i, "payload": {"n": i, "text": f"text {i}"}} for i in range(3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("column", "kind"), [("payload.n", "numbers"), ("payload", "objects"), ("id", "numbers")])
def test_the_error_names_the_columns_of_texts(nested: Path, column: str, kind: str) -> None:
    with refused("column-without-texts", column=column, kind=kind, columns=("payload.text",)):
        la.find_pairs(nested, column=column)


def test_one_number_among_texts_is_a_malformed_row(tmp_path: Path) -> None:
    path = tmp_path / "mixed.jsonl"
    path.write_text('{"text": 1}\n{"text": "one"}\n', encoding="utf-8")
    with refused("malformed-row"):
        la.find_pairs(path)


@pytest.mark.filterwarnings("ignore::lookalike.errors.LookalikeWarning")
def test_a_run_that_skips_every_row_warns(nested: Path) -> None:
    found = la.find_pairs(nested, column="payload.n", on_error="skip")
    assert found.warnings[0].code == "every-row-skipped" and found.warnings[0].values["count"] == 3
