"""lookalike resolve and lookalike link: tables, settings, the page, explanations, and what they refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lookalike.io.sinks import write_table
from tests.apps.resolve.people import people
from tests.cli.conftest import Run


@pytest.fixture(autouse=True)
def table(lookalike: Run) -> None:
    rows, _ = people(120, 40)
    write_table(pa.Table.from_pylist([{"id": f"p{i}"} | row for i, row in enumerate(rows)]), "people.csv")
    write_table(pa.Table.from_pylist([{"key": f"q{i}"} | row for i, row in enumerate(rows[:50])]), "other.jsonl")


def test_entities_matches_settings_and_page_are_written_and_counted(lookalike: Run) -> None:
    ran = lookalike(
        "resolve",
        "people.csv",
        "--out",
        "e.csv",
        "--matches",
        "m.csv",
        "--save-settings",
        "s.toml",
        "--report",
        "r.html",
    )
    assert ran.code == 0
    assert "160 from people.csv" in ran.err and "born (date)" in ran.err and "id: numbers the records" in ran.err
    assert Path("e.csv").read_text(encoding="utf-8").startswith("id,cluster,size,representative\np0,0,")
    assert "Evidence" in Path("r.html").read_text(encoding="utf-8")
    assert lookalike("resolve", "people.csv", "--settings", "s.toml", "--out", "again.csv", "-q").code == 0
    assert Path("again.csv").read_bytes() == Path("e.csv").read_bytes()
    lookalike("resolve", "people.csv", "--out", "e.csv").refused(4, "output-exists", {"path": "e.csv"})


def test_a_pair_is_explained(lookalike: Run) -> None:
    ran = lookalike("resolve", "people.csv", "--explain", "p0", "p1", "-q")
    assert ran.code == 0 and ran.out.splitlines()[-1].startswith("together") and ran.err == ""
    ran = lookalike("resolve", "people.csv", "--explain", "p0", "p1", "--out", "e.csv", "--save-settings", "s.toml")
    assert ran.code == 0 and Path("s.toml").exists() and not Path("e.csv").exists()  # instead of --out
    assert "'p999'" in lookalike("resolve", "people.csv", "--explain", "p0", "p999", "-q").err


@pytest.mark.parametrize("pair", [("p0", "p999"), ("p999", "p0"), ("p0", "p0")])
def test_unknown_ids_are_refused_before_the_run(lookalike: Run, pair: tuple[str, str], monkeypatch: Any) -> None:
    """The whole run once came first."""
    monkeypatch.setattr("lookalike.apps.resolve.resolution.settle", None)
    code = "same-record" if pair[0] == pair[1] else "no-such-record"
    lookalike("resolve", "people.csv", "--explain", *pair, "-q").refused(2, code, {})
    if code == "no-such-record":
        ran = lookalike("link", "people.csv", "people.csv", "--id", "id", "--explain", *pair, "-q")
        ran.refused(2, code, {"id": "p999"})


def test_two_tables_are_linked(lookalike: Run) -> None:
    ran = lookalike("link", "people.csv", "other.jsonl", "--id", "id", "--right-id", "key", "-q")
    assert {(row["left"], row["right"]) for row in ran.rows} >= {(f"p{i}", f"q{i}") for i in range(10)}
    ran = lookalike("link", "people.csv", "other.jsonl", "--explain", "p3", "q3", "--right-id", "key", "-q")
    assert "rivals" in ran.out and ": a match" in ran.out
    ran = lookalike("link", "people.csv", "other.jsonl", "--right-id", "key", "--out", "m.csv", "--many-to-many")
    assert "any number of matches per record, as requested" in ran.err


def test_pairs_are_selected_by_columns(lookalike: Run) -> None:
    ran = lookalike("resolve", "people.csv", "--candidates", "phone", "--candidates", "surname,born", "--out", "e.csv")
    assert ran.code == 0 and "with the same phone, or surname and born" in ran.err
    lookalike("resolve", "people.csv", "--candidates", "colour", "-q").refused(
        3, "no-such-column", {"column": "colour"}
    )
    lookalike("resolve", "people.csv", "--fields", "phone:function", "-q").refused(2, "field-needs-function", {})


def test_labels_are_evaluated(lookalike: Run) -> None:
    Path("l.csv").write_text("left,right,match\np0,p1,no\np2,p3,no\n", encoding="utf-8")
    ran = lookalike("resolve", "people.csv", "--labels", "l.csv", "--out", "e.csv")
    assert ran.code == 0 and "2 pairs. Precision unknown. Recall unknown" in ran.err
    ran = lookalike("resolve", "people.csv", "--labels", "l.csv", "--out", "e2.csv", "--json")
    assert json.loads(ran.out)["summary"]["facts"]["evaluation"]["labels"] == 2
    lookalike("resolve", "people.csv", "--labels", "l.csv", "--out", "l.csv", "--force").refused(
        4, "output-is-input", {}
    )


def test_separators_are_told_by_the_file(lookalike: Run) -> None:
    text = Path("people.csv").read_text(encoding="utf-8")
    for sign in "|;%\t":
        Path("signed.csv").write_text(text.replace(",", sign), encoding="utf-8")
        ran = lookalike("resolve", "signed.csv", "--out", "out.csv", "--force")
        assert ran.code == 0 and "surname (name)" in ran.err, sign


@pytest.mark.parametrize("named", ["g/a*.csv", "g", "g/a1.csv", "link.csv"])
@pytest.mark.parametrize("option", ["--out", "--matches", "--report", "--save-settings"])
def test_no_output_overwrites_what_is_read_under_whatever_name(lookalike: Run, named: str, option: str) -> None:
    Path("g").mkdir()
    text = Path("people.csv").read_text(encoding="utf-8")
    Path("g/a1.csv").write_text(text, encoding="utf-8")
    Path("link.csv").symlink_to("g/a1.csv")
    ran = lookalike("resolve", named, option, "g/a1.csv", "--force", "-q")
    ran.refused(4, "output-is-input", {"path": "g/a1.csv"})
    ran = lookalike("link", "people.csv", named, "--save-settings", "g/a1.csv", "--force", "-q")
    assert ran.code == 4 and Path("g/a1.csv").read_text(encoding="utf-8") == text
    Path("s.toml").write_text("kept", encoding="utf-8")
    ran = lookalike("resolve", "people.csv", "--settings", "s.toml", "--save-settings", "s.toml", "--force", "-q")
    ran.refused(4, "output-is-input", {"name": "s.toml"})


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        ("resolve nowhere.csv", 3, "no-such-file", {"path": "nowhere.csv"}),
        ("resolve empty.csv", 3, "empty-delimited-file", {"name": "empty.csv"}),
        ("resolve head.csv", 3, "no-records", {"where": "head.csv"}),
        ("resolve broken.csv", 3, "malformed-row", {}),
        ("resolve people.csv --fields surname:colour", 2, "unknown-field-kind", {"value": "colour"}),
        ("resolve people.csv --ignore colour", 3, "no-such-column", {"column": "colour"}),
        ("resolve people.csv --out people.csv --force", 4, "output-is-input", {"path": "people.csv"}),
        ("resolve people.csv --out out.txt", 2, "unknown-output-format", {"path": "out.txt"}),
        ("resolve people.csv --method magic", 2, "not-one-of", {"option": "method", "value": "magic"}),
        ("resolve people.csv --settings broken.csv", 2, "settings-unreadable", {"path": "broken.csv"}),
        ("resolve notes.txt", 3, "format-without-columns", {"name": "notes.txt"}),
        ("link people.csv head.csv", 3, "no-records", {"where": "head.csv"}),
        ("link - -", 2, "standard-input-twice", {}),
    ],
)
def test_what_is_invalid_is_refused(
    lookalike: Run, arguments: str, code: int, refused: str, values: dict[str, object]
) -> None:
    Path("empty.csv").write_text("", encoding="utf-8")
    Path("head.csv").write_text("a,b\n", encoding="utf-8")
    Path("notes.txt").write_text("a text", encoding="utf-8")
    Path("broken.csv").write_bytes(b"name,city\nA\xff,b\nc,d\n")
    lookalike(*arguments.split(), "-q").refused(code, refused, values)
