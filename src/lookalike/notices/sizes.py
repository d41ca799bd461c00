"""Formats byte counts in readable units: 268435456 → "256 MiB"."""

from __future__ import annotations


def in_words(size: int) -> str:
    """Formats a byte count in the largest unit that fits.

    >>> in_words(268435456), in_words(1500), in_words(12)
    ('256 MiB', '1.5 KiB', '12 bytes')
    """
    for unit, name in ((2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            amount = size / unit
            return f"{amount:.0f} {name}" if amount >= 100 or amount == int(amount) else f"{amount:.1f} {name}"
    return f"{size} bytes"
