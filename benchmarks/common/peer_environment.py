"""Separate virtual environments for peers, so that their dependencies do not constrain those of lookalike."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

REQUIREMENTS = Path(__file__).parents[1] / "peers-requirements.txt"


def peers_python(folder: Path, requirements: Path = REQUIREMENTS) -> Path:
    """The interpreter of the environment in the folder, which is created on first use.

    Packages that cannot be installed are reported and skipped.
    """
    python, done = folder / "bin" / "python", folder / "peers.done"
    wanted = requirements.read_text()
    if done.exists() and done.read_text() == wanted:
        return python
    print(f"Setting up {folder}", file=sys.stderr)
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    if subprocess.run([*pip, "-r", str(requirements)], capture_output=True).returncode:
        for line in filter(lambda line: line and not line.startswith("#"), wanted.splitlines()):
            if subprocess.run([*pip, line], capture_output=True).returncode:
                print(f"pip could not install {line}", file=sys.stderr)
    done.write_text(wanted)
    return python
