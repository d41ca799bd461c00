"""Help answers at once, says everything, and is the reference page."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike
from lookalike import errors
from lookalike.cli import run
from lookalike.cli.app import COMMANDS, EXIT_CODES

ROOT = Path(__file__).parents[2]
PLANNING = """
    threshold recall method verify linkage hashes bands rows sketch seed ignore-common shingles
    whitespace case normalize bag bits
    plan save-plan
"""
RUNNING = """
    column id basket separator transpose format on-error
    report forecast force threads engine audit work resume keep-work quiet out
"""


def shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 0
    return capsys.readouterr().out


def test_help_takes_less_than_four_tenths_of_a_second_of_the_processor() -> None:
    """Not by the clock: a busy machine does not count, a slow import does."""
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


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_it_does_and_gives_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, command, "--help")
    assert text.startswith(f"Usage: lookalike {command} [OPTIONS]")
    assert f"Example:\n    lookalike {command} " in text
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("command", ["pairs", "clusters", "dedupe"])
def test_every_shared_option_is_there_with_words(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, command, "--help")
    for option in f"{PLANNING} {RUNNING}".split():
        assert f" --{option} " in text, option


@pytest.mark.parametrize("command", ["compare", "explain"])
def test_every_option_of_the_plan_is_there(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = shown(capsys, command, "--help")
    assert all(f" --{option} " in text for option in PLANNING.split())


def test_options_of_the_plan_are_the_arguments_of_the_library() -> None:
    from lookalike.requests.shared import Planning

    options = {option.replace("-", "_") for option in PLANNING.split()}
    assert set(Planning.__annotations__) == options - {"plan", "save_plan"}


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


def test_the_reference_page_is_what_help_says() -> None:
    page = subprocess.run(
        [sys.executable, str(ROOT / "tools" / "cli_reference.py"), "--check"],
        capture_output=True,
        text=True,
        env={**os.environ, "COLUMNS": "40"},
    )
    assert page.returncode == 0, page.stderr
