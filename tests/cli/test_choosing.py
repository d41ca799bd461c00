"""The options of `dedupe` that choose which rows are kept: rules, protected rows and decisions."""

from __future__ import annotations

import json
from pathlib import Path

import lookalike as la

from .conftest import Run

DEDUPE = ("dedupe", "news.jsonl", "--id", "id", "--shingles", "words:2", "--out")


def test_rules_may_be_repeated_and_are_counted(lookalike: Run) -> None:
    ran = lookalike(*DEDUPE, "u.jsonl", "--keep", "where:score>=3,where:id!=c", "--keep", "longest")
    assert [json.loads(line)["id"] for line in Path("u.jsonl").read_text().splitlines()] == ["b", "d", "e"]
    assert "kept by rule     where:score>=3 1, where:id!=c 1, longest 0, input order 0" in ran.err
    found = json.loads(lookalike(*DEDUPE, "v.jsonl", "--keep", "longest", "--json").out)["summary"]
    assert found["kept_by"] == {"longest": 2, "input order": 0} and "decisions" not in found


def test_protected_rows_and_decisions(lookalike: Run) -> None:
    Path("more.jsonl").write_bytes(Path("news.jsonl").read_bytes().splitlines(keepends=True)[0].replace(b'"a"', b'"z"'))
    decisions = la.Decisions("decisions.jsonl", "news.jsonl", id="id")
    decisions.different("a", "d")
    decisions.undo("b")
    options = ("--protect", "more.jsonl", "--decisions", "decisions.jsonl", "--report", "r.html")
    ran = lookalike("dedupe", "news.jsonl", "more.jsonl", *DEDUPE[2:], "u.jsonl", *options)
    assert [json.loads(line)["id"] for line in Path("u.jsonl").read_text().splitlines()] == ["b", "e", "z"]
    assert "kept by rule     protected 3, input order 0" in ran.err
    assert "decisions        1 applied, 0 stale, 0 not found" in ran.err
    assert "1 applied, 0 stale, 0 not found" in Path("r.html").read_text()
    ran = lookalike(*DEDUPE, "v.jsonl", "--decisions", "decisions.jsonl", "--json")
    assert json.loads(ran.out)["summary"]["decisions"] == {"applied": 1, "stale": 0, "not found": 0}
    assert [json.loads(line)["id"] for line in Path("v.jsonl").read_text().splitlines()] == ["a", "b", "d", "e"]


def test_what_cannot_be_is_refused(lookalike: Run) -> None:
    Path("decisions.jsonl").write_text("{}\n")
    refused = {"path": "decisions.jsonl", "line": 1}
    lookalike(*DEDUPE, "u.jsonl", "--decisions", "decisions.jsonl").refused(3, "malformed-decision", refused)
    lookalike(*DEDUPE, "u.jsonl", "--decisions", "none").refused(3, "no-such-file", {"path": "none"})
    lookalike(*DEDUPE, "u.jsonl", "--protect", "old/*").refused(2, "glob-without-files", {"glob": "old/*"})
    chained = ("--decisions", "decisions.jsonl", "--linkage", "connected")
    lookalike(*DEDUPE, "u.jsonl", *chained).refused(2, "decisions-need-stars", {})
    over = lookalike(*DEDUPE, "decisions.jsonl", "--decisions", "decisions.jsonl", "--force")
    over.refused(4, "output-is-input", {"path": "decisions.jsonl"})
    assert not Path("u.jsonl").exists() and Path("decisions.jsonl").read_text() == "{}\n"
