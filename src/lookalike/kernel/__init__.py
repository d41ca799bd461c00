"""Kernels do the arithmetic for engines: they cut and sign texts, group keys, verify and connect pairs, join sets …

`protocol.py` defines the methods of a kernel; `cpu.py` is the only kernel so far. Each engine has its own kernel; other
code uses the default one. `loading.py` loads the native module before any other module here imports it.
"""

from __future__ import annotations

from collections.abc import Callable

from lookalike.kernel.loading import why_not_loaded  # isort: skip  (first: it may install a stand-in)
from lookalike.flow import progress
from lookalike.io.formats import line_tools, page_tools
from lookalike.kernel import _native
from lookalike.kernel.cpu import Cpu
from lookalike.kernel.dispatch import force, path, paths
from lookalike.kernel.protocol import Kernel

__all__ = ["Cpu", "Kernel", "default", "force", "path", "paths", "why_not_loaded"]


if why_not_loaded is None:
    progress.native_steps = _native.steps
    line_tools.json_lines = _native.json_lines
    page_tools.tools = page_tools.PageTools(_native.Unpacker, _native.plain_values)

default: Callable[..., Kernel] = Cpu
"""The class of the default kernel; its argument is the number of threads."""
