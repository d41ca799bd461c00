"""The protocol of kernels: arrays in, arrays out. Most methods are rules of docs/reference/format.md.

The protocol is provisional: there is one kernel (`cpu.py`), and a second one will show what should change. A kernel
has a number of threads; no answer depends on it. `lookalike.testing.check_kernel` compares a kernel with the
definitions. Invalid arguments (falling offsets, rows that do not exist, arrays of another type) raise ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.flow import Documents, Shingles, Shingling
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.baskets import Lines, Lists
from lookalike.flow.buckets import ALL, Share
from lookalike.flow.sketches import Sketches
from lookalike.kernel.records import Neighbours, TokenRows, Weights
from lookalike.kernel.values import Components, ExactPairs, SimilarPairs
from lookalike.kernel.vectors import Bits, Floats, IsNear, Keys, Kind, Matrix, Near, Nearest, Table, Term, Values

if TYPE_CHECKING:
    from lookalike.kernel._native import FirstPass, PairPass

NO_LIMIT = 2**63


class Bands(Protocol):
    """The part of a banding that `sketch` needs."""

    @property
    def bands(self) -> int: ...

    @property
    def rows(self) -> int: ...


class Forest(Protocol):
    """Components that grow by edges or buckets; `find` returns the smallest row of each row's component."""

    def join(self, left: Rows, right: Rows, /) -> None: ...

    def join_buckets(self, members: npt.NDArray[np.uint32], starts: Rows, /) -> None: ...

    def find(self, rows: Rows, /) -> Rows: ...


class Signing(Protocol):
    """Documents → sets, signatures, band keys."""

    def shingle(self, documents: Documents, shingling: Shingling) -> Shingles:
        """The set of each document, ascending and distinct (a bag's repetitions are elements of their own)."""
        ...

    def sketch(
        self, documents: Documents, shingling: Shingling, *, sketch: str, hashes: int, seed: int, banding: Bands
    ) -> Sketches:
        """Fingerprints, flags and band keys, without a table of sets or signatures in between."""
        ...

    def sign(self, shingles: Shingles, *, sketch: str, hashes: int, seed: int) -> Hashes:
        """One signature of `hashes` slots per set."""
        ...

    def sign_weighted(
        self, offsets: Rows, values: Hashes, weights: npt.NDArray[np.float64], *, hashes: int, seed: int
    ) -> Hashes:
        """One signature per weighted set, by section 7 of docs/reference/format.md.

        Set i has the elements `values[offsets[i] : offsets[i + 1]]`, each once and in any order, and their `weights`,
        which are 0 or lie in 1e-100 … 1e100. A slot of two sets agrees with the probability of their weighted Jaccard
        similarity.
        """
        ...

    def band_keys(self, signatures: Hashes, bands: int, rows: int) -> Hashes:
        """One key per signature and band."""
        ...


class Grouping(Protocol):
    """Keys → buckets and candidates."""

    def copies(self, fingerprints: Hashes, empty: Mask) -> Rows:
        """The first row with the fingerprint of each row; a row that is first, or empty, is its own."""
        ...

    def bucketed(self, keys: Hashes, left_out: Mask) -> npt.NDArray[np.uint8]:
        """Flags IN_BUCKET and IN_LARGE per row: whether it shares a key with another row that is not left out.

        Leave empty texts out: they all have the same keys.
        """
        ...

    def candidates(self, keys: Hashes, share: Share = ALL, most: int = NO_LIMIT) -> tuple[Rows, Rows]:
        """Every pair of rows with an equal key in some band, once, ordered. Leave empty texts out.

        More than `most` pairs (counted in steps of a thousand) raise OverflowError as soon as that is known.
        """
        ...

    def buckets(
        self, keys: Hashes, rows: npt.NDArray[np.uint32] | None = None, left_out: Mask | None = None
    ) -> tuple[npt.NDArray[np.uint32], Rows]:
        """Keys of one band → the members of buckets of two or more, and the start of each bucket.

        Key i is that of row i or, with `rows`, that of rows[i]. Members of a bucket keep their order.
        """
        ...

    def forest(self, rows: int) -> Forest:
        """A forest of so many rows, each its own component."""
        ...

    def connect(self, n: int, left: Rows, right: Rows) -> Rows:
        """Edges → for each of n rows the smallest row of its component."""
        ...


class Comparing(Protocol):
    """Candidates and their sets → pairs, components, exact joins."""

    def intersections(self, shingles: Shingles, left: Rows, right: Rows) -> Rows:
        """The number of common elements of each pair of rows."""
        ...

    def similar_pairs(
        self,
        keys: Hashes,
        shingles: Shingles,
        numerator: int,
        denominator: int,
        share: Share = ALL,
        most: int = NO_LIMIT,
    ) -> SimilarPairs:
        """All candidate pairs whose Jaccard similarity is at least numerator/denominator. Empty sets are in no pair.

        More than `most` pairs (counted in steps of a thousand) raise OverflowError as soon as that is known.
        """
        ...

    def similar_components(
        self,
        keys: Hashes,
        shingles: Shingles,
        numerator: int,
        denominator: int,
        share: Share = ALL,
        known: Rows | None = None,
        *,
        stars_only: bool = False,
    ) -> Components:
        """The connected components of the graph of `similar_pairs`, without its pairs.

        Rows of one component are not compared again, and buckets of thousands are not compared pair by pair, so that
        neither many near-duplicates nor shared boilerplate make it quadratic. `known[row]` is a row that is known to be
        in row's component, or row itself. With `stars_only`, members of a bucket are compared with its first members
        only: that needs no more memory, and finds most connections but not necessarily all.
        """
        ...

    def exact_pairs(
        self,
        sets: Shingles,
        right: Shingles | None = None,
        *,
        measure: str = "jaccard",
        numerator: int,
        denominator: int = 1,
        most: int = NO_LIMIT,
    ) -> ExactPairs:
        """All pairs of a set and one of `right` (without it: of two of `sets`, left < right) that reach the threshold.

        With sizes a and b and o common elements, a pair reaches n/d if, in integers: jaccard o·d ≥ n·(a + b − o),
        dice 2·o·d ≥ n·(a + b), cosine o²·d² ≥ n²·a·b, containment (of left in right) o·d ≥ n·a, overlap o ≥ n,
        hamming a + b − 2·o ≤ n. An empty set is similar to nothing, except under hamming, which follows the formula.
        Containment within one collection gives every ordered pair of two rows. More than `most` pairs
        raise OverflowError, early if there are thousands more.
        """
        ...

    def exact_top(
        self,
        sets: Shingles,
        right: Shingles | None = None,
        *,
        measure: str = "jaccard",
        numerator: int,
        denominator: int = 1,
        top: int,
        most: int = NO_LIMIT,
    ) -> ExactPairs:
        """For each set the `top` most similar sets of `right` (without it: of the others).

        Only sets that reach the threshold and share an element count, under hamming too. Ordered by left row, then by
        similarity, the greatest first, then by right row; of equals the lower rows are kept. More than `most` pairs
        raise OverflowError.
        """
        ...


class Vectors(Protocol):
    """Vectors and strings of bits: keys, near pairs, nearest neighbours, exact values."""

    def keys_of_vectors(self, values: Floats, *, bands: int, rows: int, seed: int, width: float = 0.0) -> Keys:
        """`bands` keys per padded vector, band by band: `rows` hyperplanes each, or lines with bins of that width."""
        ...

    def keys_of_bits(self, bits: Bits, size: int, *, bands: int, rows: int, seed: int) -> Keys:
        """`bands` keys per string of `size` bits: `rows` random positions each."""
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
        """Vectors that share a key and are near, up to the rounding of single precision.

        A pair is near if x·y (products), or the sum of the lesser coordinates (minima), is at least
        bound + own(x) + own(y); or if |x − y| (differences) is at most that. Pairs whose `sketches` differ in more than
        `differing` bits are left out. If more than `most` pairs are found, only those that `is_near` confirms are
        counted, if it is given. If they are still more, OverflowError is raised.
        """
        ...

    def pairs_of_bits(
        self, bits: Bits, keys: Keys, differing: Keys, *, most: int = 2**62, is_near: IsNear | None = None
    ) -> Near:
        """Strings of bits that share a key and differ in at most so many places: as many as the left row allows.

        `most` and `is_near` as in `pairs_of_vectors`.
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
        """For each query the rows of greatest cosine among those that share a key with it; `far` is minus the cosine.

        The first of each pair are the vectors, the second the queries: as unit vectors, their keys, the original
        coordinates, and the squares of the lengths. `margin` is what products of unit vectors may lose to single
        precision.
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
        """As `nearest_by_cosine`, but by distance.

        Distances in the tables are at most `scale` times as large, plus what `own` adds.
        """
        ...

    def measured(self, term: Term, one: Matrix, two: Matrix, left: Rows, right: Rows) -> Values:
        """The sum of a term over the coordinates of each pair, in double precision and in one fixed order."""
        ...

    def common_ones(self, one: Bits, two: Bits, left: Rows, right: Rows) -> Rows:
        """The number of positions where both rows of a pair have a one."""
        ...


class Records(Protocol):
    """Records as weighted tokens."""

    def nearest_records(
        self, queries: TokenRows, index: TokenRows | None, weights: Weights, *, top: int, budget: int
    ) -> Neighbours:
        """The `top` rows of `index` (of the queries themselves if None) with the largest cosine, ties by row.

        `weights` are the squares of the tokens' weights. Of each row, as many of its rarest tokens are looked up as
        have at most `budget` entries in the index together.
        """
        ...

    def shared_weights(self, one: TokenRows, two: TokenRows, weights: Weights, left: Rows, right: Rows) -> Weights:
        """The sum of the weights of the common tokens of each pair of rows."""
        ...


class Counting(Protocol):
    """Frequent pairs. The passes are objects of the kernel; `frequent/passes.py` documents them."""

    def first_pass(self, limit: int, waiting: int, tables: int, bits: int, width: int) -> FirstPass: ...

    def pair_pass(
        self,
        data: npt.NDArray[np.uint8],
        strings: Rows,
        bitmaps: list[npt.NDArray[np.uint8]],
        limit: int,
        waiting: int,
    ) -> PairPass: ...

    def count(self, counting: FirstPass | PairPass, block: Lines | Lists) -> None:
        """Gives a pass another block of baskets."""
        ...

    def rank_pairs(self, pairs: Hashes, counts: npt.NDArray[np.uint32]) -> tuple[Rows, Rows, Rows]:
        """Pairs by descending count: first items, second items, counts."""
        ...


class Kernel(Signing, Grouping, Comparing, Vectors, Records, Counting, Protocol):
    """All groups of arithmetic. Code that needs only one group takes that protocol."""

    @property
    def name(self) -> str: ...

    @property
    def threads(self) -> int: ...
