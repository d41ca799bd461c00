"""Completion of commands, options, values and file names, in the shells themselves where they are installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lookalike.cli.command_options import FAMILIES
from lookalike.families.explanation import NAMES
from lookalike.flow import parse_shingling
from lookalike.io.dialect import Dialect
from lookalike.io.files import FORMATS, TABLES
from lookalike.joins.request import MEASURES
from lookalike.joins.vectors.measure_names import MEASURES as VECTOR_MEASURES
from lookalike.requests import clustering, reading, shared, verbs
from lookalike.requests.option import declared
from lookalike.results.survivors import RULES

PROGRAM = f"#!{sys.executable}\nfrom lookalike.cli import main\nmain()\n"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which `lookalike` is a program."""
    program = tmp_path / "bin" / "lookalike"
    program.parent.mkdir()
    program.write_text(PROGRAM)
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}"}


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("ded", ["dedupe"]),
        ("dedupe --thre", ["--threshold", "--threads"]),
        ("dedupe --method ", ["auto", "exact", "lsh"]),
        ("dedupe --method e", ["exact"]),
        ("--comp", ["--completion"]),
        ("dedupe --keep l", ["last", "longest", "least:"]),
        ("pairs --measure c", ["cosine"]),
        ("join --format j", ["json", "jsonl"]),
    ],
)
def test_bash_completes_commands_options_and_values(
    environment: dict[str, str], typed: str, offered: list[str]
) -> None:
    """The function that the script defines is called in the same way as by bash."""
    words = ["lookalike", *typed.split(" ")]
    listed = " ".join(f"'{word}'" for word in words)
    script = (
        'eval "$(lookalike --completion bash)"\n'
        f"COMP_WORDS=({listed}); COMP_CWORD={len(words) - 1}\n"
        'complete -p lookalike && _lookalike_completion lookalike && printf "%s\\n" "${COMPREPLY[@]}"'
    )
    command = ["bash", "--norc", "-c", script]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stderr == "" and set(ran.stdout.splitlines()[1:]) == set(offered)


def test_suggested_values_are_those_that_are_accepted() -> None:
    """Declarations repeat the values, because importing the modules that define them takes too long for a
    completion."""
    assert reading.FORMATS == FORMATS and reading.TABLES == TABLES
    assert set(verbs.JOIN_MEASURES) == set(MEASURES)
    assert {name.replace("-", " ") for name in verbs.VECTOR_MEASURES} == set(VECTOR_MEASURES)
    assert declared(clustering.Dedupe)["keep"].option.suggested == (*RULES, "best:", "least:", "source:", "where:")
    assert list(FAMILIES) == [f"{name}:" if ":" in form else name for name, (form, _) in NAMES.items()]
    for kind in (*shared.SHINGLES, *(declared(verbs.Contamination)["shingles"].option.suggested)):
        assert kind == "auto" or str(parse_shingling(kind)).startswith(kind)
    for encoding in reading.ENCODINGS:
        assert Dialect(encoding=encoding)


@pytest.mark.parametrize("typed", ["dedupe new", "dedupe news.jsonl --out ", "pairs news.jsonl --plan pl"])
def test_the_shell_completes_file_names(environment: dict[str, str], typed: str) -> None:
    asked = {"_LOOKALIKE_COMPLETE": "bash_complete", "COMP_WORDS": f"lookalike {typed}"}
    asked["COMP_CWORD"] = str(len(typed.split(" ")))
    ran = subprocess.run(["lookalike"], env=environment | asked, capture_output=True, text=True, timeout=60)
    assert ran.stdout == f"file,{typed.split(' ')[-1]}\n"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_scripts_of_other_shells_are_valid(environment: dict[str, str], shell: str, tmp_path: Path) -> None:
    ran = subprocess.run(
        ["lookalike", "--completion", shell], env=environment, capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0 and "_LOOKALIKE_COMPLETE" in ran.stdout
    if shutil.which(shell):
        script = tmp_path / "completion"
        script.write_text(ran.stdout)
        subprocess.run([shell, "-n", str(script)], check=True, timeout=60)


@pytest.mark.parametrize("asked", [{"COMP_WORDS": "lookalike pa", "COMP_CWORD": "x"}, {}, {"COMP_WORDS": ""}])
def test_a_request_without_words_is_refused(environment: dict[str, str], asked: dict[str, str]) -> None:
    """It was reported as a bug of lookalike."""
    asked = {"_LOOKALIKE_COMPLETE": "bash_complete", **asked}
    ran = subprocess.run(["lookalike"], env=environment | asked, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 2 and "COMP_WORDS" in ran.stderr and not ran.stdout


def test_nothing_is_offered_for_an_unknown_command(environment: dict[str, str]) -> None:
    """The error was printed into the line that was being typed."""
    asked = {"_LOOKALIKE_COMPLETE": "bash_complete", "COMP_WORDS": "lookalike paris --th", "COMP_CWORD": "2"}
    ran = subprocess.run(["lookalike"], env=environment | asked, capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout.strip(), ran.stderr) == (0, "", "")
