"""Opens a report in a browser."""

from __future__ import annotations

import os
import sys
import webbrowser
from collections.abc import Callable
from pathlib import Path


def has_screen() -> bool:
    """True if the output goes to a terminal, and a browser can show windows on this machine."""
    if sys.stdout is None or not sys.stdout.isatty():
        return False
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def open_report(write: Callable[[Path], object]) -> Path:
    """Writes a report to a new folder that only this user can read, and opens it. Returns its path.

    It is not removed, because a browser may read it after this program has ended.
    """
    import tempfile  # not on top: the verbs import this module, and few open a report

    path = Path(tempfile.mkdtemp(prefix="lookalike-")) / "report.html"
    write(path)
    webbrowser.open(path.as_uri())
    return path
