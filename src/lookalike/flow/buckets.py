"""Buckets (rows with the same band key): limits on their size, and the division of candidate pairs among calls."""

from __future__ import annotations

from dataclasses import dataclass

SMALL_BUCKET = 64
"""The maximum number of members of a small bucket. In larger buckets, pairs are found with an index, not by trying
every pair."""

GIANT_BUCKET = 4096
"""Buckets with more members than this are joined one at a time."""

LARGEST_COUNTED, MOST_COUNTED = 1 << 14, 1 << 26
"""Candidate pairs are not counted if one bucket has more than LARGEST_COUNTED members, or if all buckets together have
more than MOST_COUNTED pairs."""

IN_BUCKET, IN_LARGE = 1, 2
"""Bit flags of a row: it shares a bucket with another row, and it is in a bucket of more than SMALL_BUCKET members."""


@dataclass(frozen=True)
class Share:
    """The candidate pairs that one call processes: those whose first common band is in `first` … `last` - 1.

    If `split` is set, only pairs of a row before `split` and a row at or after it are processed. Shares that partition
    the bands cover every pair exactly once.
    """

    first: int = 0
    last: int = -1
    split: int = 0


ALL = Share()
