"""Runs a command of lookalike, and writes when each stage began and ended, as JSON, to the file STAGES.

    STAGES=stages.json python -m common.staged_command pairs texts.parquet --column text …

The times are those of the monotonic clock, which all processes of a machine share.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lookalike.cli import process
from lookalike.engines.stages.answer_builder import StageClock

seen: list[tuple[str, float, float]] = []
measured = StageClock.stage


@contextmanager
def stage(clock: StageClock, name: str) -> Iterator[None]:
    began = time.monotonic()
    with measured(clock, name):
        yield
    seen.append((name, began, time.monotonic()))


def leave(code: int) -> None:
    Path(os.environ["STAGES"]).write_text(json.dumps(seen))
    leave_process(code)


if __name__ == "__main__":
    StageClock.stage = stage  # type: ignore[method-assign, assignment]
    leave_process, process.leave = process.leave, leave  # type: ignore[assignment]
    process.main()
