"""Tables as records: values of any type are read as the intended text."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike.io.records import read_records
from tests.refusals import refused


def written(path: Path, rows: list[Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_not_a_number_is_a_missing_value() -> None:
    table = pa.table({"price": [1.5, float("nan"), None], "half": pa.array([1, None, None], pa.float16())})
    read = read_records(table).columns
    assert read["price"].to_pylist() == ["1.5", None, None] and read["half"].to_pylist() == ["1", None, None]


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        (["a1", 7, None, 1.5], ["a1", "7", None, "1.5"]),
        (["a1", ["b", "c"]], ["a1", "b c"]),
        ([["a", 7], ["b"]], ["a 7", "b"]),
        ([1, 1.5], ["1", "1.5"]),
        ([True, "x"], ["True", "x"]),
        ([["a", "b"], None, "c"], ["a b", None, "c"]),
        (["1", '"quoted"', {"a": 1}], ["1", '"quoted"', "{'a': 1}"]),
    ],
)
@pytest.mark.parametrize("beside", [{}, {"name": "ann"}])
def test_columns_of_mixed_types_keep_their_texts(
    tmp_path: Path, values: list[Any], texts: list[Any], beside: dict[str, str]
) -> None:
    """Whether or not this is the column that is always read."""
    path = written(tmp_path / "a.jsonl", [beside | {"id": value} for value in values])
    assert read_records(path).columns["id"].to_pylist() == texts


def test_parquet_without_text_columns_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"born": [date(1970, 3, 1), None], "price": [1.5, float("nan")]}), path)
    read = read_records(path)
    assert read.columns["born"].to_pylist() == ["1970-03-01", None] and read.columns["price"].to_pylist()[1] is None
    assert [file.path for file in read.files] == [str(path)]
    pq.write_table(pa.table({"name": pa.array(["ann", "bob", "ann"]).dictionary_encode()}), path)
    assert read_records(path).columns["name"].to_pylist() == ["ann", "bob", "ann"]


def test_names_that_differ_by_a_space_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("name,name \nann,bob\n", encoding="utf-8")
    with refused("repeated-column", column="name"):
        read_records(path)


@pytest.mark.parametrize("head", ["name*", "name: full", "a|b"])
def test_a_sign_in_the_header_alone_is_no_separator(tmp_path: Path, head: str) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"{head}\nann smith\nbob\n", encoding="utf-8")
    assert list(read_records(path).columns) == [head]
