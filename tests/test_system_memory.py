"""During a run, Arrow uses the system's allocator, and afterwards its own again."""

from __future__ import annotations

import threading

import pyarrow as pa
import pytest

import lookalike as la
from lookalike.errors import InputError
from lookalike.kernel.allocator import system_memory

TEXTS = ["one two three four five", "one two three four five", "six seven eight nine ten"]


def test_arrow_uses_the_allocator_of_the_system_until_the_block_ends() -> None:
    before = pa.default_memory_pool().backend_name
    with system_memory():
        assert pa.default_memory_pool().backend_name == "system"
        with system_memory():
            array = pa.array(TEXTS)
        assert pa.default_memory_pool().backend_name == "system"
    assert pa.default_memory_pool().backend_name == before
    assert array.to_pylist() == TEXTS


def test_the_last_of_several_threads_restores_the_allocator() -> None:
    before = pa.default_memory_pool().backend_name
    has_entered, may_leave = threading.Event(), threading.Event()

    def work() -> None:
        with system_memory():
            has_entered.set()
            may_leave.wait(timeout=60)

    other = threading.Thread(target=work)
    with system_memory():
        other.start()
        assert has_entered.wait(timeout=60)
    assert pa.default_memory_pool().backend_name == "system"  # the other thread still needs it
    may_leave.set()
    other.join()
    assert pa.default_memory_pool().backend_name == before


def test_a_run_restores_the_allocator_even_if_it_fails() -> None:
    before = pa.default_memory_pool().backend_name
    assert len(la.find_pairs(TEXTS, progress=False)) == 1
    with pytest.raises(InputError):
        la.find_pairs("no such file.parquet", progress=False)
    assert pa.default_memory_pool().backend_name == before
