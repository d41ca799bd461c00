"""Signatures of weighted sets in plain Python, as specified in section 7 of docs/reference/format.md.

The kernel computes the same values.

Picture a dartboard for every element, with weight on the vertical axis and rank on the horizontal axis. Darts are
spread evenly over the board, on average one per unit of area, and each is marked with the number of a slot. A set uses
the darts below its weights, and keeps the dart with the least rank in each slot. In the union of two sets (the greater
weight of each element), every dart is equally likely to have the least rank. Both sets keep that dart if it is below
the lesser weight. The probability of this is the weighted Jaccard similarity, Σ min / Σ max.

The method is based on DartMinHash (Christiani, 2020). Since weights may have any size, boards are divided into strips
of doubling height. The ranks of a strip's darts are generated in ascending order, at exponentially distributed
distances, so that only as many as needed are generated.
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
    """Computes the signature of a set, given the weight of each element.

    If all weights are 0, every slot is 2⁶⁴ − 1.
    """
    state = mix(seed + GOLDEN)
    total = sum(weights.values())
    if not total:
        return [WORD] * hashes
    limit = hashes * (math.log(hashes) + 3) / total  # initial limit on the rank; the result does not depend on it
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
    """Yields (place, rank) for each dart of an element that is below its weight and has a rank of at most `limit`."""
    if not weight:
        return
    top = math.frexp(weight)[1]  # 2^(top − 1) ≤ weight < 2^top
    for j in range(top, LOWEST_STRIP - 1, -1):
        step = 2.0 ** (1 - j)  # mean rank difference between successive darts in a strip of height 2^(j − 1)
        if 2.0**-53 * step > limit:
            break  # the first dart of this strip, and of every lower one, exceeds the limit
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
    """Returns the hash of strip j.

    The top byte of this hash is one of the eight bytes of another hash, which eight strips share. Most low strips can
    be ruled out by it at once.
    """
    block, i = divmod(j - LOWEST_STRIP, 8)
    shared = _fold(base, mix(state + (block + 1) * GOLDEN))
    return (shared >> 8 * i & 0xFF) << 56 | mix(shared + (i + 1) * GOLDEN) >> 8


def exponential(h: int) -> float:
    """Converts a hash to an exponentially distributed number: −ln(1 − x), where x is the upper 52 bits as a fraction.

    The logarithm is computed by a series, because library logarithms differ between machines.
    """
    m, exponent = math.frexp(1 - ((h >> 12) * 2 + 1) * 2.0**-53)
    m, twos = (2 * m, 1 - exponent) if 2 * m <= ROOT_2 else (m, -exponent)
    quotient = (m - 1) / (m + 1)
    square, total = quotient * quotient, 1 / 15
    for i in range(13, 0, -2):
        total = total * square + 1 / i
    return twos * LN_2 - 2 * quotient * total


def mix(x: int) -> int:
    """Scrambles a 64-bit number.

    Different numbers always give different results (docs/reference/format.md, section 1).
    """
    x &= WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


def _fold(a: int, b: int) -> int:
    return (a * b >> 64) ^ (a * b & WORD) ^ a ^ b
