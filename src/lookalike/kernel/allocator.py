"""Returns freed memory to the system, which allocators would otherwise keep for reuse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from lookalike.kernel import _native


def trim() -> None:
    """Returns freed memory to the system, without changing the settings of the allocator."""
    _native.trim()


@contextmanager
def returnable_memory() -> Iterator[None]:
    """Makes Arrow use the system's allocator until the block ends, so that `trim` can return memory that Arrow frees.

    Arrow's default allocator keeps memory that was allocated by one thread and freed by another: hundreds of megabytes
    if texts are long. Memory that is in use at the end of the block stays valid.
    """
    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)
