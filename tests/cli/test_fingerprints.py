"""lookalike fingerprints: the table, the summary, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from lookalike.apps.fingerprints import Grid, Model, write_template
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def prints(lookalike: Run) -> None:
    Path("enrolled").mkdir()
    for first, second in Model(Grid(15, 15), missing=0.05).fingers(6, 2, seed=4):
        Path("enrolled", f"{first.name}.fmr").write_bytes(write_template([first]))
        Path(f"{second.name}.fmr").write_bytes(write_template([second]))


def test_a_print_is_found_in_a_gallery(lookalike: Run) -> None:
    ran = lookalike("fingerprints", "finger3-1.fmr", "--gallery", "enrolled", "--threshold", "0.5", "--method", "grid")
    assert [(row["left"], row["right"]) for row in ran.rows] == [("finger3-1.fmr", "finger3-0.fmr")]
    assert "gallery          6" in ran.err and "1,024 of 3 squares" in ran.err and "expected" in ran.err


def test_prints_are_compared_with_each_other_and_written(lookalike: Run) -> None:
    ran = lookalike(
        "fingerprints", "enrolled", "finger3-1.fmr", "--groups", "2", "--out", "m.csv", "--threshold", "0.5"
    )
    assert ran.code == 0 and "in 2 groups" in ran.err
    assert Path("m.csv").read_text(encoding="utf-8").splitlines()[1].startswith("finger3-0.fmr,finger3-1.fmr,0.")


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        ("nowhere", 3, "no-prints-at-path", {"path": "nowhere"}),
        ("news.jsonl", 3, "minutiae-without-column", {"path": "news.jsonl", "column": "print"}),
        ("broken", 3, "not-prints", {"path": "broken"}),
        ("enrolled --count 0", 2, "not-a-whole-number", {"option": "count", "value": 0}),
        ("enrolled --side 100", 2, "grid-too-small", {}),
        ("enrolled --size 1000", 2, "grid-too-small", {}),
        ("enrolled --out x.xyz", 2, "unknown-output-format", {"path": "x.xyz"}),
        ("t.csv --out t.csv --force", 4, "output-is-input", {"path": "t.csv"}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: str, code: int, refused: str, values: dict[str, object]
) -> None:
    Path("broken").write_bytes(b"\xff\xfe\x00 no text")
    Path("t.csv").write_text("print,x,y\n", encoding="utf-8")
    ran = lookalike("fingerprints", *arguments.split(), "-q")
    ran.refused(code, refused, values)
