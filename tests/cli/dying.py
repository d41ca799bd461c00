"""Runs the program and kills it: `python dying.py N ARGUMENTS` ends by SIGKILL at the N-th time that data is forced to
the disk (0: never). Parts and blocks are small, so that few documents make many of them. With WITHOUT_ROOM in the
environment, so is the memory for tables: sets do not fit.

Everything that survives a crash was forced to the disk. So killing the program at each of these moments in turn covers
all states in which a crash can leave a work folder.
"""

from __future__ import annotations

import os
import signal
import sys

from lookalike.cli import main
from lookalike.engines.local.spill import batches
from lookalike.engines.stages import memory, signed_parts
from lookalike.io.formats import line_blocks

fsync = os.fsync


def die_at(moment: int) -> None:
    """Kills the process when data is forced to the disk for the `moment`-th time from now."""
    passed = 0

    def dying(file: int) -> None:
        nonlocal passed
        passed += 1
        if passed == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        fsync(file)

    os.fsync = dying  # type: ignore[assignment]


if __name__ == "__main__":
    signed_parts.PART_ROWS = 32  # type: ignore[attr-defined]
    line_blocks.BLOCK = 2000
    if "WITHOUT_ROOM" in os.environ:
        batches.CHUNK = 2000
        memory.Allowance.of = lambda *_: memory.Allowance(4000, 1 << 20, state=0)  # type: ignore[method-assign]
    die_at(int(sys.argv.pop(1)))
    main()
