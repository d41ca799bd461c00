"""Returns freed memory that the allocator keeps for reuse."""

from __future__ import annotations

from lookalike.kernel import _native


def trim() -> None:
    """Returns freed memory to the system. The allocator's settings are not changed."""
    _native.trim()
