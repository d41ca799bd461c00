"""A process that changes an index can be killed at any moment. Nothing that it had finished is lost or torn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "index_kills.py"


@pytest.mark.slow
def test_a_writer_that_is_killed_over_and_over_loses_nothing() -> None:
    """The script tells what it checks. By default, it kills 60 times."""
    done = subprocess.run([sys.executable, str(SCRIPT), "--kills", "8"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "8 kills" in done.stdout
