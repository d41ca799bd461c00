"""lookalike stories: the tables, the summary, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Run


def test_stories_are_listed_and_counted(lookalike: Run) -> None:
    ran = lookalike("stories", "news.jsonl", "--id", "id")
    assert [(row["id"], row["representative"]) for row in ran.rows] == [
        ("a", "a"), ("b", "b"), ("c", "a"), ("d", "a"), ("e", "e"),
    ]  # fmt: skip
    assert "stories          1 on two or more pages, the largest on 3 pages" in ran.err
    assert "stop words       en" in ran.err and "mirrors" not in ran.err


def test_all_tables_are_written(lookalike: Run) -> None:
    ran = lookalike(
        "stories", "news.jsonl", "--id", "id", "--url", "id", "--date", "score", "--method", "length",
        "--out", "p.parquet", "--stories", "s.parquet", "--boilerplate", "f.csv", "--mirrors", "m.csv",
    )  # fmt: skip
    assert ran.code == 0 and "undated          5 pages" in ran.err and "mirrors          0" in ran.err
    assert pq.read_table("s.parquet").select(["pages", "hosts"]).to_pylist() == [{"pages": 3, "hosts": 3}]
    assert Path("m.csv").read_text(encoding="utf-8") == "left,right,left_stories,right_stories,common,share\n"


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        ("nowhere.jsonl", 3, "no-such-file", {"path": "nowhere.jsonl"}),
        ("news.jsonl --url nope", 3, "no-such-column", {"column": "nope"}),
        ("news.jsonl --language xx", 2, "no-stop-list", {}),
        ("news.jsonl --threshold 80", 2, "not-a-share", {"option": "threshold", "value": "80", "meant": "0.8"}),
        ("news.jsonl --stories x.xyz", 2, "unknown-output-format", {"path": "x.xyz"}),
        ("news.jsonl --out news.jsonl --force", 4, "output-is-input", {"path": "news.jsonl"}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: str, code: int, refused: str, values: dict[str, object]
) -> None:
    ran = lookalike("stories", *arguments.split(), "-q")
    ran.refused(code, refused, values)
