"""Forcing names to the disk: a file that was renamed may otherwise lose its new name in a crash."""

from __future__ import annotations

import os
from pathlib import Path


def sync_folder(folder: Path) -> None:
    """Has the disk remember the names in a folder: without that, a file just renamed may be gone after a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError:  # some network file systems cannot; then they have nothing to be told
        pass
    finally:
        os.close(handle)
