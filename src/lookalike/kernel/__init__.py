"""Kernels do the arithmetic for engines: cut and sign texts, group keys, verify candidates, connect, join, count.

`protocol.py` defines what a kernel does; `cpu.py` is the only one so far. An engine has its own kernel; other code uses
the default one.
"""

from __future__ import annotations

from lookalike.kernel.cpu import Cpu
from lookalike.kernel.dispatch import force, path, paths
from lookalike.kernel.protocol import Kernel

__all__ = ["Cpu", "Kernel", "default", "force", "path", "paths"]


def default(threads: int = 1) -> Kernel:
    """The default kernel: that of the processor, with this number of threads."""
    return Cpu(threads)
