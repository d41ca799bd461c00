"""lookalike dedupe --remove identical and --remove same-words: what is printed and written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize("rule", ["identical", "same-words"])
def test_the_command_its_summary_and_its_report(lookalike: Run, rule: str) -> None:
    rows = ["one and two", "One, and two", "one and two", "three"]
    Path("in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in rows), encoding="utf-8")
    more = [] if rule == "identical" else ["--shingles", "words:2"]
    where = ["--out", "out.jsonl", "--report", "r.html", "--force"]
    ran = lookalike("dedupe", "in.jsonl", "--remove", rule, *more, *where)
    assert ran.code == 0 and "copies only: documents with the same" in ran.err
    assert ("same words" in ran.err) == (rule == "same-words") and "near-duplicates" not in ran.err
    page = Path("r.html").read_text(encoding="utf-8")
    assert "Only copies are removed" in page and "Every removed document has the same" in page
    facts = json.loads(lookalike("dedupe", "in.jsonl", "--remove", rule, *more, *where, "--json", "-q").out)["summary"]
    assert facts["plan"]["copies"] == rule and facts["identical"] == 1
    assert facts["same_words"] == (rule == "same-words")
    for wrong, code in (("--threshold 0.5", "useless-for-copies"), ("--audit", "audit-of-copies"),
                        ("--forecast", "forecast-of-copies")):  # fmt: skip
        ran = lookalike("dedupe", "in.jsonl", "--remove", rule, *wrong.split(), *where)
        assert ran.code == 2 and ran.error is not None and ran.error.code == code


def test_an_audit_of_a_plan_for_copies_is_refused_before_anything_is_written(lookalike: Run) -> None:
    Path("in.jsonl").write_text('{"text": "a"}\n{"text": "a"}\n', encoding="utf-8")
    lookalike("dedupe", "in.jsonl", "--remove", "identical", "--out", "out.jsonl", "--save-plan", "plan.toml")
    ran = lookalike("dedupe", "in.jsonl", "--plan", "plan.toml", "--audit", "--out", "other.jsonl", "--work", "work")
    assert ran.code == 2 and ran.error is not None and ran.error.code == "audit-of-copies"
    assert not Path("other.jsonl").exists() and not Path("work").exists()
