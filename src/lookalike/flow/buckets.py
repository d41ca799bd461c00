"""Buckets of equal band keys: the pairs that a call works on, and the sizes from which buckets are special."""

from __future__ import annotations

from dataclasses import dataclass

SMALL_BUCKET = 64
"""Members: the pairs of larger buckets are found by an index, not by trying every pair."""

GIANT_BUCKET = 4096
"""Members: larger buckets are joined one after the other."""

LARGEST_COUNTED, MOST_COUNTED = 1 << 14, 1 << 26
"""Candidate pairs are not counted if a bucket has more members, or all buckets together more pairs."""

IN_BUCKET, IN_LARGE = 1, 2
"""Bits per row: shares a bucket with another row; shares one of more than SMALL_BUCKET members."""


@dataclass(frozen=True)
class Share:
    """The candidate pairs that a call works on: those whose first common band is one of `first` … `last` - 1.

    With a `split`, only pairs of a row before it and one from it on. Shares that make up the whole cover every pair
    once.
    """

    first: int = 0
    last: int = -1
    split: int = 0


ALL = Share()
