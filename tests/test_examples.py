"""The programs in examples/ run and find what they should."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PICTURES = Path(__file__).parents[1] / "examples" / "pictures.py"


def test_variants_of_a_picture_are_its_nearest_pictures() -> None:
    """Each picture has five variants. Nearly all of the nearest pictures are among them."""
    ran = subprocess.run([sys.executable, PICTURES, "--top", "3"], capture_output=True, text=True, check=True)
    lines = [line.split() for line in ran.stdout.splitlines()]
    assert len(lines) == 360
    numbers = [[word for word in line if word.isdigit()] for line in lines]
    assert sum(one == other for one, other in numbers) >= 350
