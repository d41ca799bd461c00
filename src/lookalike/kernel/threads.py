"""How many threads to use, if nothing is said: as many as the process may."""

from __future__ import annotations

import os

from lookalike.flow.checks import check_whole


def check_threads(threads: int | None) -> int:
    """The number of threads that was asked for, or that of the cores this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    check_whole("threads", threads, 1, 1024)
    return threads
