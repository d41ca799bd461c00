"""A budget of memory → how much of it each table and buffer may take."""

from __future__ import annotations

from dataclasses import dataclass

from lookalike.errors import InvalidOption

LEAST = 1 << 20
PROCESS = 112 << 20
"""What the interpreter and its libraries hold before anything is counted, some 96 MiB, and a little more."""
BLOCK = 2 << 20
WAITING = 8 << 20
COUNTERS = 64
"""Bytes of counters of buckets for a byte of input, at most: a basket of n items, 2n bytes or more, has n²/2 pairs."""
MOST_BUCKETS = 1 << 30
"""Bytes of them where the size of the input is not known."""


@dataclass(frozen=True)
class Budget:
    """Bytes. The shares of one pass add up to less than `tables`: tables grow by copying themselves.

    The pairs that are found are not in it.
    """

    memory: int
    """For the whole process."""
    tables: int
    """What the interpreter and its libraries leave of it; a quarter of it where they leave less."""
    dictionary: int
    """For all distinct items, in the first pass."""
    buckets: int
    """For counters of buckets, in the first pass of PCY; the bitmaps of later passes are an eighth of it or less."""
    pairs: int
    """For counters of pairs, in the last pass."""
    waiting: int
    """For pairs on their way to their counters."""
    block: int
    """For baskets as they are read; taken apart they take some ten times as much."""

    @classmethod
    def of(cls, memory: int, *, hashing: bool, data: int = 0) -> Budget:
        """`data` is the size of the input, where that is known: a small one has no use for many buckets."""
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
        """2^bits counters of `width` bytes in each of `tables` fit."""
        return min(max(3, (self.buckets // (width * tables)).bit_length() - 1), 32)
