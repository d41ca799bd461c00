"""A small corpus with known look-alikes, and a way to run the program in this process."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from lookalike import cli
from lookalike.cli import failures
from lookalike.notices import Notice
from tests.refusals import check

BASE = "the committee met on monday to discuss the new budget for the schools of the region and the roads in the north"

ROWS = [
    {"id": "a", "text": BASE, "score": 1},
    {"id": "b", "text": "something else entirely, about cats and the weather of last autumn in the hills", "score": 5},
    {"id": "c", "text": BASE.upper() + ".", "score": 9},
    {"id": "d", "text": BASE + " at length", "score": 3},
    {"id": "e", "text": "", "score": 0},
]


@dataclass(frozen=True)
class Ran:
    """The outcome of a command: its exit code, its output, and its error."""

    code: int
    out: str
    err: str
    error: Notice | None = None
    """The error that was printed, as a code with values; `err` has it as a sentence."""

    def refused(self, exit_code: int, code: str | None, values: dict[str, object]) -> None:
        """Checks that the command was refused: in one line, with this exit code, and with this error."""
        assert self.code == exit_code and self.out == ""
        assert self.err.splitlines()[-1].startswith("lookalike: error: ") and "Traceback" not in self.err
        if code is not None:
            check(self.error, code, **values)

    @property
    def rows(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Ran]


@pytest.fixture
def lookalike(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs the program in this process, in an empty folder with the corpus as news.jsonl."""
    monkeypatch.chdir(tmp_path)
    write_news(tmp_path)

    def call(*arguments: str) -> Ran:
        printed: list[Notice] = []
        original = failures.print_error

        def print_error(notice: Notice, code: int, *, json: bool = False) -> int:
            printed.append(notice)
            return original(notice, code, json=json)

        with monkeypatch.context() as patch:
            patch.setattr(failures, "print_error", print_error)
            code = cli.run(arguments)
        shown = capsys.readouterr()
        return Ran(code, shown.out, shown.err, printed[0] if printed else None)

    return call


def write_news(folder: Path) -> Path:
    path = folder / "news.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path
