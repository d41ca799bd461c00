"""Memory of the process that the allocator keeps although it was freed."""

from __future__ import annotations

from lookalike.kernel import _native


def trim() -> None:
    """Returns freed memory to the system. The allocator's settings stay as they are."""
    _native.trim()
