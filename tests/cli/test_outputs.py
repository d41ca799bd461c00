"""Outputs that cannot be written, or would overwrite a file of the user, are refused before any work is done."""

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
    ran.refused(4, "output-is-input", {"path": arguments[-1]})
    assert news.read_bytes() == before
    assert len(list(tmp_path.iterdir())) == 3


@pytest.mark.parametrize("option", ["--out", "--report", "--save-plan"])
def test_no_output_overwrites_the_plan_even_with_force(lookalike: Run, tmp_path: Path, option: str) -> None:
    assert lookalike("pairs", "news.jsonl", "--save-plan", "p.jsonl").code == 0
    plan = (tmp_path / "p.jsonl").read_bytes()
    ran = lookalike("pairs", "news.jsonl", "--plan", "p.jsonl", option, "p.jsonl", "--force")
    ran.refused(4, "output-is-input", {"path": "p.jsonl", "name": "p.jsonl"})
    assert (tmp_path / "p.jsonl").read_bytes() == plan


@pytest.mark.parametrize(
    ("arguments", "first", "second"),
    [
        (["dedupe", "--out", "x.parquet", "--removed", "x.parquet"], "out", "removed"),
        (["dedupe", "--out", "x.jsonl", "--report", "./x.jsonl"], "out", "report"),
        (["pairs", "--out", "x.jsonl", "--save-plan", "x.jsonl"], "out", "save_plan"),
        (["clusters", "--report", "x", "--save-plan", "x"], "report", "save_plan"),
        (["pairs", "--report", "-"], "out", "report"),
    ],
)
def test_two_outputs_do_not_share_a_path(
    lookalike: Run, tmp_path: Path, arguments: list[str], first: str, second: str
) -> None:
    ran = lookalike(*arguments, "news.jsonl", "--force")
    ran.refused(2, "outputs-collide", {"first": first, "second": second})
    assert [path.name for path in tmp_path.iterdir()] == ["news.jsonl"]


LONG = "x" * 300


@pytest.mark.parametrize(
    ("arguments", "code", "refused", "values"),
    [
        (["dedupe", "news.jsonl", "--out", "."], 4, "output-exists", {"path": "."}),
        (["dedupe", "news.jsonl", "--out", "/"], 2, "no-name-for-rows", {"path": "/"}),
        (["dedupe", "news.jsonl", "--out", ""], 2, "empty-option", {"option": "out"}),
        (["pairs", "news.jsonl", "--out", ""], 2, "empty-option", {"option": "out"}),
        (["dedupe", "news.jsonl", "--out", f"{LONG}.jsonl"], 4, "unwritable", {}),
        (["pairs", "news.jsonl", "--out", "p.jsonl", "--report", LONG], 4, "unwritable", {}),
        (["pairs", "news.jsonl", "--out", "p.jsonl", "--save-plan", f"new/{LONG}"], 4, "unwritable", {}),
        (["dedupe", "news.jsonl", "--out", "loop.jsonl", "--force"], 4, "unwritable", {"path": "loop.jsonl"}),
        (["pairs", "news.jsonl", "--out", "~nosuchuser/p.jsonl"], 4, "unwritable", {"path": "~nosuchuser/p.jsonl"}),
        (["dedupe", "news.jsonl", "--out", "~nosuchuser"], 4, "unwritable", {"path": "~nosuchuser"}),
        (["pairs", "news.jsonl", "--report", "~nosuchuser/r.html"], 4, "unwritable", {"path": "~nosuchuser/r.html"}),
        (["pairs", "news.jsonl", "--out", "folder.csv"], 4, "output-is-a-folder", {"path": "folder.csv"}),
        (
            ["pairs", "news.jsonl", "--out", "p.jsonl", "--save-plan", "empty"],
            4,
            "output-is-a-folder",
            {"path": "empty"},
        ),
        (
            ["pairs", "news.jsonl", "--out", "p.jsonl", "--save-plan", "news.jsonl/plan.toml"],
            4,
            "unwritable",
            {"path": "news.jsonl/plan.toml"},
        ),
        (
            ["dedupe", "news.jsonl", "--out", "u.jsonl", "--removed", "there.parquet"],
            4,
            "output-exists",
            {"path": "there.parquet"},
        ),
        (["pairs", "", "--out", "p.jsonl"], 2, "empty-input", {}),
        (["compare", "-", "-"], 2, "standard-input-twice", {}),
    ],
)
def test_what_cannot_be_written_is_said_before_the_work(
    lookalike: Run, tmp_path: Path, arguments: list[str], code: int, refused: str, values: dict[str, object]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "there.parquet").touch()
    (tmp_path / "loop.jsonl").symlink_to("loop.jsonl")
    before = sorted(tmp_path.iterdir())
    ran = lookalike(*arguments)
    ran.refused(code, refused, values)
    assert ran.err.count("\n") == 1  # no stage was begun
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", [["explain"], ["compare", "news.jsonl", "news.jsonl"]])
def test_a_command_without_force_does_not_advise_it(lookalike: Run, command: list[str]) -> None:
    ran = lookalike(*command, "--save-plan", "news.jsonl")
    ran.refused(4, "file-exists", {"path": "news.jsonl", "option": "save_plan"})
    assert "--force" not in ran.err
