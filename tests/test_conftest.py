"""A run reports which kernel path it tests. CI does not accept tests that were skipped because something is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lookalike import kernel

TESTS = """
from conftest import require_program

def test_that_needs_a_program():
    require_program("no-such-program", package="no-such-package")

def test_that_needs_nothing():
    assert True
"""


def run(folder: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs the tests above with the conftest.py of this folder."""
    shutil.copy(Path(__file__).with_name("conftest.py"), folder)
    (folder / "test_example.py").write_text(TESTS)
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *options, str(folder)],
        capture_output=True, text=True, cwd=folder, env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.parametrize("options", [(), ("--numprocesses=2",)], ids=["one process", "two processes"])
@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_a_missing_program_skips_a_test_and_fails_in_ci(
    ci: str, code: int, options: tuple[str, ...], tmp_path: Path
) -> None:
    done = run(tmp_path, *options, CI=ci)
    assert done.returncode == code, done.stdout
    assert "no-such-program (Debian: apt-get install no-such-package)" in done.stdout
    assert ("CI does not accept" in done.stdout) == bool(ci)


def test_a_run_reports_which_kernel_it_tests(tmp_path: Path) -> None:
    available = ", ".join(kernel.paths())
    forced = run(tmp_path, CI="", LOOKALIKE_KERNEL="portable").stdout
    assert f"kernel: portable, forced by LOOKALIKE_KERNEL (of {available})" in forced.splitlines()
    free = run(tmp_path, CI="", LOOKALIKE_KERNEL="").stdout
    assert f"kernel: {kernel.paths()[-1]}, the fastest available (of {available})" in free.splitlines()


def test_an_unsupported_kernel_is_refused_before_any_test(tmp_path: Path) -> None:
    done = run(tmp_path, LOOKALIKE_KERNEL="abacus")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "test_example" not in done.stdout
    assert len(done.stderr.strip().splitlines()) == 1
    assert "LOOKALIKE_KERNEL" in done.stderr and "'abacus'" in done.stderr
