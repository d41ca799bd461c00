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
    lookalike("plagiarism", "essays", "--out", "p.csv").refused(4, "output-exists", {"path": "p.csv"})


def test_the_table_goes_to_standard_output(lookalike: Run) -> None:
    ran = lookalike("plagiarism", "news.jsonl", "--id", "id", "-q")
    assert ran.err == "" and {(row["submission"], row["other"]) for row in ran.rows} == {
        ("a", "c"), ("a", "d"), ("c", "d"),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        ("nowhere", 3, "no-such-file", {"path": "nowhere"}),
        ("essays --sources nowhere", 3, "no-such-file", {"path": "nowhere"}),
        ("- --sources -", 2, "standard-input-twice", {}),
        ("essays --threshold 80", 2, "not-a-share", {"option": "threshold", "value": "80", "meant": "0.8"}),
        ("essays --code cobol", 2, "not-one-of", {"option": "code", "value": "cobol"}),
        ("essays --passages x.xyz", 2, "unknown-output-format", {"path": "x.xyz"}),
        ("essays --out news.jsonl", 4, "output-exists", {"path": "news.jsonl"}),
        ("essays broken", 3, "malformed-row", {}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: str, code: int, refused: str, values: dict[str, object]
) -> None:
    Path("broken").write_bytes(b"\xff\xfe\x00 no text")
    ran = lookalike("plagiarism", *arguments.split())
    ran.refused(code, refused, values)
