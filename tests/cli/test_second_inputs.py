"""Errors about the columns of a second input name options that exist for that input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from tests.cli.conftest import BASE, Run
from tests.refusals import check, refused


@pytest.fixture(autouse=True)
def other(lookalike: Run) -> None:
    Path("other.jsonl").write_text(json.dumps({"nr": 1, "question": BASE}) + "\n", encoding="utf-8")
    Path("records.jsonl").write_text(json.dumps({"nr": 1, "text": BASE}) + "\n", encoding="utf-8")
    pq.write_table(pa.table({"id": [1], "v": [[1.0, 0.0]]}), "vectors.parquet")
    pq.write_table(pa.table({"nr": [1], "w": [[1.0, 0.0]]}), "queries.parquet")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("contamination news.jsonl --test other.jsonl", "test_column"),
        ("contamination news.jsonl --test other.jsonl --test-column question --id id", "test_id"),
        ("join news.jsonl other.jsonl", "right_column"),
        ("join news.jsonl other.jsonl --right-column question --id id", "right_id"),
        ("nearest vectors.parquet queries.parquet --column v", "query_column"),
        ("nearest vectors.parquet queries.parquet --id id", "query_id"),
        ("link news.jsonl records.jsonl --id id", "right_id"),
        ("dedupe news.jsonl --against other.jsonl --out new.jsonl", "against_column"),
        ("dedupe news.jsonl --against records.jsonl --id id --out new.jsonl", "against_id"),
        ("plagiarism news.jsonl --sources other.jsonl", "sources_column"),
    ],
)
def test_a_missing_column_is_named_by_the_options_of_its_input(lookalike: Run, command: str, option: str) -> None:
    check(lookalike(*command.split()).error, "no-such-column", options=(option,))


def test_inputs_that_share_column_names_say_so(lookalike: Run) -> None:
    error = lookalike("plagiarism", "news.jsonl", "--template", "other.jsonl").error
    check(error, "no-such-column-in-other-input", option="template", column="text")


@pytest.mark.parametrize(
    ("command", "code", "option"),
    [
        ("dedupe news.jsonl --against-column body --out new.jsonl", "no-reference", "against_column"),
        ("plagiarism news.jsonl --sources-id nr", "no-sources", "sources_id"),
    ],
)
def test_options_of_a_second_input_need_that_input(lookalike: Run, command: str, code: str, option: str) -> None:
    check(lookalike(*command.split()).error, code, option=option)


def test_the_reference_of_dedupe_has_its_own_columns_and_format(lookalike: Run) -> None:
    Path("old.txt").write_text(json.dumps({"nr": 7, "question": BASE}) + "\n", encoding="utf-8")
    named = "--against-column question --against-id nr --against-format jsonl"
    done = lookalike(
        *f"dedupe news.jsonl --id id --against old.txt {named} --out new.jsonl --removed gone.jsonl".split()
    )
    assert done.code == 0, done.err
    removed = [json.loads(line) for line in Path("gone.jsonl").read_text(encoding="utf-8").splitlines()]
    assert "7" in {row["kept"] for row in removed if row["kept_in"] == "against"}
    own: dict[str, Any] = {"against_column": "question", "against_id": "nr", "against_format": "jsonl"}
    assert la.dedupe("news.jsonl", id="id", against="old.txt", **own).removed.to_pylist() == removed


def test_the_sources_of_plagiarism_have_their_own_columns(lookalike: Run) -> None:
    found = la.plagiarism("news.jsonl", "other.jsonl", id="id", sources_column="question", sources_id="nr")
    assert "1" in map(str, found.pairs["other"].to_pylist())


def test_the_test_data_of_contamination_has_its_own_format(lookalike: Run) -> None:
    Path("test.log").write_text(f"{BASE}\n", encoding="utf-8")
    found = la.contamination("news.jsonl", "test.log", test_format="lines", shingles="words:3")
    assert found.contained == 1


def test_python_names_the_same_options(lookalike: Run) -> None:
    with refused("no-such-column", options=("right_column",)):
        la.join("news.jsonl", "other.jsonl")
    with refused("no-such-column", options=("test_column",)):
        la.contamination("news.jsonl", "other.jsonl")
    with refused("no-such-column", options=("query_column",)):
        la.nearest("vectors.parquet", "queries.parquet", column="v")
    with refused("no-such-column", options=("against_column",)):
        la.dedupe("news.jsonl", against="other.jsonl")
