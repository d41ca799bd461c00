"""The kernel protocol: methods that take and return arrays. Most of them implement rules of docs/reference/format.md.

The protocol is provisional: there is only one kernel (`cpu.py`), and a second one may require changes. A kernel has a
number of threads, on which no answer depends. `lookalike.testing.check_kernel` compares a kernel with the definitions.
Invalid arguments (decreasing offsets, rows that do not exist, arrays of the wrong type) raise ValueError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
import numpy.typing as npt

from lookalike.flow import Documents, Shingles, Shingling
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.baskets import Lines, Lists
from lookalike.flow.buckets import ALL, Share
from lookalike.flow.preference import Preference
from lookalike.flow.sketches import Sketches
from lookalike.kernel.prints import Prints
from lookalike.kernel.pruning import Census, Groups
from lookalike.kernel.records import Records
from lookalike.kernel.scores import Scoring
from lookalike.kernel.values import Components, ExactPairs, Runs, SimilarPairs, Survivors
from lookalike.kernel.vectors import Vectors

if TYPE_CHECKING:
    from lookalike.kernel._native import FirstPass, PairPass
    from lookalike.kernel.stored import PostingPages, Postings

NO_LIMIT = 2**63


class Bands(Protocol):
    """The numbers of bands and of rows per band, such as those of a resolved plan."""

    @property
    def bands(self) -> int: ...

    @property
    def rows(self) -> int: ...


class Forest(Protocol):
    """Connected components that are merged by edges or buckets.

    `find` returns, for each row, the smallest row of its component.
    """

    def join(self, left: Rows, right: Rows, /) -> None: ...

    def join_buckets(self, members: npt.NDArray[np.uint32], starts: Rows, /) -> None: ...

    def find(self, rows: Rows, /) -> Rows: ...


class Signing(Protocol):
    """Methods that turn documents into sets, signatures and band keys."""

    def shingle(self, documents: Documents, shingling: Shingling) -> Shingles:
        """Returns the set of shingles of each document, in ascending order.

        In a bag, each repetition is a separate element.
        """
        ...

    def shingle_part(self, documents: Documents, shingling: Shingling, part: int, parts: int) -> Shingles:
        """One of `parts` parts of each set. Equal elements of two documents are in the same part."""
        ...

    def winnow(self, documents: Documents, shingling: Shingling, run: int) -> Shingles:
        """Returns the shingles that stand for the passages of each document, in ascending order.

        They are the least of each `run` consecutive shingles, in the order of docs/reference/index-format.md.
        With a run of 1, these are all shingles. Repetitions in bags do not count.
        """
        ...

    def repeated_runs(self, documents: Documents, shingling: Shingling, least: int) -> Runs:
        """Finds text that is repeated in many documents: runs of windows that are each in at least `least` documents.

        Each run is as long as possible. Runs of equal windows are reported once, in the order of their first
        occurrence. `bag` and `ignored` have no effect.
        """
        ...

    def members(
        self, documents: Documents, shingling: Shingling, values: Hashes, sets: npt.NDArray[np.uint8]
    ) -> tuple[Rows, Rows, npt.NDArray[np.uint8]]:
        """Counts, for each document (row) and set (column), the windows that are members of the set.

        Row i of `sets` has a 1 for every set that `values[i]` is a member of. The second array is the number of all
        windows of each document, and the third one its flags.
        """
        ...

    def sketch(
        self, documents: Documents, shingling: Shingling, *, sketch: str, hashes: int, seed: int, banding: Bands
    ) -> Sketches:
        """Computes the hashes, flags, band keys and lengths of each document.

        Sets and signatures are not stored.
        """
        ...

    def hash_texts(self, documents: Documents, shingling: Shingling, *, raw: bool) -> Sketches:
        """Computes what is needed to find copies: like `sketch`, with one key of zero, and 0 windows, per document.

        If `raw` is true, `words` are the hashes of the raw bytes, and the only flag is `EMPTY`.
        """
        ...

    def losses(self, documents: Documents, shingling: Shingling, removed: Rows, kept: Rows) -> tuple[Mask, Rows]:
        """Compares removed documents with those kept in their place, as places in `documents`.

        Returns, for each pair, whether the bytes are equal, and how many characters (in lists: tokens) of the removed
        document lie in shingles that the kept one lacks. Pairs of one kept document should be adjacent.
        """
        ...

    def census(self, share: float) -> Census:
        """An empty census that counts this share of all possible shingles."""
        ...

    def prune_sets(self, sets: Shingles, numerator: int, denominator: int) -> tuple[Mask, Shingles]:
        """Whether each set can have a partner at the threshold, as a census of all elements tells; and those that can.

        No set with a partner is missed. Copies of another set make all its elements look shared.
        """
        ...

    def groups(self, rows: int, elements: int, numerator: int, denominator: int, most: int) -> Groups:
        """Groups for `rows` sets with about this many elements in all.

        They take at most about `most` bytes, besides 8 bytes per set and the elements that `add` notes.
        """
        ...

    def sign(self, shingles: Shingles, *, sketch: str, hashes: int, seed: int) -> Hashes:
        """Computes one signature of `hashes` slots per set."""
        ...

    def simhash(self, shingles: Shingles, *, words: int, seed: int) -> Hashes:
        """Computes one string of 64 · `words` bits per set: the majority of each bit in the hashes of the elements.

        `families/simhash.py` defines the bits.
        """
        ...

    def sign_weighted(
        self, offsets: Rows, values: Hashes, weights: npt.NDArray[np.float64], *, hashes: int, seed: int
    ) -> Hashes:
        """Computes one signature per weighted set, as specified in section 7 of docs/reference/format.md.

        Set i has the elements `values[offsets[i] : offsets[i + 1]]`, each once and in any order, with the `weights` at
        the same positions. A weight is 0 or lies in 1e-100 … 1e100. The probability that a slot of two sets agrees is
        their weighted Jaccard similarity.
        """
        ...

    def band_keys(self, signatures: Hashes, bands: int, rows: int) -> Hashes:
        """Computes one key per signature and band."""
        ...


class Grouping(Protocol):
    """Methods that turn keys into buckets and candidates."""

    def copies(self, hashes: Hashes, empty: Mask) -> Rows:
        """Returns, for each row, the first row with the same 128-bit hash.

        An empty row has no copies: it is its own first row.
        """
        ...

    def bucketed(self, keys: Hashes, left_out: Mask) -> npt.NDArray[np.uint8]:
        """Returns flags for each row: IN_BUCKET if it is in a bucket with other rows, IN_LARGE if that bucket is large.

        Rows in `left_out` have no flags and do not count as members. Leave out empty texts, because their keys are all
        equal.
        """
        ...

    def candidates(self, keys: Hashes, share: Share = ALL, most: int = NO_LIMIT) -> tuple[Rows, Rows]:
        """Finds all distinct pairs of rows that have the same key in some band. The pairs are sorted.

        `keys` should not include empty texts, whose keys are all equal. Raises OverflowError as soon as more than
        `most` pairs are found; pairs are counted in steps of a thousand.
        """
        ...

    def buckets(
        self, keys: Hashes, rows: npt.NDArray[np.uint32] | None = None, left_out: Mask | None = None
    ) -> tuple[npt.NDArray[np.uint32], Rows]:
        """Groups the keys of one band into buckets, and returns those with two or more members.

        The first array contains the members of one bucket after another, the second the position at which each bucket
        starts. Key i belongs to row i or, if `rows` is given, to rows[i]. Members of a bucket keep their order.
        """
        ...

    def forest(self, rows: int) -> Forest:
        """Creates a forest in which each row is a component of its own."""
        ...

    def connect(self, n: int, left: Rows, right: Rows) -> Rows:
        """Returns, for each of n rows, the smallest row of its component.

        Pairs of `left` and `right` rows are the edges.
        """
        ...


class Comparing(Protocol):
    """Methods that turn candidates and their sets into pairs and components, and that join sets exactly."""

    def intersections(self, shingles: Shingles, left: Rows, right: Rows) -> Rows:
        """Returns, for each pair of rows, the number of elements that their sets have in common."""
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
        """Finds all candidate pairs whose Jaccard similarity is at least numerator/denominator.

        Empty sets are in no pair. Raises OverflowError as soon as more than `most` pairs are found; pairs are counted
        in steps of a thousand.
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
        """Finds the connected components of the graph whose edges are `similar_pairs`, without listing these pairs.

        Rows already in the same component are not compared, and buckets with thousands of members are not compared pair
        by pair. So neither many near-duplicates nor shared boilerplate lead to quadratic time. `known[row]` is a row
        that is known to be in the component of `row`, or `row` itself. With `stars_only`, the members of a bucket are
        only compared with its first members. That needs no index, and finds most connections but not necessarily all.
        """
        ...

    def choose_survivors(
        self,
        keys: Hashes,
        shingles: Shingles,
        numerator: int,
        denominator: int,
        preference: Preference,
        contained: tuple[int, int] | None = None,
    ) -> Survivors:
        """Finds the rows that survive, and the survivor that replaces each of the others, without listing pairs.

        Rows are taken in the order of preference. A row survives unless it is similar (as in `similar_pairs`) to a
        survivor before it; the most preferred such survivor replaces it. `contained`, a fraction, also requires that at
        least this share of the elements of a removed set are in the survivor's set. Rows of `preference` are positions
        in `keys`, and `alone` is not considered: leave those rows out.
        """
        ...

    def removing_pairs(self, preference: Preference, left: Rows, right: Rows) -> Rows:
        """Returns, for each row, the number of the pair whose survivor replaces it, or −1 if the row survives.

        The pairs must be all similar pairs; survivors are chosen as in `choose_survivors`. `different` and `alone` are
        not considered: leave out their pairs.
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
        """Finds all pairs of a set of `sets` and a set of `right` (default: also of `sets`) that reach the threshold.

        With sizes a and b and o common elements, a pair reaches n/d if, in whole numbers: jaccard o·d ≥ n·(a + b − o),
        dice 2·o·d ≥ n·(a + b), cosine o²·d² ≥ n²·a·b, containment (of left in right) o·d ≥ n·a, overlap o ≥ n,
        hamming a + b − 2·o ≤ n. An empty set is similar to nothing, except under hamming, which follows the formula.
        Containment within one collection considers both orders of two rows. Raises OverflowError if there are more than
        `most` pairs, and stops early if there are thousands more.
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
        """Finds, for each set, the `top` most similar sets of `right` (default: of the other sets).

        Only sets that reach the threshold and share an element are considered, even under hamming. The pairs are sorted
        by left row, then by descending similarity, then by right row. In a tie, the lower rows are kept. Raises
        OverflowError if there are more than `most` pairs.
        """
        ...


class Counting(Protocol):
    """Methods for counting frequent pairs. `frequent/passes.py` documents the passes, which are kernel objects."""

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
        """Counts another block of baskets in a pass."""
        ...

    def rank_pairs(self, pairs: Hashes, counts: npt.NDArray[np.uint32]) -> tuple[Rows, Rows, Rows]:
        """Returns the first items, second items and counts of the pairs, in order of descending count."""
        ...


class Storing(Protocol):
    """Methods for the files of a segment: postings and records in pages of 4096 bytes, each with a check.

    docs/reference/index-format.md describes the pages. A damaged page raises RuntimeError, an unreadable one OSError.
    """

    def posting_pages(
        self,
        keys: Hashes,
        band: int,
        positions: npt.NDArray[np.uint32] | None = None,
        left_out: Mask | None = None,
    ) -> PostingPages:
        """Sorts the keys of one band, with the position that each belongs to (default: its row), and packs them.

        Positions must ascend. Rows in `left_out` have no posting.
        """
        ...

    def postings(self, file: int, counts: Hashes, firsts: Hashes, most_kept: int = 0) -> Postings:
        """Opens the postings in a file, which start at its first page: band after band, with `counts` postings each.

        `firsts` are the first keys of all pages. The file is duplicated, so the caller may close it. If there are at
        most `most_kept` pages, those that lookups read stay in memory.
        """
        ...

    def record_pages(self, records: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Packs records of a fixed width, one per row."""
        ...

    def read_records(self, file: int, count: int, width: int, positions: Rows) -> npt.NDArray[np.uint8]:
        """Reads the records at these positions from a file that starts with the pages of `count` records."""
        ...


class Kernel(Signing, Grouping, Comparing, Vectors, Scoring, Records, Prints, Counting, Storing, Protocol):
    """All methods of a kernel.

    Code that needs only one group of methods should require only the protocol of that group.
    """

    @property
    def name(self) -> str: ...

    @property
    def threads(self) -> int: ...

    def on_one_thread(self) -> Kernel:
        """The same kernel with one thread, for a caller that calls it from several threads."""
        ...
