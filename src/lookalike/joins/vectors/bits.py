"""Hamming distance and Jaccard similarity of bit vectors, stored with eight bits per byte."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, cast

import numpy as np

from lookalike.errors import InvalidOption
from lookalike.families.base import Family
from lookalike.families.bits import BitSampling
from lookalike.families.minhash import MinHash, multipliers
from lookalike.flow import Shingles
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.progress import Progress, silent
from lookalike.flow.threshold import Threshold
from lookalike.joins.vectors.measures import Cost, Matrix, Measure, Values, exactly, positive_distance
from lookalike.joins.vectors.minhash_keys import keys_of_signatures
from lookalike.joins.vectors.single_precision import pieces
from lookalike.kernel import default
from lookalike.kernel import vectors as kernel

NO_TABLE = kernel.Table(np.zeros((0, kernel.LANES), np.float32))


class _BitMeasure:
    """The base class of both measures. Bits are compared one 64-bit word at a time."""

    name: ClassVar[str]
    function: ClassVar[float]
    """The cost per hash function and vector in nanoseconds, as in `Cost`."""

    on_bits: ClassVar[bool] = True

    def check(self, vectors: Matrix, name: str) -> None:
        """Does nothing: any bits are valid."""

    def table(self, vectors: Matrix) -> kernel.Table:
        return NO_TABLE

    def cost(self, vectors: Matrix) -> Cost:
        words = -(-vectors.shape[1] // 8)
        return Cost(
            compare=0.4 * words + 0.5,
            prepare=20.0 * words,
            function=self.function,
            fetch=10.0 + words,
            meet=0.4 * words + 0.5,
        )

    def blocks(self, vectors: Matrix) -> kernel.BlockPlan | None:
        return None

    def every_pair(self, vectors: Matrix, threads: int, most: int, progress: Progress = silent) -> kernel.Near:
        return self.pairs(vectors, NO_TABLE, kernel.one_bucket(len(vectors)), threads, most)

    def pairs(
        self, vectors: Matrix, table: kernel.Table, keys: kernel.Keys, threads: int, most: int, **sketches: Any
    ) -> kernel.Near:
        bits = words_of(vectors)
        limits = self.limits(ones(bits)).astype(np.uint32)
        is_near = exactly(cast(Measure, self), vectors)
        return default(threads).pairs_of_bits(bits, keys, limits, most=most, is_near=is_near)

    def limits(self, sizes: Rows) -> Rows:
        """Returns the maximum number of bits in which a near row can differ, for each number of ones in a row."""
        raise NotImplementedError


@dataclass(frozen=True)
class HammingBits(_BitMeasure):
    """Hamming distance: the number of bits in which two rows differ. Rows are near if it is at most `distance`."""

    name: ClassVar[str] = "hamming"
    is_distance: ClassVar[bool] = True
    function: ClassVar[float] = 1.2
    distance: int

    def __post_init__(self) -> None:
        given = positive_distance(self.distance)
        if given != int(given):
            raise InvalidOption("not-a-whole-number", option="distance", least=1, value=given)
        object.__setattr__(self, "distance", int(given))

    @property
    def bound(self) -> float:
        return float(self.distance)

    def usable(self, vectors: Matrix) -> Mask | None:
        return None

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        x, y, common = common_ones(one, two, left, right, threads)
        return (x + y - 2 * common).astype(np.float64)

    def reached(self, values: Values) -> Mask:
        return np.asarray(values <= self.distance)

    def families(self, vectors: Matrix) -> list[Family]:
        return [BitSampling(8 * vectors.shape[1])]

    def distances(self, values: Values) -> Values:
        return values

    def reach(self, vectors: Matrix) -> float:
        return float(min(self.distance, 8 * vectors.shape[1]))

    def blocks(self, vectors: Matrix) -> kernel.BlockPlan | None:
        plan = default().plan_within(words_of(vectors), None, self.distance)
        return plan if plan.blocks else None

    def every_pair(self, vectors: Matrix, threads: int, most: int, progress: Progress = silent) -> kernel.Near:
        return default(threads).pairs_within(words_of(vectors), None, self.distance, most=most)

    def keys(
        self, vectors: Matrix, table: kernel.Table, family: Family, bands: int, rows: int, seed: int, threads: int
    ) -> kernel.Keys:
        size = 8 * vectors.shape[1]
        return default(threads).keys_of_bits(words_of(vectors), size, bands=bands, rows=rows, seed=seed)

    def limits(self, sizes: Rows) -> Rows:
        return np.full(len(sizes), min(self.distance, 2**32 - 1), np.int64)


@dataclass(frozen=True)
class BitJaccard(_BitMeasure):
    """Jaccard similarity: the number of positions that are 1 in both rows, divided by the number that are 1 in either.

    It is also known as the Tanimoto coefficient. Rows without ones are in no pair.
    """

    name: ClassVar[str] = "jaccard"
    is_distance: ClassVar[bool] = False
    function: ClassVar[float] = 10.0
    threshold: Threshold | float | str

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", Threshold(self.threshold))

    @property
    def _share(self) -> Fraction:
        return Threshold(self.threshold).value

    @property
    def bound(self) -> float:
        return float(self._share)

    def usable(self, vectors: Matrix) -> Mask | None:
        return np.concatenate([np.zeros(0, bool), *(piece.any(axis=1) for _, piece in pieces(vectors))])

    def values(self, one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> Values:
        x, y, common = common_ones(one, two, left, right, threads)
        return np.asarray(common / np.maximum(x + y - common, 1))

    def reached(self, values: Values) -> Mask:
        """Returns, for each value, whether it reaches the threshold.

        Floats can be compared without error here: unless they are equal, a ratio of integers below 2²⁰ and a threshold
        with nine decimals differ by more than rounding errors.
        """
        return np.asarray(values >= float(self._share))

    def families(self, vectors: Matrix) -> list[Family]:
        return [MinHash()]

    def distances(self, values: Values) -> Values:
        return 1 - values

    def reach(self, vectors: Matrix) -> float:
        return 1 - float(self._share)

    def keys(
        self, vectors: Matrix, table: kernel.Table, family: Family, bands: int, rows: int, seed: int, threads: int
    ) -> kernel.Keys:
        elements = np.sort(multipliers(seed ^ 1 << 63, 8 * vectors.shape[1]))  # one number per bit position

        def signed(piece: Matrix, hashes: int, seed: int) -> Any:
            row, place = np.nonzero(np.unpackbits(piece, axis=1))
            sets = Shingles(np.searchsorted(row, np.arange(len(piece) + 1)), elements[place])
            return default(threads).sign(sets, sketch="fast", hashes=hashes, seed=seed)

        return keys_of_signatures(vectors, signed, bands, rows, seed, threads)

    def limits(self, sizes: Rows) -> Rows:
        """Returns the limits |A|·(1 − J) / J, because |A △ B| = |A ∪ B|·(1 − J) and |A ∪ B| ≤ |A| / J."""
        p, q = self._share.numerator, self._share.denominator
        return np.minimum(sizes * (q - p) // p, 2**32 - 1)


def words_of(vectors: Matrix) -> kernel.Bits:
    """Converts the rows to 64-bit words, padded with zeros."""
    rows, width = vectors.shape
    if width % 8 == 0 and vectors.flags.c_contiguous:
        return vectors.view(np.uint64)
    out = np.zeros((rows, -(-width // 8) * 8), np.uint8)
    out[:, :width] = vectors
    return out.view(np.uint64)


def ones(bits: kernel.Bits) -> Rows:
    """Returns the number of ones in each row."""
    rows = np.arange(len(bits), dtype=np.int64)
    return default().common_ones(bits, bits, rows, rows)


def common_ones(one: Matrix, two: Matrix, left: Rows, right: Rows, threads: int) -> tuple[Rows, Rows, Rows]:
    """Returns, for each pair, the number of ones in the left row, in the right row, and in both at once."""
    x, y = words_of(one), words_of(two)
    return (
        default(threads).common_ones(x, x, left, left),
        default(threads).common_ones(y, y, right, right),
        default(threads).common_ones(x, y, left, right),
    )
