"""Files that benchmarks write once and keep in build/benchmarks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

FOLDER = Path(__file__).parents[2] / "build" / "benchmarks"
"""Corpora, their true pairs, the peers' environments and the contenders' results."""


def written_once(name: str, write: Callable[[Path], object]) -> Path:
    """Path of a file in FOLDER. `write` creates it if it is missing; an interrupted write leaves no file behind."""
    path = FOLDER / name
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_name(f"unfinished-{name}")
        write(unfinished)
        unfinished.replace(path)
    return path
