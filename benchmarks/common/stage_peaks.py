"""Runs lookalike over a Parquet file and prints the peak memory of each stage as JSON.

    python -m common.stage_peaks texts.parquet pairs 5

Linux records the peak memory of a process and resets it on request, so each stage can be measured separately.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, ClassVar

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.flow.checks import check_threads
from lookalike.kernel import Cpu
from lookalike.kernel.values import Components, SimilarPairs

PROCESS = Path("/proc/self")


class Peaks:
    """A progress callback that records the peak memory of each stage when the next one begins."""

    def __init__(self) -> None:
        self.mib: dict[str, float] = {}
        self.stage = "start"

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self.stage:
            self.record()
            self.stage = stage
            (PROCESS / "clear_refs").write_text("5")

    def record(self) -> None:
        match = re.search(r"VmHWM:\s+(\d+) kB", (PROCESS / "status").read_text())
        assert match is not None
        self.mib[self.stage] = int(match[1]) / 1024


class RecordingKernel(Cpu):
    """A kernel that also records how many candidates and shingles it receives."""

    seen: ClassVar[dict[str, int]] = {}

    def similar_pairs(self, keys: Any, shingles: Any, *rest: Any, **more: Any) -> SimilarPairs:
        self.record(keys, shingles)
        return super().similar_pairs(keys, shingles, *rest, **more)

    def similar_components(self, keys: Any, shingles: Any, *rest: Any, **more: Any) -> Components:
        self.record(keys, shingles)
        return super().similar_components(keys, shingles, *rest, **more)

    def record(self, keys: Any, sets: Any) -> None:
        self.seen.update(bands=keys.shape[1], candidates=len(keys), shingles=len(sets.values))


def main(path: str, goal: str, k: str) -> None:
    engine, peaks = Local(kernel=RecordingKernel(check_threads(None))), Peaks()
    seen = RecordingKernel.seen
    options: Any = {"column": "text", "threshold": 0.8, "shingles": f"words:{k}", "engine": engine, "progress": peaks}
    found = la.find_pairs(path, **options) if goal == "pairs" else la.find_clusters(path, **options)
    peaks.record()
    summary = found.summary
    seen |= {"documents": summary.documents, "texts": summary.bytes, "pairs": summary.pairs or 0}
    print(json.dumps({"peaks": peaks.mib, "run": seen | {"threads": engine.kernel.threads}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
