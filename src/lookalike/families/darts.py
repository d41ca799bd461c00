"""Weighted set → signature in plain Python: section 7 of docs/reference/format.md, the twin of the kernel.

Think of a board for every element: weights upwards, ranks to the right, darts spread over it evenly, one for every unit
of area on average, each of them painted with the number of a slot. A set sees the darts below its weights; of each
slot it keeps the first one, that of least rank. Over the union of two sets (the greater weight of each element) every
dart is equally likely to be the first, and both sets keep it if it lies below the lesser weight: the chance is the
weighted Jaccard similarity, Σ min / Σ max.

The idea is that of DartMinHash (Christiani, 2020). Boards are cut into strips of doubling height, as weights may have
any size, and a strip's darts come one after the other at exponential distances, so that it need not be known how many
of them will be wanted.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator, Mapping

WORD = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
LOWEST_STRIP = -1024
LN_2 = float.fromhex("0x1.62E42FEFA39EFp-1")
ROOT_2 = float.fromhex("0x1.6A09E667F3BCDp0")


def sign_weighted(weights: Mapping[int, float], *, hashes: int, seed: int) -> list[int]:
    """Elements with their weights → signature. The slot of a set without weight is 2⁶⁴ − 1."""
    state = mix(seed + GOLDEN)
    total = sum(weights.values())
    if not total:
        return [WORD] * hashes
    limit = hashes * (math.log(hashes) + 3) / total  # how far to look at first; the outcome does not depend on it
    while True:
        slots = [WORD] * hashes
        for element, weight in weights.items():
            for place, rank in darts(mix(element ^ state), weight, state, limit):
                slot = place * hashes >> 32
                slots[slot] = min(slots[slot], int.from_bytes(struct.pack(">d", rank)))
        if WORD not in slots:
            return slots
        limit *= 2


def darts(base: int, weight: float, state: int, limit: float) -> Iterator[tuple[int, float]]:
    """The darts of an element that lie below its weight and whose rank is at most `limit`: place and rank of each."""
    if not weight:
        return
    top = math.frexp(weight)[1]  # 2^(top − 1) ≤ weight < 2^top
    for j in range(top, LOWEST_STRIP - 1, -1):
        step = 2.0 ** (1 - j)  # a strip of height 2^(j − 1) has a dart for every so much of rank
        if 2.0**-53 * step > limit:
            break  # not even the first dart of this strip, or of any below it, can be so near
        h = strip_hash(base, j, state)
        g, at = 0, exponential(h)
        while at * step <= limit:
            place = mix(h + (2 * g + 1) * GOLDEN)
            height = ((place >> 32) + 0.5) * 2.0**-32  # as a share of the strip
            if j < top or height < weight * step - 1:
                yield place & 0xFFFFFFFF, at * step
            g += 1
            at += exponential(mix(h + 2 * g * GOLDEN))


def strip_hash(base: int, j: int, state: int) -> int:
    """Eight strips share a hash, of which each has a byte on top: that is enough to rule out most of the low ones."""
    block, i = divmod(j - LOWEST_STRIP, 8)
    shared = _fold(base, mix(state + (block + 1) * GOLDEN))
    return (shared >> 8 * i & 0xFF) << 56 | mix(shared + (i + 1) * GOLDEN) >> 8


def exponential(h: int) -> float:
    """A hash → an exponential variable, −ln(1 − x) for the share x of its upper 52 bits.

    By a series, because no library's logarithm is the same on all machines.
    """
    m, exponent = math.frexp(1 - ((h >> 12) * 2 + 1) * 2.0**-53)
    m, twos = (2 * m, 1 - exponent) if 2 * m <= ROOT_2 else (m, -exponent)
    quotient = (m - 1) / (m + 1)
    square, total = quotient * quotient, 1 / 15
    for i in range(13, 0, -2):
        total = total * square + 1 / i
    return twos * LN_2 - 2 * quotient * total


def mix(x: int) -> int:
    """64 bits → 64 bits, one to one: section 1 of the format."""
    x &= WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def _fold(a: int, b: int) -> int:
    return (a * b >> 64) ^ (a * b & WORD) ^ a ^ b
