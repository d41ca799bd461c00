"""MinHash: hash functions of sets that collide with a probability equal to the Jaccard similarity.

This implements section 3 of docs/reference/format.md in NumPy, for study and tests. Engines use the kernel instead.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from lookalike.errors import InvalidOption
from lookalike.families.base import Family, Values
from lookalike.families.chance import Chance
from lookalike.flow.arrays import Hashes
from lookalike.flow.checks import check_one_of
from lookalike.notices import datasketch

GOLDEN, BASE = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
NONE = np.uint64(2**64 - 1)
SLOTS = 128
"""The number of slots per fast sketch. If more functions are needed, several sketches are made, with consecutive
seeds."""


@dataclass(frozen=True)
class MinHash(Family):
    """Hashes a set to its first element in a random order. Two sets collide with probability |A∩B| / |A∪B|.

    With sketch="classic", each hash function orders the elements by its own hashes of them. With sketch="fast" (Fast
    Similarity Sketching), the values of all functions are derived from one hash of each element. The curve is the same,
    but the computation takes less time, and estimates for small sets have less variance.

    >>> MinHash().collision_probability(0.8), MinHash().sensitivity(0.2, 0.6)
    (0.8, Sensitivity(d1=0.2, d2=0.6, p1=0.8, p2=0.4))
    """

    measure: ClassVar[str] = "jaccard"
    sketch: Literal["fast", "classic"] = "fast"

    def __post_init__(self) -> None:
        check_one_of("sketch", self.sketch, ("fast", "classic"))

    if not TYPE_CHECKING:  # type checkers would accept any attribute

        def __getattr__(self, name: str) -> Any:
            instead = "la.signature to sign a text: MinHash is a family of hash functions here"
            raise datasketch.missing("MinHash", name, instead if name in datasketch.ATTRIBUTES else None)

    def chance(self, similarity: float) -> Chance:
        return Chance(similarity, 1 - similarity)

    def chance_at(self, distance: float) -> Chance:
        return Chance(1 - distance, distance)

    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        if self.sketch == "classic":
            m, c = multipliers(seed, count), offsets(seed, count)
            return lambda items: _classic(hashed(items), m, c)
        sketches = [multipliers(seed + i, 2 * SLOTS) for i in range(-(-count // SLOTS))]
        return lambda items: _fast(hashed(items), np.array(sketches), SLOTS).ravel()[:count]

    def example(self, at: float, seed: int) -> tuple[set[int], set[int], float]:
        """Creates two sets of 60 random elements each, with a similarity as close to `at` as possible."""
        size = 60
        elements = np.random.default_rng(seed).integers(0, 2**63, 2 * size).tolist()
        shared = round(2 * size * at / (1 + at))
        first, second = set(elements[:size]), set(elements[size - shared : 2 * size - shared])
        return first, second, shared / (2 * size - shared)


_made = MinHash.__init__


def _checked(self: MinHash, *values: Any, **options: Any) -> None:
    """Replaces `__init__`: options of datasketch's class of the same name are explained."""
    if foreign := sorted(options.keys() & datasketch.OPTIONS):
        raise InvalidOption("minhash-of-datasketch", option=f"{foreign[0]}=")
    _made(self, *values, **options)


_checked.__wrapped__ = _made  # type: ignore[attr-defined]  # for `inspect.signature`
MinHash.__init__ = _checked  # type: ignore[method-assign]


def hashed(items: Iterable[Any]) -> Hashes:
    """Returns the 64-bit hashes of the distinct items, which are whole numbers or strings."""
    distinct = set(items)
    if not distinct:
        raise InvalidOption("empty-set")
    return np.array([number(item) for item in distinct], np.uint64)


def number(item: Any) -> int:
    """Returns the 64-bit hash of an item, which is the same in every process.

    For a whole number, it is the number modulo 2⁶⁴.
    """
    if isinstance(item, str):
        return int.from_bytes(hashlib.blake2b(item.encode(), digest_size=8).digest(), "little")
    if isinstance(item, int | np.integer):
        return int(item) & (2**64 - 1)
    raise InvalidOption("not-an-element", value=item)


def multipliers(seed: int, count: int) -> Hashes:
    """Returns the multipliers M(0), M(1), … of the signature format (docs/reference/format.md); all are odd."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    return _mix(_state(seed) + steps * GOLDEN) | np.uint64(1)


def offsets(seed: int, count: int) -> Hashes:
    """Returns the offsets C(0), C(1), … of the signature format (docs/reference/format.md)."""
    steps = np.arange(1, count + 1, dtype=np.uint64)
    return _mix(_state(seed) ^ (steps * BASE))


def _state(seed: int) -> Hashes:
    return _mix(np.array([seed & (2**64 - 1)], np.uint64) + GOLDEN)


def _mix(x: Hashes) -> Hashes:
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def _classic(elements: Hashes, m: Hashes, c: Hashes) -> Hashes:
    least = np.full(len(m), NONE)
    for element in elements:
        np.minimum(least, element * m + c, out=least)
    return least


def _fast(elements: Hashes, m: Hashes, slots: int) -> Hashes:
    """Returns the fast sketches of a set: one row of slots per row of multipliers `m`."""
    t, low = np.uint64(slots), np.uint64(0xFFFFFFFF)
    found = np.full((len(m), slots), NONE)
    rows = np.arange(len(m))
    for i in range(2 * slots):
        number = np.uint64(i << 48)
        for element in elements:
            x = element * m[:, i]
            p = (x >> np.uint64(32)) * t
            if i < slots:
                slot = (p >> np.uint64(32)).astype(np.intp)
                value = number | (p & low) << np.uint64(16) | (x >> np.uint64(16)) & np.uint64(0xFFFF)
            else:
                slot = np.full(len(m), i - slots)
                value = number | x >> np.uint64(16)
            found[rows, slot] = np.minimum(found[rows, slot], value)
        if not (found == NONE).any():
            break
    return found
