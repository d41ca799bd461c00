"""Chooses the numbers to write along an axis."""

from __future__ import annotations


def ticks(low: float, high: float) -> list[float]:
    """Returns the positions that divide the range from `low` to `high` into equal steps, including both ends.

    There are five, four or six steps, whichever number first gives a round step; otherwise five.

    >>> ticks(0, 1), ticks(-1, 1), ticks(0, 180)
    ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-1.0, -0.5, 0.0, 0.5, 1.0], [0.0, 30.0, 60.0, 90.0, 120.0, 150.0, 180.0])
    """
    round_ones = ("1.000000", "2.000000", "3.000000", "5.000000")
    steps = next((n for n in (5, 4, 6) if f"{(high - low) / n:e}".startswith(round_ones)), 5)
    return [round(low + (high - low) * i / steps, 12) for i in range(steps + 1)]
