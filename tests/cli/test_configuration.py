"""The user's configuration sets resources and what is shown; --verbose shows it; answers never depend on it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from lookalike.cli import options

from .conftest import Ran, Run
from .test_process import PROGRAM

DEDUPE = ("dedupe", "news.jsonl", "--shingles", "words:2", "--out", "u.jsonl", "--force")


@pytest.fixture
def configured(lookalike: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command with a configuration. The first argument is the text of the configuration."""
    monkeypatch.setattr(options, "CONFIGURATION", Path("config.toml"))

    def call(text: str, *arguments: str) -> Ran:
        Path("config.toml").write_text(text)
        return lookalike(*arguments)

    return call


def test_resources_are_those_of_the_configuration_unless_given(configured: Run) -> None:
    ran = configured('memory = "3GiB"\nthreads = 1', *DEDUPE)
    assert "3 GiB allowed" in ran.err
    ran = configured('memory = "3GiB"', *DEDUPE, "--memory", "2GiB")
    assert "2 GiB allowed" in ran.err


def test_progress_can_be_switched_off_and_the_summary_stays(configured: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.display.progress.PATIENCE", 0)
    assert "lookalike: sign 5: " in configured("progress = true", *DEDUPE).err
    ran = configured("progress = false", *DEDUPE)
    assert "lookalike: sign" not in ran.err and "documents        5 from news.jsonl" in ran.err


def test_resources_of_the_local_engine_are_ignored_by_others(configured: Run) -> None:
    assert configured("threads = 2", *DEDUPE, "--engine", "reference").code == 0
    assert configured('memory = "1GiB"', "explain", "--threshold", "0.8").code == 0, "which has no use for memory"


@pytest.mark.parametrize("entry", ["threshold = 0.5", 'keep = "last"', "seed = 1", 'plan = "p.toml"'])
def test_what_decides_an_answer_is_refused(configured: Run, entry: str) -> None:
    ran = configured(entry, *DEDUPE)
    name = entry.partition(" ")[0]
    ran.refused(2, "unknown-configuration-entry", {"path": "config.toml", "entry": name})


@pytest.mark.parametrize(
    "entry",
    [
        "threads = 0",
        "threads = true",
        f"threads = {10**30}",
        'threads = "2"',
        'memory = "much"',
        "memory = -1",
        'progress = "yes"',
    ],
)
def test_an_invalid_value_is_refused(configured: Run, entry: str) -> None:
    name = entry.partition(" ")[0]
    configured(entry, *DEDUPE).refused(2, "invalid-configuration-entry", {"path": "config.toml", "entry": name})


def test_a_file_that_is_not_toml_is_refused(configured: Run) -> None:
    configured("threads: 2", *DEDUPE).refused(3, "configuration-not-readable", {"path": "config.toml"})


def test_verbose_shows_the_configuration_versions_and_reasons(configured: Run) -> None:
    ran = configured('threads = 1\nmemory = "3GiB"', *DEDUPE, "-v", "--memory", "2GiB")
    assert "configuration    config.toml\n                 threads = 1\n" in ran.err
    assert "memory = 3GiB, overridden by --memory" in ran.err and "2 GiB allowed" in ran.err
    assert "lookalike        0." in ran.err and "pyarrow" in ran.err
    assert "plan             words:2, threshold 0.8\n" in ran.err and "exact join" in ran.err
    ran = configured("threads = 1", *DEDUPE, "-v", "--engine", "reference")
    assert "threads = 1, not used by this command" in ran.err


def test_the_answer_does_not_depend_on_it(configured: Run) -> None:
    answers = []
    for text in ("", 'threads = 1\nmemory = "3GiB"\nprogress = false'):
        assert configured(text, *DEDUPE).code == 0
        answers.append((Path("u.jsonl").read_bytes(), Path("u.jsonl.removed.parquet").read_bytes()))
    assert answers[0] == answers[1]


def test_a_file_that_cannot_be_reached_is_no_configuration(lookalike: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after `sudo -u`, with the home folder of another user. The test uses a name that is too long instead."""
    monkeypatch.setattr(options, "CONFIGURATION", Path("x" * 300, "config.toml"))
    ran = lookalike(*DEDUPE, "-v")
    assert ran.code == 0 and "does not exist" in " ".join(ran.err.split())


@pytest.mark.parametrize("text", ["threads = " + "[" * 60_000, "threads = 1\n" + "#" * 100_000])
def test_a_configuration_that_is_too_deep_or_too_long_is_refused(configured: Run, text: str) -> None:
    ran = configured(text, *DEDUPE)
    assert ran.code not in (0, 70) and "config.toml" in ran.err


@pytest.mark.parametrize(("name", "problem"), [("missing.toml", "no such file"), (".", "is a directory")])
def test_a_file_that_the_user_named_must_exist(tmp_path: Path, name: str, problem: str) -> None:
    """$LOOKALIKE_CONFIG was ignored in silence if it named no file."""
    command = [*PROGRAM, "explain"]
    ran = subprocess.run(
        command, env={**os.environ, "LOOKALIKE_CONFIG": name}, cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 3
    assert ran.stderr.startswith(f"lookalike: error: cannot read the configuration file {name}: {problem}")
    off = subprocess.run(command, env={**os.environ, "LOOKALIKE_CONFIG": os.devnull}, capture_output=True, timeout=60)
    assert off.returncode == 0, "which switches the configuration off"
