"""Budget: the memory that a process may use, including the memory that the interpreter already uses."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path

from lookalike.errors import InvalidOption
from lookalike.flow.byte_sizes import bytes_of
from lookalike.notices import Notice

SHARE = 2
"""The default budget is the free memory divided by this."""

LEAST, PER_BYTE = 256 << 20, 8
"""The minimum budget in bytes, and the additional bytes that it needs per byte of the largest document.

`docs/internals.md` gives the reasons for both numbers.
"""

SMALL = 1 << 20
"""Documents of up to this many bytes need no additional memory."""

UNKNOWN = 4 << 30
"""The free memory in bytes that is assumed if the system does not report it."""


@dataclass(frozen=True)
class Budget:
    """The limit on the resident memory of the process. It affects what is spilled and reread, but never the results."""

    limit: int
    user_set: bool = True

    @classmethod
    def of(cls, memory: int | str | None) -> Budget:
        """Creates the budget for a value of the `memory` option (default: a share of the free memory)."""
        if memory is None:
            return cls(resident() + available() // SHARE, user_set=False)
        return cls(bytes_of(memory))

    def free(self) -> int:
        """Returns the number of bytes left; negative if the budget is exceeded."""
        return self.limit - resident()

    def require(self, more: int, what: Notice | str) -> None:
        """Raises an error if less than `more` bytes of the budget are left for `what`."""
        if self.free() < more:
            raise self.too_small(resident() + more, what)

    @property
    def longest(self) -> int:
        """The maximum size in bytes of a document that a new process can handle within this budget."""
        return max(SMALL, (self.limit - LEAST) // PER_BYTE)

    def too_long(self, size: int) -> InvalidOption:
        """Returns the error for a document of this size in bytes, which exceeds `longest`."""
        return self.too_small(LEAST + PER_BYTE * size, Notice("documents-of-size", size=size))

    @contextmanager
    def in_force(self) -> Iterator[None]:
        """Makes this the budget that `budget_in_force` returns, until the block ends."""
        token = _IN_FORCE.set(self)
        try:
            yield
        finally:
            _IN_FORCE.reset(token)

    def too_small(self, least: int, what: Notice | str) -> InvalidOption:
        """Returns the error for a budget of less than `least` bytes, which `what` needs."""
        least = -(-least // 2**20) * 2**20
        return InvalidOption("memory-too-small", what=what, limit=self.limit, least=least)


_IN_FORCE: ContextVar[Budget | None] = ContextVar("budget", default=None)


budget_in_force = _IN_FORCE.get
"""Returns the budget that limits the size of documents; None if there is no limit."""


def resident() -> int:
    """Returns the resident memory of this process in bytes, including mapped files."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):  # not Linux
        return peak()


def peak() -> int:
    """Returns the peak memory of this process so far, in bytes, including mapped files."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))
    except (OSError, ValueError, IndexError, StopIteration):  # not Linux
        import resource
        import sys

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most if sys.platform == "darwin" else 1024 * most


def available() -> int:
    """Returns the number of bytes that the machine or container can still provide without swapping."""
    return min([free for free in (_of_machine(), _of_container()) if free is not None], default=UNKNOWN)


def _of_machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return None


def _of_container(root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Returns the number of bytes left under the control group's memory limit, or None.

    Cached file pages count as free.
    """
    names = (("memory.max", "memory.current"), ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))
    for limit, usage in names:
        try:
            most, used = (root / limit).read_text().strip(), int((root / usage).read_text())
            if most != "max" and int(most) < 1 << 60:
                return max(0, int(most) - used + _files_of((root / usage).with_name("memory.stat")))
        except (OSError, ValueError):
            continue
    return None


def _files_of(stat: Path) -> int:
    for line in stat.read_text().splitlines():
        if line.startswith(("inactive_file ", "total_inactive_file ")):
            return int(line.split()[1])
    return 0
