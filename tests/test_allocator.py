"""Freed memory is returned to the system, and the allocator of the process keeps its settings."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked to return memory")

ALLOCATE = """
import ctypes
from lookalike.kernel.allocator import trim

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = [ctypes.c_size_t]
libc.free.argtypes = [ctypes.c_void_p]


class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks")] + [
        ("rest", ctypes.c_size_t * 6)
    ]


libc.mallinfo2.restype = Info
"""

THRESHOLD = """
def is_mapped(size):
    "Whether a block has a mapping of its own, after a block four times as large was freed."
    libc.free(libc.malloc(4 * size))
    before = libc.mallinfo2().hblks
    block = libc.malloc(size)
    mapped = libc.mallinfo2().hblks > before
    libc.free(block)
    return mapped


before = is_mapped(4 << 20)
trim()
print(before, is_mapped(4 << 20))
"""

RETURNED = """
import os


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


blocks = [libc.malloc(100 << 10) for _ in range(1000)]
for block in blocks:
    ctypes.memset(block, 1, 100 << 10)
for block in blocks[:-1]:  # the last one keeps the heap from shrinking by itself
    libc.free(block)
held = resident()
trim()
print((held - resident()) >> 20)
"""


def output(program: str) -> list[str]:
    done = subprocess.run([sys.executable, "-c", ALLOCATE + program], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_trimming_leaves_the_settings_of_the_allocator() -> None:
    """It fixed the size from which blocks are mapped; glibc raises it when a mapped block is freed."""
    assert output(THRESHOLD) == ["False", "False"]


def test_trimming_returns_freed_memory() -> None:
    assert int(output(RETURNED)[0]) > 80
