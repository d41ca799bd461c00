"""lookalike join: two files, or one, by every kind of measure; what it writes and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Run

CUSTOMERS = "key,name\nc1,Jon Smith\nc2,Mary Jones\nc3,\nc4,Li Wei\n"
SUPPLIERS = "nr,firm\n10,John Smyth\n20,Maria Jones\n30,Li Wei\n"
BASKETS = '{"id": 1, "items": ["a", "b", "c", "d"]}\n{"id": 2, "items": ["b", "a"]}\n{"id": 3, "items": ["x"]}\n'

NAMES = ("--column", "name", "--id", "key", "--right-column", "firm", "--right-id", "nr")


@pytest.fixture(autouse=True)
def files(lookalike: Run, tmp_path: Path) -> None:
    (tmp_path / "customers.csv").write_text(CUSTOMERS, encoding="utf-8")
    (tmp_path / "suppliers.csv").write_text(SUPPLIERS, encoding="utf-8")
    (tmp_path / "baskets.jsonl").write_text(BASKETS, encoding="utf-8")


def test_two_files_are_joined_by_edit_distance(lookalike: Run) -> None:
    ran = lookalike("join", "customers.csv", "suppliers.csv", *NAMES, "--measure", "levenshtein", "--distance", "2")
    assert ran.code == 0
    assert [(row["left"], row["right"], row["distance"]) for row in ran.rows] == [
        ("c1", "10", 2), ("c2", "20", 2), ("c4", "30", 0),
    ]  # fmt: skip
    assert "left             4 from customers.csv" in ran.err
    assert "right            3 from suppliers.csv" in ran.err
    assert "unusable         1 empty, 0 malformed" in ran.err
    assert "pairs            3 by levenshtein distance of 2 or less" in ran.err


def test_a_file_is_joined_with_itself(lookalike: Run) -> None:
    ran = lookalike("join", "baskets.jsonl", "--column", "items", "--id", "id", "--threshold", "0.5", "-q")
    assert ran.rows == [{"left": 1, "right": 2, "similarity": 0.5}]
    assert ran.err == ""


def test_each_side_has_a_format_of_its_own(lookalike: Run) -> None:
    Path("sets").write_text("milk bread\nbeer\n", encoding="utf-8")
    Path("lists").write_text('{"items": ["bread", "milk"]}\n', encoding="utf-8")
    formats = ("--format", "baskets", "--right-format", "jsonl", "--right-column", "items")
    ran = lookalike("join", "sets", "lists", *formats)
    assert ran.rows == [{"left": 0, "right": 0, "similarity": 1.0}]


def test_containment_has_two_sides(lookalike: Run) -> None:
    ran = lookalike("join", "baskets.jsonl", "--column", "items", "--id", "id", "--measure", "containment", "-q")
    assert ran.rows == [{"left": 2, "right": 1, "similarity": 1.0}]


def test_top_gives_the_nearest_of_each_left_row_without_a_threshold(lookalike: Run) -> None:
    ran = lookalike("join", "customers.csv", "suppliers.csv", *NAMES, "--shingles", "chars:2", "--top", "1", "-q")
    assert [(row["left"], row["right"]) for row in ran.rows] == [("c1", "10"), ("c2", "20"), ("c4", "30")]


def test_the_table_carries_the_question(lookalike: Run) -> None:
    assert lookalike("join", "baskets.jsonl", "--column", "items", "--out", "pairs.parquet", "--top", "2").code == 0
    rules = pq.read_table("pairs.parquet").schema.metadata[b"lookalike.join"].decode()
    assert rules.startswith('measure = "jaccard"\ntop = 2\n\n[shingles]\nkind = "tokens"\n')


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        ("baskets.jsonl --column items --measure edit --distance 1", 2, "edit-distance-of-tokens", {"column": "items"}),
        ("baskets.jsonl --column items --measure hamming", 2, "missing-distance", {"measure": "hamming"}),
        ("baskets.jsonl --column items --measure sum-bag --threshold 0.6", 2, "sum-bag-above-half", {"value": "0.6"}),
        ("baskets.jsonl --column items --measure sum-bag --no-bag", 2, "sum-bag-of-sets", {}),
        (
            "baskets.jsonl --column items --threshold 80",
            2,
            "not-a-share",
            {"option": "threshold", "value": "80", "meant": "0.8"},
        ),
        ("baskets.jsonl --column items --distance 2", 2, "distance-of-a-similarity", {"measure": "jaccard"}),
        ("baskets.jsonl --column items --top 0", 2, "not-a-whole-number", {"option": "top", "value": 0}),
        ("baskets.jsonl --column items --right-id nr", 2, "no-second-input", {"option": "right_id"}),
        ("baskets.jsonl customers.csv", 3, "no-such-column", {"column": "text"}),
        (
            "baskets.jsonl customers.csv --column items --right-column name",
            2,
            "texts-against-tokens",
            {"texts": "right"},
        ),
        ("customers.csv nothing.csv --column name", 3, "no-such-file", {"path": "nothing.csv"}),
        ("customers.csv --column name --measure edit --distance 2 --bag", 2, "not-for-strings", {"option": "bag"}),
        ("customers.csv --column name --out customers.csv --force", 4, "output-is-input", {"path": "customers.csv"}),
        (
            "customers.csv suppliers.csv --column name --right-column firm --out suppliers.csv --force",
            4,
            "output-is-input",
            {"path": "suppliers.csv"},
        ),
        ("customers.csv --column name --out baskets.jsonl", 4, "output-exists", {"path": "baskets.jsonl"}),
        ("- - --column name", 2, "standard-input-twice", {}),
        ("customers.csv --column name --out pairs.xyz", 2, "unknown-output-format", {"path": "pairs.xyz"}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: str, code: int, refused: str, values: dict[str, object]
) -> None:
    lookalike("join", *arguments.split()).refused(code, refused, values)


def test_the_summary_names_the_shingles_and_what_short_texts_usually_need(lookalike: Run) -> None:
    """The summary did not show the shingles: words:5 takes a whole name as one shingle, and typing errors matter."""
    ran = lookalike("join", "customers.csv", "--column", "name", "--threshold", "0.5")
    assert "shingles         words:5, chosen by auto; chars:5 would tolerate typing errors\n" in ran.err
    ran = lookalike("join", "customers.csv", "--column", "name", "--threshold", "0.5", "--shingles", "chars:2")
    assert "shingles         chars:2\n" in ran.err
    ran = lookalike("join", "customers.csv", "--column", "name", "--measure", "edit", "--distance", "2")
    assert "shingles" not in ran.err
