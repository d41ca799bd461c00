"""Returns freed memory that allocators keep for reuse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa

from lookalike.kernel import _native


def trim() -> None:
    """Returns freed memory to the system. The allocator's settings are not changed."""
    _native.trim()


@contextmanager
def returnable_memory() -> Iterator[None]:
    """Within the block, Arrow uses the allocator of the system, so that `trim` can return the memory that it frees.

    Arrow's usual allocator keeps what one thread allocates and another one frees: hundreds of megabytes, if texts are
    long. Memory that is in use at the end of the block stays valid.
    """
    before = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(before)
