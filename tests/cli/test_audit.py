"""lookalike audit and --audit: the recall of the written result, in words, as JSON and in the report."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Run
from tests.trust.families import families

BAD = ("--threshold", "0.8", "--bands", "9", "--rows", "13", "--id", "id", "-q")


@pytest.fixture(autouse=True)
def corpus(lookalike: Run, tmp_path: Path) -> None:
    pq.write_table(families(400), tmp_path / "corpus.parquet")


def test_the_recall_of_written_pairs_is_measured(lookalike: Run) -> None:
    assert lookalike("pairs", "corpus.parquet", *BAD, "--out", "pairs.parquet").code == 0
    ran = lookalike("audit", "pairs.parquet", "--out", "missed.jsonl")
    assert ran.code == 0
    for line in (
        "documents        400 from corpus.parquet",
        "sampled          400 documents",
        "pair recall      0.",
        "1 … 1)",
    ):
        assert line in ran.out
    missed = [json.loads(line) for line in Path("missed.jsonl").read_text(encoding="utf-8").splitlines()]
    assert missed and all(row["similarity"] >= 0.8 for row in missed)
    numbers = json.loads(lookalike("audit", "pairs.parquet", "--json", "-q").out)["summary"]
    assert numbers["missed"] == len(missed) and 0 < numbers["pair_recall"]["value"] < 0.9
    assert numbers["precision"]["value"] == 1


def test_data_that_was_moved_is_named(lookalike: Run) -> None:
    assert lookalike("clusters", "corpus.parquet", *BAD, "--out", "clusters.parquet").code == 0
    Path("corpus.parquet").rename("moved.parquet")
    ran = lookalike("audit", "clusters.parquet")
    assert ran.code == 3 and "corpus.parquet" in ran.err
    ran = lookalike("audit", "clusters.parquet", "moved.parquet", "--sample", "50", "--seed", "3")
    assert ran.code == 0 and "sampled          50 documents" in ran.out and "use a sample of about" in ran.out


@pytest.mark.parametrize("command", ["pairs", "clusters", "dedupe"])
def test_a_run_with_audit_says_its_recall_in_summary_and_report(lookalike: Run, command: str) -> None:
    ran = lookalike(command, "corpus.parquet", *BAD[:-1], "--audit", "--out", "out.parquet", "--report", "report.html")
    assert ran.code == 0
    name, shown = ("removal recall", "recall of removal") if command == "dedupe" else ("cluster recall", "of clusters")
    assert f"{name}   0." in ran.err and "missed           " in ran.err
    page = Path("report.html").read_text(encoding="utf-8")
    assert "Measured recall" in page and shown in page
    assert ("recall of pairs" in page) == (command == "pairs")


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        ("nothing.parquet", 3, "no-result-at-path", {"path": "nothing.parquet"}),
        ("corpus.parquet", 2, "not-a-result-table", {}),
        ("pairs.parquet --sample 0", 2, "not-a-whole-number", {"option": "sample", "value": 0}),
        ("pairs.parquet --out missed.xyz", 2, "unknown-output-format", {"path": "missed.xyz"}),
        ("pairs.parquet --out -", 2, "audit-to-standard-output", {}),
        ("pairs.parquet --out corpus.parquet", 4, "output-exists", {"path": "corpus.parquet"}),
        ("pairs.parquet --out corpus.parquet --force", 4, "output-is-input", {"path": "corpus.parquet"}),
        ("pairs.parquet corpus.parquet --out corpus.parquet --force", 4, "output-is-input", {"path": "corpus.parquet"}),
        ("pairs.parquet --out pairs.parquet --force", 4, "output-is-input", {"path": "pairs.parquet"}),
        ("pairs.parquet nowhere.parquet", 3, "no-such-file", {"path": "nowhere.parquet"}),
        ("pairs.parquet corpus.parquet --column nope", 3, "no-such-column", {"column": "nope"}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: str, code: int, refused: str, values: dict[str, object]
) -> None:
    assert lookalike("pairs", "corpus.parquet", *BAD, "--out", "pairs.parquet").code == 0
    ran = lookalike("audit", *arguments.split())
    ran.refused(code, refused, values)
