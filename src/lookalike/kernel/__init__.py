"""Kernels do the arithmetic for engines: they cut and sign texts, group keys, verify candidates, connect, join, count.

`protocol.py` defines the methods of a kernel; `cpu.py` is the only kernel so far. An engine has its own kernel; other
code uses the default kernel.
"""

from __future__ import annotations

from lookalike.kernel.cpu import Cpu
from lookalike.kernel.dispatch import force, path, paths
from lookalike.kernel.protocol import Kernel

__all__ = ["Cpu", "Kernel", "default", "force", "path", "paths"]


def default(threads: int = 1) -> Kernel:
    """The default kernel: `Cpu`, with this number of threads."""
    return Cpu(threads)
