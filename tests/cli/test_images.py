"""lookalike images: its tables, its summary, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.apps.images.pictures import save, scene
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def pictures(lookalike: Run) -> None:
    Path("all").mkdir()
    save(Path("all"), a=scene(1), b=scene(1).resize((120, 90)), c=scene(2))
    Path("all/bad.png").write_bytes(b"")


def test_pairs_pictures_and_a_report_are_written(lookalike: Run) -> None:
    ran = lookalike("images", "all", "--out", "p.csv", "--pictures", "all.parquet", "--report", "r.html")
    assert ran.code == 0 and "1 near " in " ".join(ran.err.split())
    assert "bad.png is empty" in ran.err and "1 unreadable or too large" in ran.err and "Nothing was" in ran.err
    assert Path("p.csv").read_text(encoding="utf-8").splitlines()[1].startswith("a.png,b.png,")
    table = pq.read_table("all.parquet")
    assert table["kept"].to_pylist() == ["a.png", "a.png", "bad.png", "c.png"] and "file" not in table.column_names
    assert Path("r.html").stat().st_size > 1000 and Path("all/b.png").exists()


def test_the_nearest_of_a_query(lookalike: Run) -> None:
    ran = lookalike("images", "all", "--query", "all/b.png", "--top", "2")
    assert [(row["rank"], row["picture"]) for row in ran.rows] == [(1, "b.png"), (2, "a.png")]
    assert "neighbours       2 of 1 query, 2 of them copies" in ran.err


def test_json_has_the_counts(lookalike: Run) -> None:
    ran = lookalike("images", "all", "--json", "--out", "p.csv")
    facts = json.loads(ran.out)["summary"]
    assert facts["documents"] == 4 and facts["pairs"] == 1 and facts["counts"]["problems"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "refused"),
    [
        ("nowhere", 3, "no-pictures-at-path"),
        ("all --threshold 2", 2, "not-a-share"),
        ("all --top 3", 2, "top-without-query"),
        ("all --query all/a.png --pictures p.csv", 2, "pictures-of-queries"),
        ("all --out x.xyz", 2, "unknown-output-format"),
        ("all --out all/a.png --force", 2, "unknown-output-format"),
    ],
)
def test_what_is_invalid_is_refused(lookalike: Run, arguments: str, code: int, refused: str) -> None:
    ran = lookalike("images", *arguments.split(), "-q")
    ran.refused(code, refused, {})
