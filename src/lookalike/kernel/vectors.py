"""The kernel methods for vectors and bit strings, with their arguments and results."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.flow.arrays import Rows

Floats = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint32]
Bits = npt.NDArray[np.uint64]
Matrix = npt.NDArray[np.floating]
Values = npt.NDArray[np.float64]

IsNear = Callable[[Rows, Rows], npt.NDArray[np.bool_]]
"""A function that takes the left and right rows of pairs, and returns for each pair whether it is near, computed
exactly. It is called from several threads.
"""

Kind = Literal["products", "differences", "minima"]
KINDS: tuple[Kind, ...] = ("products", "differences", "minima")
Term = Literal["product", "squared difference", "minimum", "maximum"]
TERMS: tuple[Term, ...] = ("product", "squared difference", "minimum", "maximum")

LANES = 16
"""Vectors are padded with zeros until their number of coordinates is a multiple of this."""


class Table(NamedTuple):
    """Padded vectors in single precision.

    `own` is the value that each vector adds to the bound of its pairs (None: 0).
    """

    values: Floats
    own: Floats | None = None


class Near(NamedTuple):
    """Sorted pairs of rows, left < right, and the number of pairs that were compared."""

    left: Rows
    right: Rows
    checked: int


class Nearest(NamedTuple):
    """For each query, its nearest rows in order, with ties by row, and their distances.

    Row −1 means that there is none.
    """

    rows: Rows
    far: Values
    checked: int


class Lists(NamedTuple):
    """An inverted file: each row is in one list, and each query searches some lists."""

    starts: Rows
    """The first row of each list, and the number of rows. Prepared rows are in the order of their lists."""
    ids: Rows
    """The number of each prepared row in the exact vectors."""
    first: Rows
    """The list that each query searches first. It should contain most of the query's neighbours."""
    queries: Rows
    lists: Rows
    """Further lists to search, as pairs of a query and a list, each of them once."""


class BlockPlan(NamedTuple):
    """How pairs of bit strings within a distance are found: by sorting them by some of their blocks of bits."""

    blocks: int
    """The number of blocks into which the bits are cut; 0 if every pair is compared."""
    agreeing: int
    """The number of blocks in which strings must agree to be compared: `blocks` minus the distance."""
    tables: int
    """The number of combinations of that many blocks. The strings are sorted once per combination."""
    cost: float
    """The predicted time in nanoseconds on one core."""


def padded_width(d: int) -> int:
    return max(LANES, -(-d // LANES) * LANES)


def padded(values: Matrix) -> Floats:
    """Converts vectors to single precision and pads them with zeros, as kernels require."""
    rows, d = values.shape
    out = np.zeros((rows, padded_width(d)), np.float32)
    out[:, :d] = values
    return out


def one_bucket(rows: int) -> Keys:
    """Returns keys with zero bands, which make the kernel compare every pair."""
    return np.zeros((0, rows), np.uint32)


class Vectors(Protocol):
    """Methods for vectors and bit strings: keys, near pairs, nearest neighbours and exact values."""

    def keys_of_vectors(self, values: Floats, *, bands: int, rows: int, seed: int, width: float = 0.0) -> Keys:
        """Computes one key per band and padded vector.

        A key combines the sides of `rows` random hyperplanes on which the vector lies. If `width` is set, it combines
        the bins of that width into which the projections on `rows` random lines fall.
        """
        ...

    def keys_of_bits(self, bits: Bits, size: int, *, bands: int, rows: int, seed: int) -> Keys:
        """Computes one key per band and string of `size` bits. A key combines the bits at `rows` random positions."""
        ...

    def pairs_of_vectors(
        self,
        table: Table,
        keys: Keys,
        kind: Kind,
        bound: float,
        *,
        sketches: Bits | None = None,
        differing: int = 0,
        most: int = 2**62,
        is_near: IsNear | None = None,
    ) -> Near:
        """Finds the pairs of vectors that share a key and are near, up to rounding in single precision.

        The test depends on `kind`: x·y ≥ limit for products, Σ min(xᵢ, yᵢ) ≥ limit for minima, and |x − y| ≤ limit for
        differences, where limit is bound + own(x) + own(y). Pairs whose `sketches` differ in more than `differing` bits
        are left out. If more than `most` pairs are found and `is_near` is given, only pairs that it confirms are
        counted. Raises OverflowError if there are still more than `most`.
        """
        ...

    def pairs_of_bits(
        self, bits: Bits, keys: Keys, differing: Keys, *, most: int = 2**62, is_near: IsNear | None = None
    ) -> Near:
        """Finds the pairs of bit strings that share a key and differ in at most `differing[left]` positions.

        `most` and `is_near` have the same meaning as in `pairs_of_vectors`.
        """
        ...

    def plan_within(self, bits: Bits, other: Bits | None, distance: int) -> BlockPlan:
        """Chooses the number of blocks with which `pairs_within` takes the least time."""
        ...

    def pairs_within(self, bits: Bits, other: Bits | None, distance: int, *, most: int = 2**62) -> Near:
        """Finds all pairs of bit strings that differ in at most `distance` positions. No pair is missed.

        Pairs are found within `bits`, with left < right, or between `bits` and `other`. Raises OverflowError if there
        are more than `most` pairs.
        """
        ...

    def nearest_by_cosine(
        self,
        tables: tuple[Table, Table],
        keys: tuple[Keys, Keys],
        exact: tuple[Matrix, Matrix],
        squares: tuple[Values, Values],
        *,
        margin: float,
        top: int,
    ) -> Nearest:
        """Finds, for each query, the `top` rows of greatest cosine that share a key with it.

        `far` is the negative cosine.

        In each tuple, the first item is for the vectors and the second for the queries. `tables` contain unit vectors,
        `exact` the original coordinates, and `squares` the squared lengths. `margin` bounds the rounding error of the
        product of two unit vectors in single precision.
        """
        ...

    def nearest_by_distance(
        self,
        tables: tuple[Table, Table],
        keys: tuple[Keys, Keys],
        exact: tuple[Matrix, Matrix],
        *,
        scale: float,
        top: int,
    ) -> Nearest:
        """Finds, for each query, the `top` nearest rows by distance that share a key with it. See `nearest_by_cosine`.

        A distance computed from the tables is at most `scale` times the exact distance, plus the `own` values of both
        vectors.
        """
        ...

    def nearest_in_lists(
        self,
        tables: tuple[Table, Table],
        lists: Lists,
        exact: tuple[Matrix, Matrix],
        squares: tuple[Values, Values] | None,
        *,
        scale: float = 1.0,
        margin: float = 0.0,
        top: int,
    ) -> Nearest:
        """Finds, for each query, the `top` nearest rows in the lists that it searches.

        Rows are compared by cosine if there are squared lengths, and otherwise by distance. See `nearest_by_cosine` and
        `nearest_by_distance`. `margin` also bounds the relative error of distances.
        """
        ...

    def measured(self, term: Term, one: Matrix, two: Matrix, left: Rows, right: Rows) -> Values:
        """Returns, for each pair, the sum of a term over all coordinates, in double precision and in a fixed order."""
        ...

    def common_ones(self, one: Bits, two: Bits, left: Rows, right: Rows) -> Rows:
        """Returns, for each pair, the number of positions where both rows have a one."""
        ...
