"""SimHash in plain Python: the definition of the bits that the kernel computes."""

from __future__ import annotations

from collections.abc import Collection

from lookalike.families.darts import GOLDEN, mix


def simhash(elements: Collection[int], words: int = 1, seed: int = 0) -> list[int]:
    """Returns the bits of a set as numbers of 64 bits each.

    Bit b of word w is 1 if bit b is 1 in more than half of the hashes mix(element ^ mix(seed + (w + 1) · GOLDEN)).

    >>> simhash([5]) == [mix(5 ^ mix(GOLDEN))], simhash([])
    (True, [0])
    """
    found = []
    for word in range(words):
        hashes = [mix(element ^ mix(seed + (word + 1) * GOLDEN)) for element in elements]
        counts = [sum(one >> bit & 1 for one in hashes) for bit in range(64)]
        found.append(sum(1 << bit for bit, count in enumerate(counts) if 2 * count > len(hashes)))
    return found
