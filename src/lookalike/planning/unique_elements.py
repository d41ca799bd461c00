"""Estimates how many elements of a set occur in no other set of a collection, from a sample of its sets."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes, Rows

PROBES = 256
"""The maximum number of sets whose elements are looked for in all other sets of the sample."""

PROBED = 1 << 15
"""The approximate maximum number of their elements."""

PRIOR = 100
"""In 46 collections, PRIOR from 20 to 400 gave the best estimates from samples of 64 to 2,000 sets."""

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
SLOTS = 20
"""Elements are found in a table with 2 to the power of SLOTS entries."""


def unique_shares(sets: Shingles, growth: float) -> npt.NDArray[np.float64]:
    """Estimates the share of elements that would be in no other set among `growth` times as many, for some sets.

    The more sets there are, the fewer elements are unique. For some sets, it is counted how many of their elements are
    also in other sets of a quarter of the sample, and of the whole sample. How the share falls from one to the other
    shows how the frequencies of elements vary (`_exponent`), and so how far it falls with more sets.
    """
    if not len(sets):
        return np.zeros(0)
    most = max(1, min(PROBES, PROBED * len(sets) // max(1, len(sets.values))))
    probes = np.arange(0, len(sets), 4 * -(-len(sets) // (4 * most)))
    sizes, before, now = _shared(sets, probes)
    usual = now - before < sizes / 2  # other sets have found a similar set, which says nothing about the rest
    total, repeated, then = (int(some[usual].sum()) for some in (sizes, now, before))
    return np.asarray((1 - now / np.maximum(1, sizes)) ** _exponent(total, repeated, then, growth))


def _exponent(elements: int, repeated: int, then: int, growth: float) -> float:
    """The power to which shares of unique elements are raised, to estimate those among `growth` times as many sets.

    Of `elements` elements, `then` were not unique in a quarter of the sets, and `repeated` in all of them. If each
    element is found at a constant rate, and rates have a gamma distribution, the share of elements not found in n sets
    is (1 + n / θ) ** -α. Here θ is chosen such that both shares fit. It is the same for all sets, but α is not. PRIOR
    pairs of elements are added, one of which is repeated in a quarter of the sets: small samples would vary a lot.
    """
    total = elements + 2 * PRIOR + 1
    ratio = math.log1p(-(then + PRIOR) / total) / math.log1p(-(repeated + 2 * PRIOR) / total)
    low, high = -20.0, 60.0  # bounds of ln(n / θ); the ratio grows from 1/4, if all elements are equally frequent, to 1
    for _ in range(40):
        middle = (low + high) / 2
        scale = math.exp(middle)
        if math.log1p(scale / 4) / math.log1p(scale) < ratio:
            low = middle
        else:
            high = middle
    scale = math.exp(low)
    return math.log1p(scale * max(1.0, growth)) / math.log1p(scale)


def _shared(sets: Shingles, probes: Rows) -> tuple[Rows, Rows, Rows]:
    """Counts, for some sets, their elements, those also in other sets of every fourth set, and those in any other set.

    Of elements that hash to the same slot of a table, only the last is counted.
    """
    chosen = np.zeros(len(sets), dtype=bool)
    chosen[probes] = True
    elements = sets.values[np.repeat(chosen, sets.sizes)]
    table = np.zeros(1 << SLOTS, dtype=np.int32)
    table[_slots(elements)] = np.arange(len(elements), dtype=np.int32)
    place = table[_slots(sets.values)]
    found = elements[place] == sets.values
    quarter = np.repeat(np.arange(len(sets)) % 4 == 0, sets.sizes) & found
    own = table[_slots(elements)]
    counted = elements[own] == elements
    ends = np.cumsum(np.concatenate([[0], sets.sizes[probes]]))
    sizes, before, now = (
        np.diff(np.cumsum(np.concatenate([[0], some]))[ends])
        for some in (
            counted,
            counted & (np.bincount(place[quarter], minlength=len(elements))[own] > 1),
            counted & (np.bincount(place[found], minlength=len(elements))[own] > 1),
        )
    )
    return sizes, before, now


def _slots(elements: Hashes) -> Hashes:
    return elements * GOLDEN >> np.uint64(64 - SLOTS)
