"""lookalike plagiarism: the tables, the page, the summary, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import BASE, Run


@pytest.fixture(autouse=True)
def essays(lookalike: Run) -> None:
    Path("essays").mkdir()
    Path("essays/ann.txt").write_text(f"I begin on my own. {BASE}", encoding="utf-8")
    Path("essays/bob.txt").write_text("Nothing in here was written by anybody else than me.", encoding="utf-8")


def test_pairs_passages_and_page_are_written_and_counted(lookalike: Run) -> None:
    Path("news").mkdir()
    Path("news/a.txt").write_text(BASE + " and so on", encoding="utf-8")
    ran = lookalike(
        "plagiarism", "essays", "--sources", "news", "--out", "p.csv", "--passages", "q.parquet", "--report", "r.html"
    )
    assert ran.code == 0
    assert "submissions      2 from essays" in ran.err and "pairs            1, with 1 passages" in ran.err
    assert Path("p.csv").read_text(encoding="utf-8").splitlines()[1].startswith("ann.txt,a.txt,source,0.88,")
    (row,) = pq.read_table("q.parquet").to_pylist()
    assert (row["start"], row["other_start"], row["text"]) == (19, 0, BASE)
    assert 'class="copied c0"' in Path("r.html").read_text(encoding="utf-8")
    assert "exists already" in lookalike("plagiarism", "essays", "--out", "p.csv").err


def test_the_table_goes_to_standard_output(lookalike: Run) -> None:
    ran = lookalike("plagiarism", "news.jsonl", "--id", "id", "-q")
    assert ran.err == "" and {(row["submission"], row["other"]) for row in ran.rows} == {
        ("a", "c"), ("a", "d"), ("c", "d"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ("nowhere", 3, "nowhere does not exist"),
        ("essays --sources nowhere", 3, "nowhere does not exist"),
        ("- --sources -", 2, "standard input can be read once only"),
        ("essays --threshold 80", 2, "Did you mean 0.8?"),
        ("essays --code cobol", 2, "--code must be one of auto"),
        ("essays --passages x.xyz", 2, "cannot tell how to write"),
        ("essays --out essays/ann.txt", 4, "exists already"),
        ("essays broken", 3, "expected a text file"),
    ],
)
def test_what_cannot_be_is_said_in_a_line(lookalike: Run, arguments: str, code: int, says: str) -> None:
    Path("broken").write_bytes(b"\xff\xfe\x00 no text")
    ran = lookalike("plagiarism", *arguments.split())
    assert (ran.code, ran.err.count("\n")) == (code, 1) and says in ran.err
