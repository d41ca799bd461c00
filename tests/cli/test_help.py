"""Help is fast and complete, and equals the reference page."""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from click import Context

import lookalike
from lookalike import errors
from lookalike.cli import run
from lookalike.cli.app import COMMANDS, EXIT_CODES, every_command, program
from lookalike.requests import applications, clustering, indexes, records, shared, verbs
from lookalike.requests.option import declared

ROOT = Path(__file__).parents[2]
REQUESTS = {
    "audit": verbs.Audit,
    "clusters": clustering.FindClusters,
    "compare": verbs.Compare,
    "contamination": verbs.Contamination,
    "dedupe": clustering.Dedupe,
    "explain": shared.Planning,
    "fingerprints": applications.MatchPrints,
    "frequent": verbs.FrequentPairs,
    "images": applications.FindPictures,
    "index add": indexes.AddToIndex,
    "index clusters": indexes.IndexClusters,
    "index create": indexes.CreateIndex,
    "index export": indexes.ExportIndex,
    "index query": indexes.QueryIndex,
    "index verify": indexes.VerifyIndex,
    "join": verbs.Join,
    "link": records.Link,
    "nearest": verbs.Nearest,
    "pairs": verbs.FindPairs,
    "plagiarism": applications.Plagiarism,
    "resolve": records.Resolve,
    "stories": applications.Stories,
}


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 0
    return capsys.readouterr().out


def test_help_takes_less_than_four_tenths_of_a_second_of_the_processor() -> None:
    """Processor time is measured, so that a busy machine does not matter but a slow import does."""
    taken = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "lookalike", "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        taken.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(taken) < 0.4


def test_help_imports_nothing_heavy() -> None:
    script = (
        "import json, sys; from lookalike.cli import run; run(['pairs', '--help']); "
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    loaded = json.loads(done.stderr)
    assert not {"numpy", "pyarrow", "rich", "fsspec", "lookalike.api", "lookalike.kernel"} & set(loaded)


@pytest.mark.parametrize("command", every_command())
def test_every_command_says_what_it_does_and_gives_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, *command.split(), "--help")
    assert text.startswith(f"Usage: lookalike {command} [OPTIONS]")
    assert re.search(rf"Examples:\n +lookalike {command} ", text)
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("command", REQUESTS)
def test_a_command_has_the_options_of_its_verb(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, *command.split(), "--help")
    for option, field in declared(REQUESTS[command]).items():
        assert field.option.python_only or f"--{option.replace('_', '-')}" in text, option


def test_the_list_of_commands_has_the_first_line_of_each() -> None:
    for name, line in COMMANDS.items():
        command = program.get_command(Context(program), name)
        assert command is not None and (command.help or "").partition("\n")[0] == line


def test_the_version_is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys, "--version") == f"lookalike {lookalike.__version__}\n"


def test_exit_codes_are_listed_for_every_error_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, "--help")
    listed = {int(line.split()[0]) for line in EXIT_CODES.splitlines()[2:]}
    there = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type) and hasattr(kind, "exit_code")}
    assert there | {0, 129, 130, 141, 143} == listed
    for code in listed:
        assert f"{code:>5}  " in text


def test_without_arguments_the_program_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 2
    assert capsys.readouterr().err.startswith("Usage: lookalike [OPTIONS] COMMAND")
