"""The choice of an implementation: the fastest, the one that LOOKALIKE_KERNEL names, or one that a test forces."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from lookalike import kernel
from lookalike.errors import InvalidOption
from lookalike.kernel.dispatch import VARIABLE
from tests.refusals import refused

NOT_HERE = ["abacus", "AVX2", " portable", "portable,avx2"]


@pytest.fixture(autouse=True)
def _as_it_was(path: str) -> Iterator[None]:
    yield
    kernel.force(path)


def test_a_forced_path_is_used(path: str) -> None:
    assert kernel.path() == path


def test_the_variable_chooses_the_path_of_a_process(path: str) -> None:
    program = "from lookalike import kernel; print(kernel.path())"
    environment = {**os.environ, VARIABLE: path}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert done.stdout.strip() == path, done.stderr


def test_without_a_forced_path_the_variable_decides_again(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, path)
    for other in kernel.paths():
        kernel.force(other)
        kernel.force(None)
        assert kernel.path() == path


@pytest.mark.parametrize("value", ["", None])
def test_without_the_variable_the_fastest_path_is_used(value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False) if value is None else monkeypatch.setenv(VARIABLE, value)
    kernel.force(None)
    assert kernel.path() == kernel.paths()[-1]


@pytest.mark.parametrize("value", NOT_HERE)
def test_an_unavailable_path_is_refused(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = kernel.path()
    monkeypatch.setenv(VARIABLE, value)
    with refused("kernel-path-not-one-of", allowed=tuple(kernel.paths()), value=value):
        kernel.force(None)
    assert kernel.path() == before


def test_the_command_line_refuses_an_unavailable_path_in_one_line() -> None:
    command = [sys.executable, "-m", "lookalike", "compare", __file__, __file__]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, VARIABLE: "abacus"})
    assert done.returncode == InvalidOption.exit_code and not done.stdout
    (line,) = done.stderr.splitlines()
    assert VARIABLE in line and "portable" in line
