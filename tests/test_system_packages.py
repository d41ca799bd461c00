"""Packages of the system are installed if the user agrees, or in CI; never without asking."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
from functools import partial
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts/system-packages.sh"


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A PATH without any programs, on which we seem to be root and apt-get only records its arguments."""
    programs = {"id": "echo 0", "apt-get": f'echo "$@" >> {tmp_path}/asked'}
    for name, line in programs.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path


def written(terminal: int) -> bytes:
    """What was written to the terminal, or nothing if all programs have closed it. One call may return only a part."""
    try:
        return os.read(terminal, 10_000)
    except OSError:  # Linux reports an error, other systems an empty text
        return b""


def installed(machine: Path, answer: str | None = None, **environment: str) -> tuple[bool, str]:
    """Whether packages were installed, and the output. An answer is typed into a terminal; None: there is none."""
    bash = shutil.which("bash")
    assert bash is not None
    command, variables = [bash, str(SCRIPT)], {"PATH": str(machine), **environment}
    if answer is None:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=variables)
        code, output = done.returncode, done.stdout
    else:
        ours, theirs = pty.openpty()
        os.write(ours, answer.encode())
        process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=variables)
        os.close(theirs)
        output = b"".join(iter(partial(written, ours), b"")).decode()
        os.close(ours)
        code = process.wait(timeout=10)
    assert code == 0
    asked = machine / "asked"
    return asked.exists() and "install -y" in asked.read_text(), output


def test_without_a_terminal_missing_packages_are_only_named(machine: Path) -> None:
    """They were installed without asking."""
    done, output = installed(machine)
    assert not done and "apt-get install default-jre-headless chromium" in output


def test_ci_installs_without_asking(machine: Path) -> None:
    assert installed(machine, CI="true")[0]


@pytest.mark.parametrize(("answer", "agreed"), [("y\n", True), ("\n", False), ("n\n", False)])
def test_in_a_terminal_the_user_is_asked(answer: str, agreed: bool, machine: Path) -> None:
    done, output = installed(machine, answer)
    assert done == agreed and "Install them now? [y/N]" in output


def test_nothing_is_said_where_nothing_is_missing(machine: Path) -> None:
    for name in ("java", "chromium"):
        (machine / name).symlink_to("/bin/true")
    assert installed(machine, CI="true") == (False, "")
