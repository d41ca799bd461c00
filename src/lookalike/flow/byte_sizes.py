"""Converts memory sizes that are written as text ("256MiB") to bytes."""

from __future__ import annotations

import re
from decimal import Decimal

from lookalike.errors import InvalidOption

UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
LARGEST = 2**63
"""The largest size that is accepted, because sizes are counted in 64 bits."""

_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]i?|)b?\s*", re.ASCII | re.IGNORECASE)


def bytes_of(size: int | str, option: str = "memory") -> int:
    """Converts a size to a number of bytes. Error messages name the option `option`.

    >>> bytes_of("256MiB"), bytes_of("1.5 GB"), bytes_of(4096)
    (268435456, 1500000000, 4096)
    """
    if isinstance(size, int) and not isinstance(size, bool) and 0 < size < LARGEST:
        return size
    match = _SIZE.fullmatch(size) if isinstance(size, str) else None
    if match and 0 < (amount := Decimal(match[1]) * UNITS[match[2].lower()]) < LARGEST and (whole := int(amount)):
        return whole
    raise InvalidOption("not-a-size", option=option, value=size)
