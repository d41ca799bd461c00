"""Outputs that cannot be, or would cost the user a file, are refused before any work is done."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run


@pytest.mark.parametrize(
    "arguments",
    [
        ["pairs", "news.jsonl", "--out", "news.jsonl"],
        ["clusters", "news.jsonl", "--out", "./news.jsonl"],
        ["pairs", "news.jsonl", "--out", "link.jsonl"],
        ["pairs", "link.jsonl", "--out", "news.jsonl"],
        ["pairs", "*s.jsonl", "--out", "hard.jsonl"],
        ["pairs", "news.jsonl", "--out", "p.jsonl", "--report", "news.jsonl"],
        ["pairs", "news.jsonl", "--out", "p.jsonl", "--save-plan", "news.jsonl"],
        ["dedupe", "news.jsonl", "--out", "u.jsonl", "--removed", "news.jsonl"],
    ],
)
def test_no_output_overwrites_the_input_even_with_force(lookalike: Run, tmp_path: Path, arguments: list[str]) -> None:
    news = tmp_path / "news.jsonl"
    before = news.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(news)
    (tmp_path / "hard.jsonl").hardlink_to(news)
    ran = lookalike(*arguments, "--force")
    assert ran.code == 4
    assert "which is being read" in ran.err
    assert news.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("option", ["--out", "--report", "--save-plan"])
def test_no_output_overwrites_the_plan_even_with_force(lookalike: Run, tmp_path: Path, option: str) -> None:
    assert lookalike("pairs", "news.jsonl", "--save-plan", "p.jsonl").code == 0
    plan = (tmp_path / "p.jsonl").read_bytes()
    ran = lookalike("pairs", "news.jsonl", "--plan", "p.jsonl", option, "p.jsonl", "--force")
    assert ran.code == 4 and "would overwrite p.jsonl, which is being read" in ran.err
    assert (tmp_path / "p.jsonl").read_bytes() == plan


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["dedupe", "--out", "x.parquet", "--removed", "x.parquet"], "--out and --removed"),
        (["dedupe", "--out", "x.jsonl", "--report", "./x.jsonl"], "--out and --report"),
        (["pairs", "--out", "x.jsonl", "--save-plan", "x.jsonl"], "--out and --save-plan"),
        (["clusters", "--report", "x", "--save-plan", "x"], "--report and --save-plan"),
        (["pairs", "--report", "-"], "--out and --report both go to standard output"),
    ],
)
def test_two_outputs_do_not_share_a_path(lookalike: Run, tmp_path: Path, arguments: list[str], options: str) -> None:
    ran = lookalike(*arguments, "news.jsonl", "--force")
    assert (ran.code, ran.out) == (2, "")
    assert options in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["news.jsonl"]


LONG = "x" * 300


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["dedupe", "news.jsonl", "--out", "."], 4, "exists already"),
        (["dedupe", "news.jsonl", "--out", "/"], 2, "no place for kept rows"),
        (["dedupe", "news.jsonl", "--out", ""], 2, "--out is empty"),
        (["pairs", "news.jsonl", "--out", ""], 2, "--out is empty"),
        (["dedupe", "news.jsonl", "--out", f"{LONG}.jsonl"], 4, "name too long"),
        (["pairs", "news.jsonl", "--out", "p.jsonl", "--report", LONG], 4, "name too long"),
        (["pairs", "news.jsonl", "--out", "p.jsonl", "--save-plan", f"new/{LONG}"], 4, "name too long"),
        (["dedupe", "news.jsonl", "--out", "loop.jsonl", "--force"], 4, "symbolic links"),
        (["pairs", "news.jsonl", "--out", "~nosuchuser/p.jsonl"], 2, "no user"),
        (["dedupe", "news.jsonl", "--out", "~nosuchuser"], 2, "no user"),
        (["pairs", "news.jsonl", "--report", "~nosuchuser/r.html"], 2, "no user"),
        (["pairs", "news.jsonl", "--out", "empty"], 4, "--out empty is a folder"),
        (["pairs", "news.jsonl", "--out", "p.jsonl", "--save-plan", "empty"], 4, "--save-plan empty is a folder"),
        (["pairs", "news.jsonl", "--out", "p.jsonl", "--save-plan", "news.jsonl/plan.toml"], 4, "news.jsonl"),
        (["dedupe", "news.jsonl", "--out", "u.jsonl", "--removed", "there.parquet"], 4, "another --removed"),
        (["pairs", "", "--out", "p.jsonl"], 2, "empty"),
        (["compare", "-", "-"], 2, "once only"),
    ],
)
def test_what_cannot_be_written_is_said_before_the_work(
    lookalike: Run, tmp_path: Path, arguments: list[str], code: int, words: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "there.parquet").touch()
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    before = sorted(tmp_path.iterdir())
    ran = lookalike(*arguments)
    assert ran.code == code
    assert ran.err.startswith("lookalike: error: ")  # no stage was begun
    assert ran.err.count("\n") == 1
    assert words in ran.err
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", [["explain"], ["compare", "news.jsonl", "news.jsonl"]])
def test_a_command_without_force_does_not_advise_it(lookalike: Run, command: list[str]) -> None:
    ran = lookalike(*command, "--save-plan", "news.jsonl")
    assert ran.code == 4
    assert "Choose another --save-plan." in ran.err
    assert "--force" not in ran.err
