"""lookalike contamination: the table, the summary, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import BASE, Run


@pytest.fixture(autouse=True)
def questions(lookalike: Run) -> None:
    rows = [
        {"nr": 1, "q": " ".join(BASE.split()[3:18])},
        {"nr": 2, "q": "what is the height of the old lighthouse in metres?"},
    ]
    Path("q.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


ASKED = ("contamination", "news.jsonl", "--id", "id", "--test", "q.jsonl", "--test-column", "q", "--test-id", "nr")


def test_leaked_questions_are_listed_and_counted(lookalike: Run) -> None:
    ran = lookalike(*ASKED)
    assert ran.code == 0
    (row,) = ran.rows
    assert (row["test"], row["train"], row["containment"], row["covered"]) == (1, "a", 1.0, 1.0)
    for line in (
        "train            5 from news.jsonl",
        "test             2 from q.jsonl",
        "contained        1 (50.0%): 0.8",
    ):
        assert line in ran.err


def test_all_near_documents_are_listed_on_demand_and_written(lookalike: Run) -> None:
    assert lookalike(*ASKED, "--top", "9", "--out", "leaked.parquet", "-q").err == ""
    assert pq.read_table("leaked.parquet")["train"].to_pylist() == ["a", "c", "d"]


def test_the_report_shows_both_side_by_side(lookalike: Run) -> None:
    ran = lookalike(*ASKED, "--report", "leaks.html", "--out", "leaked.jsonl")
    assert ran.code == 0 and "leaks.html" in ran.err
    page = Path("leaks.html").read_text(encoding="utf-8")
    assert "q.jsonl in news.jsonl" in page and "<mark>" in page and "Leaked documents" in page
    Path("q.jsonl").write_text(
        '{"nr": 1, "q": "<b>nothing</b> of this kind is anywhere in the other one at all"}\n', encoding="utf-8"
    )
    assert lookalike(*ASKED, "--report", "none.html", "-q").code == 0
    assert "There are none." in Path("none.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        ("news.jsonl --test nowhere.jsonl", 3, "no-such-file", {"path": "nowhere.jsonl"}),
        ("- --test -", 2, "standard-input-twice", {}),
        (
            "news.jsonl --test q.jsonl --test-column q --threshold 80",
            2,
            "not-a-share",
            {"option": "threshold", "value": "80", "meant": "0.8"},
        ),
        (
            "news.jsonl --test q.jsonl --test-column q --out news.jsonl --force",
            4,
            "output-is-input",
            {"path": "news.jsonl"},
        ),
        ("news.jsonl --test q.jsonl --test-column q --out x.xyz", 2, "unknown-output-format", {"path": "x.xyz"}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: str, code: int, refused: str, values: dict[str, object]
) -> None:
    ran = lookalike("contamination", *arguments.split())
    ran.refused(code, refused, values)
