"""Folders named `year=2024` are columns, whatever the format of the files below them."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.io.open import Paths, open_source
from tests.io.making import encode, read_rows, texts
from tests.refusals import refused

CAT, DOG = "the cat sat on the mat and looked at the moon", "a dog barked at every car in the street"
FOLDERS = {"year=2023/lang=en": [CAT, DOG], "year=2024/lang=de": [CAT], "year=2024/lang=a%20b": [DOG, CAT, "other"]}
SUFFIXES = ["parquet", "jsonl", "csv"]


@pytest.fixture
def crawl(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    for folder, rows in FOLDERS.items():
        file = tmp_path / "crawl" / folder / f"part.{request.param}"
        file.parent.mkdir(parents=True)
        file.write_bytes(encode([{"text": row} for row in rows], request.param))
    return tmp_path / "crawl"


@pytest.mark.parametrize("crawl", SUFFIXES, indirect=True)
@pytest.mark.parametrize("batch_rows", [1, 8192])
def test_partitions_are_columns(crawl: Path, batch_rows: int) -> None:
    named = [(row, int(folder[5:9]), folder.split("=")[-1].replace("%20", " "))
             for folder, rows in sorted(FOLDERS.items()) for row in rows]  # fmt: skip
    for data in (crawl, str(crawl / "*" / "*" / "part.*"), Paths(sorted(crawl.rglob("part.*")))):
        source = open_source(data, batch_rows=batch_rows)
        assert source.columns == ["text", "year", "lang"]
        assert [(row["text"], row["year"], row["lang"]) for row in read_rows(source)] == named
        assert [batch.data["lang"].to_pylist() for batch in source.read(["lang"], 3, 4)] == [[named[3][2]]]
        assert texts(source) == [text for text, _, _ in named]


@pytest.mark.parametrize("crawl", SUFFIXES, indirect=True)
def test_kept_rows_have_the_partitions_in_one_file_and_the_folders_in_a_folder(crawl: Path, tmp_path: Path) -> None:
    result = la.dedupe(crawl, keep="best:year", out=tmp_path / "kept.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert rows == result.kept.to_pylist()
    assert [(row["text"], row["year"]) for row in rows] == [(DOG, 2024), (CAT, 2024), ("other", 2024)]
    la.dedupe(crawl, out=tmp_path / "clean")
    kept = open_source(tmp_path / "clean")
    assert [row["year"] for row in read_rows(kept)] == [2023, 2023, 2024]
    assert {file.relative for file in kept.files} == {f"{folder}/part{crawl_suffix(crawl)}" for folder in FOLDERS}  # type: ignore[attr-defined]


def crawl_suffix(crawl: Path) -> str:
    return next(crawl.rglob("part.*")).suffix


@pytest.mark.parametrize("crawl", SUFFIXES, indirect=True)
def test_a_partition_can_name_documents_and_baskets(crawl: Path, tmp_path: Path) -> None:
    source = open_source(crawl, id="lang")
    named = [
        (lang, text)
        for lang, rows in (("en", [CAT, DOG]), ("a b", [DOG, CAT, "other"]), ("de", [CAT]))
        for text in rows
    ]
    assert [(row["lang"], row["text"]) for row in read_rows(source)] == named
    with pytest.warns(la.LookalikeWarning):  # ids that repeat
        pairs = la.find_pairs(crawl, id="lang")
    assert ("en", "de", 1.0) in list(pairs) and ("en", "a b", 1.0) in list(pairs)
    removed = la.dedupe(crawl, id="year", keep="last", out=tmp_path / "clean").removed
    assert removed["id"].to_pylist() == [2023, 2023, 2024] and {*removed["kept"].to_pylist()} == {2024}
    assert la.find_pairs(crawl, basket="year", column="text", threshold=0.5).top() == [(2023, 2024, 2 / 3)]
    with refused("no-such-column", column="month"):
        open_source(crawl, id="month")
    (crawl / f"outside{crawl_suffix(crawl)}").write_bytes(next(crawl.rglob("part.*")).read_bytes())
    with refused("missing-id", column="lang"):
        open_source(crawl, id="lang")


@pytest.mark.parametrize("crawl", ["parquet"], indirect=True)
def test_no_row_is_kept_and_the_columns_are_still_there(crawl: Path, tmp_path: Path) -> None:
    la.dedupe(crawl, against=crawl, out=tmp_path / "none.parquet")
    assert pq.read_schema(tmp_path / "none.parquet").names == ["text", "year", "lang"]


def test_columns_of_the_files_come_first_and_missing_values_are_null(tmp_path: Path) -> None:
    for folder in ("year=2023/month=01", "year=__HIVE_DEFAULT_PARTITION__", "."):
        (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        (tmp_path / folder / "a.jsonl").write_bytes(encode([{"text": "x", "lang": "en"}], "jsonl"))
    (tmp_path / "lang=de").mkdir()
    (tmp_path / "lang=de" / "a.jsonl").write_bytes(encode([{"text": "x", "lang": "en"}], "jsonl"))
    rows = read_rows(open_source(tmp_path))
    assert {row["lang"] for row in rows} == {"en"}
    assert sorted(((row["year"], row["month"]) for row in rows), key=str) == [
        (2023, "01"), (None, None), (None, None), (None, None),
    ]  # fmt: skip


def test_the_folders_of_texts_are_part_of_their_paths_only(tmp_path: Path) -> None:
    (tmp_path / "year=2024").mkdir()
    (tmp_path / "year=2024" / "a.txt").write_text("x")
    assert read_rows(open_source(tmp_path)) == [{"path": "year=2024/a.txt", "text": "x"}]
