"""Ways to declare a run: a call of a verb, or a command of the command line."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import shlex
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

import lookalike as la
from lookalike.cli import run as run_command
from tests.answers.adapters import ANSWERS
from tests.answers.data import Data
from tests.answers.digest import rounded

Run = Callable[[Data], Any]
"""Data → answer: tables, lists, dictionaries and plain values."""


@dataclass(frozen=True)
class Made:
    """Data in memory, given by its name in `Data`. Plain strings are paths of files."""

    name: str


def ask(verb: str, *sources: Any, **options: Any) -> Run:
    """A run that calls `la.verb` with these sources and returns its whole answer."""

    def run(data: Data) -> Any:
        return ANSWERS[verb](call(data, verb, *sources, **options))

    return run


def call(data: Data, verb: str, *sources: Any, **options: Any) -> Any:
    """Calls the verb and returns the result. Names of data are replaced by the data."""
    given = {name: _made(data, value) for name, value in options.items()}
    return getattr(la, verb)(*(_made(data, source) for source in sources), **given)


def _made(data: Data, value: Any) -> Any:
    return getattr(data, value.name) if isinstance(value, Made) else value


def command(*lines: str, only: Sequence[str] = (), exact: bool = True) -> Run:
    """A run of commands in one folder OUT. The answer is the files in it, and the rows on standard output.

    Tables are compared by their values, but files called "kept" byte for byte, because kept rows must not change. Other
    files (plans, settings, reports, parts of a run) are not compared. `only` names the parts of printed summaries that
    are compared. Scores that were learnt are not `exact`: their last bits depend on the processor.
    """

    def run(data: Data) -> Any:
        del data
        with tempfile.TemporaryDirectory(dir=".") as folder:
            out = Path(folder)
            shown = [_printed(line.replace("OUT", folder)) for line in lines]
            if only:
                shown = [[{name: row["summary"][name] for name in only} for row in rows] for rows in shown]
            files = {path.relative_to(out).as_posix(): path for path in sorted(out.rglob("*")) if path.is_file()}
            read = {name: table for name, path in files.items() if (table := _read(name, path)) is not None}
            answer = {"printed": shown, "files": read}
            return answer if exact else rounded(answer)

    return run


def _printed(line: str) -> Any:
    """The JSON that a command prints: one object, or one per line. Other text is not part of the answer."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()) as said:
        code = run_command(shlex.split(line))
        printed.flush()
    if code != 0:
        raise AssertionError(f"lookalike {line} ended with {code}: {said.getvalue()}")
    text = printed.buffer.getvalue().decode("utf-8")
    if not text.startswith("{"):
        return []
    with contextlib.suppress(json.JSONDecodeError):
        return [json.loads(text)]
    return [json.loads(row) for row in text.splitlines()]


def _read(name: str, path: Path) -> Any:
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if name.startswith("kept"):
        return path.read_bytes()
    if path.suffix == ".jsonl":
        return [json.loads(row) for row in path.read_text(encoding="utf-8").splitlines()]
    if path.suffix in (".csv", ".tsv"):
        with path.open(encoding="utf-8", newline="") as rows:
            return list(csv.reader(rows, delimiter="\t" if path.suffix == ".tsv" else ","))
    return None
