"""Kernels do the arithmetic for engines: cut and sign texts, group keys, verify candidates, connect, join, count.

`protocol.py` says what a kernel does, `cpu.py` is the one that exists. An engine has its kernel; what has no engine
takes the default one.
"""

from __future__ import annotations

from lookalike.kernel.cpu import Cpu
from lookalike.kernel.dispatch import force, path, paths
from lookalike.kernel.protocol import Kernel

__all__ = ["Cpu", "Kernel", "default", "force", "path", "paths"]


def default(threads: int = 1) -> Kernel:
    """The kernel to use where none is given: the processor's, on so many threads."""
    return Cpu(threads)
