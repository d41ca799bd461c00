"""All runs by name."""

from __future__ import annotations

from tests.answers import (
    on_applications,
    on_commands,
    on_dedupe,
    on_files,
    on_sets,
    on_spilling,
    on_texts,
    on_trust,
    on_vectors,
)
from tests.answers.asking import Run

PARTS = (on_texts, on_sets, on_vectors, on_files, on_dedupe, on_trust, on_applications, on_commands, on_spilling)

RUNS: dict[str, Run] = {name: run for part in PARTS for name, run in part.RUNS.items()}
