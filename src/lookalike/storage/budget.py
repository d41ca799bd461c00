"""Budget: how much memory a process may hold. What it holds already, the interpreter too, is part of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from lookalike.errors import InvalidOption
from lookalike.flow.byte_sizes import bytes_of
from lookalike.notices import Notice

SHARE = 2
"""Without a budget, one part in so many of the memory that is free."""

UNKNOWN = 4 << 30
"""What is taken for free where the system does not say."""


@dataclass(frozen=True)
class Budget:
    """The most bytes that may be resident. An answer never depends on it; what is held, spilled and read again does."""

    limit: int
    given: bool = True

    @classmethod
    def of(cls, memory: int | str | None) -> Budget:
        """What a user said, or else a share of what is free."""
        if memory is None:
            return cls(resident() + available() // SHARE, given=False)
        return cls(bytes_of(memory))

    def free(self) -> int:
        """What is left of it; less than nothing if more is held than may be."""
        return self.limit - resident()

    def require(self, more: int, what: Notice | str) -> None:
        """Refuses a budget that does not leave `more` bytes for `what`."""
        if self.free() < more:
            least = -(-(resident() + more) // 2**20) * 2**20
            raise InvalidOption("memory-too-small", what=what, limit=self.limit, least=least)


def resident() -> int:
    """Bytes of this process that are in memory, files that are mapped into it too."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):  # another kind of system: the most that it ever was
        import resource
        import sys

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak


def available() -> int:
    """Bytes that the machine, and the container it may be in, would still give without swapping."""
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
    """What the limit of the control group leaves; pages of files, which it counts too, would be given back."""
    names = (("memory.max", "memory.current"), ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"))
    for limit, usage in names:
        try:
            most, used = (root / limit).read_text().strip(), int((root / usage).read_text())
            files = _files_of((root / usage).with_name("memory.stat"))
            if most != "max" and int(most) < 1 << 60:
                return max(0, int(most) - used + files)
        except (OSError, ValueError):
            continue
    return None


def _files_of(stat: Path) -> int:
    for line in stat.read_text().splitlines():
        if line.startswith(("inactive_file ", "total_inactive_file ")):
            return int(line.split()[1])
    return 0
