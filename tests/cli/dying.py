"""The program, killed at a moment of its own: `python dying.py N ARGUMENTS` has SIGKILL at the N-th time that something
is forced to the disk, and with 0 lives. Parts and blocks are small, so that few documents make many of them.

Everything that survives a crash was forced to the disk, under a name that it got before or gets after. So killing at
each of these moments in turn goes through all states in which a crash can leave a work folder.
"""

from __future__ import annotations

import os
import signal
import sys

from lookalike.cli import main
from lookalike.engines.stages import signed_parts
from lookalike.io.formats import lines

fsync = os.fsync


def die_at(moment: int) -> None:
    """Has the process killed at that time from now."""
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
    lines.BLOCK = 2000
    die_at(int(sys.argv.pop(1)))
    main()
