"""Divides the memory budget of pair counting between tables and buffers."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import InvalidOption

LEAST = 1 << 20
PROCESS = 112 << 20
"""Bytes of memory for the interpreter and its libraries before anything is counted: about 96 MiB, plus a reserve."""
BLOCK = 2 << 20
WAITING = 8 << 20
COUNTERS = 64
"""The maximum size of the bucket counters, as a multiple of the size of the input. A basket of n items takes at least
2n bytes and has about n²/2 pairs.
"""
MOST_BUCKETS = 1 << 30
"""The maximum number of bytes of bucket counters if the size of the input is unknown."""


@dataclass(frozen=True)
class CountingBudget:
    """The number of bytes for each table and buffer of pair counting.

    The tables and buffers of one pass take less than `tables` together, because a table that grows is copied. The
    budget does not include the pairs found.
    """

    memory: int
    """Bytes for the whole process."""
    tables: int
    """Bytes for all tables and buffers: `memory` minus the interpreter and its libraries, but at least a quarter of
    `memory`.
    """
    dictionary: int
    """Bytes for the dictionary of all distinct items, in the first pass."""
    buckets: int
    """Bytes for bucket counters, in the first pass of hashing methods. The bitmaps of later passes take at most an
    eighth."""
    pairs: int
    """Bytes for counters of pairs, in the last pass."""
    waiting: int
    """Bytes for buffers of pairs that are not counted yet."""
    block: int
    """Bytes for a block of baskets as read from the input; when parsed, it takes about ten times as much."""

    @classmethod
    def of(cls, memory: int, *, hashing: bool, data: int = 0) -> CountingBudget:
        """Divides `memory` bytes between tables and buffers.

        `hashing` is True for methods that hash pairs to buckets. `data` is the size of the input in bytes, or 0 if
        unknown; a small input needs few buckets.
        """
        if memory < LEAST:
            raise InvalidOption("memory-below-least", least=LEAST, memory=memory)
        tables = max(memory - PROCESS, memory // 4)
        return cls(
            memory,
            tables,
            dictionary=tables // 4 if hashing else tables // 2,
            buckets=min(tables // 4, max(LEAST, data * COUNTERS) if data else MOST_BUCKETS) if hashing else 0,
            pairs=tables // 2,
            waiting=min(WAITING, tables // 16),
            block=min(BLOCK, tables // 128),
        )

    def bucket_bits(self, width: int, tables: int = 1) -> int:
        """Returns the greatest number of bits for which 2^bits counters fit into each table.

        `width` is the size of a counter in bytes, and `tables` the number of tables that share the memory for buckets.
        """
        return min(max(3, (self.buckets // (width * tables)).bit_length() - 1), 32)
