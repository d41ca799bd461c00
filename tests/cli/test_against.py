"""lookalike dedupe --against. If the counts of a run do not add up, it raises an error and writes nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from lookalike.results.deduped import Deduped
from tests.cli.conftest import BASE, Run


@pytest.fixture(autouse=True)
def old(lookalike: Run) -> None:
    Path("old.jsonl").write_text(json.dumps({"id": "o", "text": f"{BASE}!"}) + "\n", encoding="utf-8")


def test_what_is_like_the_reference_goes(lookalike: Run) -> None:
    ran = lookalike(
        "dedupe", "news.jsonl", "--against", "old.jsonl", "--id", "id", "--out", "new.jsonl", "--report", "r.html"
    )
    assert ran.code == 0
    assert [json.loads(line)["id"] for line in Path("new.jsonl").read_text(encoding="utf-8").splitlines()] == ["b", "e"]
    removed = pq.read_table("new.jsonl.removed.parquet").to_pylist()
    assert [(row["id"], row["kept"], row["kept_in"]) for row in removed] == [(i, "o", "against") for i in "acd"]
    for line in (
        "documents        5 from news.jsonl",
        "against          1 reference documents",
        "like reference   3 (60.0%)",
    ):
        assert line in ran.err
    assert "ids are not unique" not in ran.err
    assert "against old.jsonl" in Path("r.html").read_text(encoding="utf-8")


def test_ids_that_both_sides_have_are_no_mistake(lookalike: Run) -> None:
    ran = lookalike("dedupe", "news.jsonl", "--against", "news.jsonl", "--id", "id", "--out", "new.jsonl")
    assert ran.code == 0 and "warning" not in ran.err
    assert [json.loads(line)["id"] for line in Path("new.jsonl").read_text(encoding="utf-8").splitlines()] == ["e"]


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        ("news.jsonl --against nowhere.jsonl", 3, "no-such-file", {"path": "nowhere.jsonl"}),
        ("- --against -", 2, "standard-input-twice", {}),
        ("news.jsonl --against old.jsonl --column nope", 3, "no-such-column", {"column": "nope"}),
        ("news.jsonl --against ''", 2, "empty-input", {}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: str, code: int, refused: str, values: dict[str, object]
) -> None:
    ran = lookalike("dedupe", *(word.strip("'") for word in arguments.split()), "--out", "out.jsonl")
    ran.refused(code, refused, values)


def test_the_reference_is_not_written_over(lookalike: Run) -> None:
    ran = lookalike("dedupe", "news.jsonl", "--against", "old.jsonl", "--out", "old.jsonl", "--force")
    ran.refused(4, "output-is-input", {"name": "old.jsonl"})


def test_a_dry_run_is_made_of_both_sides(lookalike: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.display.progress.PATIENCE", 0)  # so that a line is printed for every stage
    ran = lookalike("dedupe", "news.jsonl", "--against", "old.jsonl", "--forecast", "--out", "new.jsonl")
    assert ran.code == 0 and "dry run 6: " in ran.err, "one of them is in the reference"


def test_a_count_that_does_not_add_up_ends_the_run_and_leaves_no_output(
    lookalike: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lookalike.removal.Deduped", lambda clusters, kept, *rest: Deduped(clusters, kept[1:], *rest))
    ran = lookalike("dedupe", "news.jsonl", "--out", "out.jsonl")
    assert ran.code == 70 and ran.error is not None and ran.error.code == "rows-lost"
    assert not Path("out.jsonl").exists() and not Path("out.jsonl.removed.parquet").exists()
