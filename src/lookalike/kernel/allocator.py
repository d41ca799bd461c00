"""Returns freed memory to the system, which allocators would otherwise keep for reuse."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa

from lookalike.kernel import _native


def trim() -> None:
    """Returns freed memory to the system, without changing the settings of the allocator."""
    _native.trim()


@dataclass
class _Users:
    """The blocks that use the system's allocator at this moment, in all threads."""

    count: int = 0
    before: pa.MemoryPool | None = None
    """Arrow's allocator before the first of them."""
    lock: threading.Lock = field(default_factory=threading.Lock)


_users = _Users()


@contextmanager
def system_memory() -> Iterator[None]:
    """Makes Arrow use the system's allocator until the block ends.

    Arrow's default allocator asks for memory in huge pages and keeps what one thread allocated and another one freed.
    Texts that are kept then cost up to four times as much time of the system, and `trim` cannot return what Arrow
    frees: hundreds of megabytes if texts are long. Memory that is in use at the end of the block stays valid. Several
    threads may enter such blocks: the last one that leaves restores Arrow's allocator.
    """
    with _users.lock:
        if _users.count == 0:
            _users.before = pa.default_memory_pool()
            pa.set_memory_pool(pa.system_memory_pool())
        _users.count += 1
    try:
        yield
    finally:
        with _users.lock:
            _users.count -= 1
            if _users.count == 0 and _users.before is not None:
                pa.set_memory_pool(_users.before)
                _users.before = None
