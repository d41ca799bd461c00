"""Checks the number of threads (default: one per core that the process may use)."""

from __future__ import annotations

import os

from lookalike.flow.checks import check_whole


def check_threads(threads: int | None) -> int:
    """The requested number of threads, after a check, or by default the number of cores that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    check_whole("threads", threads, 1, 1024)
    return threads
