"""CI does not accept a test that was skipped because something is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """
from conftest import require_program

def test_that_needs_a_program():
    require_program("no-such-program", package="no-such-package")

def test_that_needs_nothing():
    assert True
"""


@pytest.mark.parametrize(("ci", "code"), [("", 0), ("true", 1)])
def test_a_missing_program_is_a_skip_and_in_ci_a_failure(ci: str, code: int, tmp_path: Path) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_example.py").write_text(TESTS)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path)],
        capture_output=True, text=True, cwd=tmp_path, env={**os.environ, "CI": ci},
    )  # fmt: skip
    assert done.returncode == code, done.stdout
    assert "no-such-program (Debian: apt-get install no-such-package)" in done.stdout
    assert ("CI does not accept" in done.stdout) == bool(ci)
