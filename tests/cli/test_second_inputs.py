"""Errors about the columns of a second input name options that exist for that input."""

from __future__ import annotations

import json
from pathlib import Path

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
    ],
)
def test_a_missing_column_is_named_by_the_options_of_its_input(lookalike: Run, command: str, option: str) -> None:
    check(lookalike(*command.split()).error, "no-such-column", options=(option,))


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("dedupe news.jsonl --against other.jsonl --out new.jsonl", "against"),
        ("plagiarism news.jsonl --sources other.jsonl", "sources"),
        ("plagiarism news.jsonl --template other.jsonl", "template"),
    ],
)
def test_inputs_that_share_column_names_say_so(lookalike: Run, command: str, option: str) -> None:
    check(lookalike(*command.split()).error, "no-such-column-in-other-input", option=option, column="text")


def test_python_names_the_same_options(lookalike: Run) -> None:
    with refused("no-such-column", options=("right_column",)):
        la.join("news.jsonl", "other.jsonl")
    with refused("no-such-column", options=("test_column",)):
        la.contamination("news.jsonl", "other.jsonl")
    with refused("no-such-column", options=("query_column",)):
        la.nearest("vectors.parquet", "queries.parquet", column="v")
    with refused("no-such-column-in-other-input", option="against"):
        la.dedupe("news.jsonl", against="other.jsonl")
