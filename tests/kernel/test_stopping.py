"""Ctrl-C stops the call of the thread that receives it, and no other."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lookalike.flow import Shingles
from lookalike.kernel import Cpu


def near_copies(count: int) -> Shingles:
    """Sets of 200 elements that differ in two, so that every pair is similar."""
    sets = np.tile(np.arange(200, dtype=np.uint64), (count, 1))
    sets[:, 198:] = 1000 + np.arange(2 * count, dtype=np.uint64).reshape(count, 2)
    return Shingles(np.arange(0, sets.size + 1, 200, dtype=np.int64), sets.ravel())


def pairs_of(sets: Shingles) -> int:
    return len(Cpu(2).exact_pairs(sets, numerator=4, denominator=5, most=10**8).left)


def test_ctrl_c_stops_no_call_of_another_thread() -> None:
    """The stop flag was once global: a call in another thread was stopped too, or returned half a result."""
    few, many = near_copies(1500), near_copies(10_000)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with ThreadPoolExecutor(1) as pool:
            other = pool.submit(pairs_of, few)
            threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
            with pytest.raises(KeyboardInterrupt):
                pairs_of(many)
            assert other.result() == 1500 * 1499 // 2
    finally:
        signal.signal(signal.SIGINT, before)
