"""Replaces a folder, killed at a moment of its own: `python replacing.py N FOLDER CONTENT` ends by SIGKILL just before
the N-th step that changes or syncs anything on the disk, and with 0 lives. With a fourth argument, names cannot be
exchanged.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lookalike.storage import whole_folders


def die_at(moment: int) -> None:
    """Has the process killed at that step from now."""
    passed = 0

    def dying(step: Callable[..., Any]) -> Callable[..., Any]:
        def do(*arguments: Any, **options: Any) -> Any:
            nonlocal passed
            passed += 1
            if passed == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*arguments, **options)

        return do

    for name in ("fsync", "mkdir", "rename", "rmdir", "unlink"):
        setattr(os, name, dying(getattr(os, name)))
    whole_folders._exchange = dying(whole_folders._exchange)


if __name__ == "__main__":
    moment, folder, content, *unable = sys.argv[1:]
    if unable:
        whole_folders._exchange = lambda one, other: False
    die_at(int(moment))
    with whole_folders.replace_folder(Path(folder)) as new:
        (new / "a").write_text(content)
        (new / "inner").mkdir()
        (new / "inner" / "b").write_text(content)
