"""Texts and file names that contain control characters reach the terminal only as escapes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import BASE, Run

TITLE = "\x1b]0;pwned\x07"
"""An escape sequence that changes the title of the window."""

HOSTILE = f"{TITLE}{BASE}\x1b[2J\x1b[31m\r\x9b1A\x08\x7f"


def controls(text: str) -> str:
    """The characters of a text that a terminal obeys, other than line breaks and tabs."""
    return "".join(c for c in text if (ord(c) < 32 and c not in "\n\t") or 127 <= ord(c) < 160)


@pytest.fixture(autouse=True)
def hostile_files(lookalike: Run) -> None:
    Path(f"{TITLE}.txt").write_text(HOSTILE, encoding="utf-8", newline="")
    Path("long.txt").write_text(f"{HOSTILE} " * 40, encoding="utf-8", newline="")
    Path("dos.txt").write_text("first line\r\nsecond line\r\n", encoding="utf-8", newline="")
    rows = [{"name": HOSTILE, "city": TITLE}, {"name": HOSTILE, "city": TITLE}, {"name": "Ann", "city": "Bonn"}]
    lines = "".join(json.dumps({"id": f"{i}", **row}, ensure_ascii=False) + "\n" for i, row in enumerate(rows))
    Path(f"{TITLE}.jsonl").write_text(lines, encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ["compare", f"{TITLE}.txt", f"{TITLE}.txt"],
        ["compare", "long.txt", f"{TITLE}.txt"],
        ["compare", f"{TITLE}.txt", "long.txt", "--json"],
        ["pairs", f"{TITLE}.txt", "long.txt"],
        ["pairs", "news.jsonl", "--out", f"{TITLE}.out.csv"],
        ["clusters", f"{TITLE}.jsonl", "--column", "name", "--id", "city", "--out", "-"],
        ["resolve", f"{TITLE}.jsonl", "--explain", "0", "1"],
        ["explain", f"{TITLE}.jsonl", "--column", "name"],
    ],
)
def test_nothing_printed_controls_the_terminal(lookalike: Run, arguments: list[str]) -> None:
    ran = lookalike(*arguments)
    assert ran.code == 0 and controls(ran.out) == controls(ran.err) == ""


def test_a_terminal_gets_colours_but_no_sequences_of_the_texts(lookalike: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm-256color")
    ran = lookalike("compare", f"{TITLE}.txt", "long.txt")
    assert "\x1b]" not in ran.out and "\x1b[2J" not in ran.out and "\x07" not in ran.out


def test_line_ends_of_windows_are_line_ends(lookalike: Run) -> None:
    Path("other.txt").write_text("other", encoding="utf-8")
    assert "first line\nsecond line\n" in lookalike("compare", "dos.txt", "other.txt").out


def test_a_table_on_a_terminal_has_json_escapes(lookalike: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"id": f"{n}\x9b1A\u202e", "text": BASE} for n in range(2)]
    Path("rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    arguments = ("pairs", "rows.jsonl", "--id", "id", "--out", "-")
    plain = lookalike(*arguments).out
    assert "\x9b" in plain
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = lookalike(*arguments).out
    assert "\x9b" not in shown and "\u202e" not in shown
    assert json.loads(shown) == json.loads(plain) and json.loads(shown)["left"] == rows[0]["id"]


@pytest.mark.parametrize("format", ["csv", "tsv", "lines", "jsonl"])
def test_kept_rows_on_a_terminal_are_escaped_and_in_a_pipe_are_not(
    lookalike: Run, monkeypatch: pytest.MonkeyPatch, format: str
) -> None:
    hostile = HOSTILE.replace("\r", "") + "\u202e"
    rows = {"jsonl": json.dumps({"text": hostile}, ensure_ascii=False), "lines": hostile}
    Path("rows").write_text(rows.get(format, f"text\n{hostile}") + "\n", encoding="utf-8")
    arguments = ("dedupe", "rows", "--format", format, "--out", "-")
    assert lookalike(*arguments).out == Path("rows").read_text(encoding="utf-8")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = lookalike(*arguments).out
    assert controls(shown) == "" and "\u202e" not in shown and BASE in shown
    if format == "jsonl":
        assert json.loads(shown)["text"] == hostile
