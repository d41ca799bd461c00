"""Strings of bits, for the CPU kernel. `vectors.py` documents the methods."""

from __future__ import annotations

import numpy as np

from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Rows
from lookalike.kernel import _native
from lookalike.kernel.vectors import Bits, BlockPlan, IsNear, Keys, Near


class CpuBits:
    """The methods of `Cpu` for strings of bits."""

    threads: int

    def simhash(self, shingles: Shingles, *, words: int, seed: int) -> Hashes:
        values = np.ascontiguousarray(shingles.values, np.uint64)
        return _native.simhash(np.ascontiguousarray(shingles.offsets, np.int64), values, words, seed, self.threads)

    def keys_of_bits(self, bits: Bits, size: int, *, bands: int, rows: int, seed: int) -> Keys:
        return _native.bit_keys(bits, size, bands, rows, seed, self.threads)

    def pairs_of_bits(
        self, bits: Bits, keys: Keys, differing: Keys, *, most: int = 2**62, is_near: IsNear | None = None
    ) -> Near:
        return Near(*_native.near_bits(bits, keys, differing, self.threads, most, is_near))

    def plan_within(self, bits: Bits, other: Bits | None, distance: int) -> BlockPlan:
        return BlockPlan(*_native.plan_within(bits, other, distance))

    def pairs_within(self, bits: Bits, other: Bits | None, distance: int, *, most: int = 2**62) -> Near:
        return Near(*_native.bits_within(bits, other, distance, self.threads, most))

    def common_ones(self, one: Bits, two: Bits, left: Rows, right: Rows) -> Rows:
        return _native.common_ones(one, two, left, right, self.threads)
