"""The native edge: arrays in, arrays out. Each function is a rule of docs/reference/format.md, or a join over results.

Nothing is copied on the way in, the GIL is released for the work, and the answer is the same for any `threads`.
Arguments that cannot be (offsets that fall, rows that do not exist, arrays of another type) raise ValueError.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow import Auto, Documents, Shingles, Shingling, Stopwords, Tokens
from lookalike.flow.arrays import Hashes, Rows
from lookalike.kernel import _native
from lookalike.kernel.dispatch import force as force
from lookalike.kernel.dispatch import path as path
from lookalike.kernel.dispatch import paths as paths

Scalar = TypeVar("Scalar", bound=np.generic)

EMPTY, SHORT, FALLBACK = 1, 2, 4
"""Bits of `Sketches.flags`: no shingle; fewer than k tokens; no stop-word window, so cut as `words:3`."""


SMALL_BUCKET, GIANT_BUCKET, LARGEST_COUNTED, MOST_COUNTED = 64, 4096, 1 << 14, 1 << 26
"""Larger buckets are joined by an index, and one by one; beyond such a bucket, or so many pairs, nobody counts."""


@dataclass(frozen=True)
class Share:
    """Which candidate pairs a call deals with: those that first meet in one of the bands `first` … `last`.

    With a `split`, only those of a row before it and one from it on. Shares that make up the whole deal with every pair
    once.
    """

    first: int = 0
    last: int = -1
    split: int = 0


ALL = Share()


IN_BUCKET, IN_LARGE = 1, 2
"""Bits of `bucketed`: shares a bucket with another row; shares one of more than SMALL_BUCKET members."""


class Bands(Protocol):
    """What `sketch` needs to know of a banding."""

    @property
    def bands(self) -> int: ...

    @property
    def rows(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Sketches:
    """What later stages need of each document, one row each."""

    fingerprints: Hashes
    """Two numbers; documents of equal fingerprint are exact copies."""
    flags: npt.NDArray[np.uint8]
    keys: Hashes
    """One key a band."""
    lengths: Rows
    """Characters of a text, tokens of a list."""
    sizes: Rows
    """The same in bytes."""
    windows: npt.NDArray[np.uint32]
    """At most so many elements the set has: windows of the text, of which some may be equal."""


@dataclass(frozen=True, eq=False)
class SimilarPairs:
    """Pairs `left[i] < right[i]`, ordered, with `intersection[i]` common elements."""

    left: Rows
    right: Rows
    intersection: Rows
    candidates: int
    """Distinct candidate pairs; -1 where buckets are so large that counting their pairs would cost too much."""
    checked: int
    """Pairs of sets that were walked along."""
    in_large: int = 0
    """Pairs of buckets of more than SMALL_BUCKET members: over MOST_COUNTED of them `candidates` are not counted."""


@dataclass(frozen=True, eq=False)
class ExactPairs:
    """Pairs of rows, ordered, with `intersection[i]` common elements; and what it took to find them."""

    left: Rows
    right: Rows
    intersection: Rows
    records: int
    """Distinct sets: equal ones are joined once."""
    met: int
    """How often a set met another one in a list of the index."""
    candidates: int
    """Distinct pairs of sets that passed the filters of length, prefix, position and bits."""
    compared: int
    """Pairs of sets that were walked along."""


@dataclass(frozen=True, eq=False)
class Components:
    """`labels[row]` is the smallest row of row's component."""

    labels: Rows
    checked: int


class Spans(NamedTuple):
    """Tokens of a text: where they start and end (code points of the text as given), and their hashes."""

    starts: Rows
    ends: Rows
    hashes: Hashes


# Documents → shingles, signatures


def shingle(documents: Documents, shingling: Shingling, threads: int = 1) -> Shingles:
    """Documents → their sets of shingles, ascending and distinct (a bag's repetitions are elements of their own)."""
    offsets, values = _native.shingle(*_columns(documents, shingling), _rules(shingling), threads)
    return Shingles(offsets, values, documents.start)


def sketch(
    documents: Documents,
    shingling: Shingling,
    *,
    sketch: str,
    hashes: int,
    seed: int,
    banding: Bands,
    threads: int = 1,
) -> Sketches:
    """Documents → fingerprints, flags and band keys, without a table of sets or signatures in between."""
    columns = _columns(documents, shingling)
    return Sketches(
        *_native.sketch(*columns, _rules(shingling), sketch, hashes, seed, banding.bands, banding.rows, threads)
    )


def sign(shingles: Shingles, *, sketch: str, hashes: int, seed: int, threads: int = 1) -> Hashes:
    """Sets → signatures: one row of `hashes` slots each."""
    return _native.sign(*_sets(shingles), sketch, hashes, seed, threads)


def band_keys(signatures: Hashes, bands: int, rows: int, threads: int = 1) -> Hashes:
    """Signatures → one key a band."""
    return _native.band_keys(_plain(signatures), bands, rows, threads)


# Keys → buckets, candidates


def copies(fingerprints: Hashes, empty: npt.NDArray[np.bool_]) -> Rows:
    """For each row the first row with its fingerprint; a row that is first, or empty, is its own."""
    return _native.copies(_plain(fingerprints), _plain(empty))


def bucketed(keys: Hashes, left_out: npt.NDArray[np.bool_], threads: int = 1) -> npt.NDArray[np.uint8]:
    """Which rows share a key with another row in some band, among those not left out: the bits IN_BUCKET and IN_LARGE.

    Leave empty texts out: they all have the same keys.
    """
    return _native.bucketed(_plain(keys), _plain(left_out), threads)


def candidates(keys: Hashes, threads: int = 1, share: Share = ALL, most: int = 2**63) -> tuple[Rows, Rows]:
    """Every pair of rows with an equal key in some band, once, ordered. Empty texts must not be among them.

    More than `most` pairs (counted in steps of a thousand) are an OverflowError as soon as they are known to be there.
    """
    return _native.candidates(_plain(keys), threads, most, share.first, share.last, share.split)


def buckets(
    keys: Hashes,
    rows: npt.NDArray[np.uint32] | None = None,
    left_out: npt.NDArray[np.bool_] | None = None,
) -> tuple[npt.NDArray[np.uint32], Rows]:
    """Keys of one band → members of buckets of two and more, and where each bucket starts.

    Key i is of row i or, where `rows` are given, of rows[i]. Members of a bucket are in the order in which they came.
    """
    return _native.buckets(_plain(keys), rows, left_out)


# Sets → pairs, components


def intersections(shingles: Shingles, left: Rows, right: Rows, threads: int = 1) -> Rows:
    """How many elements the sets of each pair of rows share."""
    return _native.intersections(*_sets(shingles), _plain(left), _plain(right), threads)


def similar_pairs(
    keys: Hashes,
    shingles: Shingles,
    numerator: int,
    denominator: int,
    threads: int = 1,
    most: int = 2**63,
    share: Share = ALL,
) -> SimilarPairs:
    """All candidate pairs whose Jaccard similarity is at least numerator/denominator. Empty sets are in no pair.

    More than `most` pairs (counted in steps of a thousand) are an OverflowError as soon as they are known to be there.
    """
    keys = _plain(keys)
    part = (share.first, share.last, share.split)
    return SimilarPairs(*_native.similar_pairs(keys, *_sets(shingles), numerator, denominator, threads, most, *part))


def similar_components(
    keys: Hashes,
    shingles: Shingles,
    numerator: int,
    denominator: int,
    threads: int = 1,
    share: Share = ALL,
    known: Rows | None = None,
    *,
    stars_only: bool = False,
) -> Components:
    """The connected components of the graph of `similar_pairs`, without its pairs.

    Rows that hang together already are not compared again, and buckets of thousands are not compared pair by pair,
    so that neither many near-copies nor shared boilerplate make it quadratic. `known[row]` is a row that row is known
    to hang together with, or itself. With `stars_only` members of a bucket are compared with its first ones alone: that
    needs no memory besides, and mostly joins what belongs together, but promises nothing.
    """
    keys = _plain(keys)
    offsets, values = _sets(shingles)
    how = (numerator, denominator, threads, share.first, share.last, share.split)
    before = None if known is None else _plain(known)
    found = _native.similar_components(keys, offsets, values, *how, before, stars_only)
    return Components(*found)


def connect(n: int, left: Rows, right: Rows) -> Rows:
    """Edges → for each of n rows the smallest row it hangs together with."""
    return _native.connect(n, _plain(left), _plain(right))


Forest = _native.Forest
"""Rows that hang together, joined edge by edge or bucket by bucket; `find` gives the smallest row of each tree."""


# Exact joins


def exact_pairs(
    sets: Shingles,
    right: Shingles | None = None,
    *,
    measure: str = "jaccard",
    numerator: int,
    denominator: int = 1,
    threads: int = 1,
    most: int = 2**63,
) -> ExactPairs:
    """All pairs of a set and one of `right` (without it: of two of `sets`, left < right) that reach the threshold.

    With sizes a and b and o common elements, a pair reaches n/d if, in integers: jaccard o·d ≥ n·(a + b − o),
    dice 2·o·d ≥ n·(a + b), cosine o²·d² ≥ n²·a·b, containment (of left in right) o·d ≥ n·a, overlap o ≥ n,
    hamming a + b − 2·o ≤ n. An empty set is similar to nothing, but hamming goes by the formula. Containment within one
    collection gives every ordered pair of two rows. More than `most` pairs are an OverflowError, early if there are
    thousands more.
    """
    arguments = (*_sets(sets), *_optional_sets(right), measure, numerator, denominator, threads, most)
    return ExactPairs(*_native.exact_pairs(*arguments))


def exact_top(
    sets: Shingles,
    right: Shingles | None = None,
    *,
    measure: str = "jaccard",
    numerator: int,
    denominator: int = 1,
    top: int,
    threads: int = 1,
    most: int = 2**63,
) -> ExactPairs:
    """For each set the `top` most similar of `right` (without it: of the others).

    Only sets that reach the threshold and share an element count, under hamming too. Ordered by left row, then by
    similarity, the greatest first, then by right row; among equals the lower rows are kept. More than `most` pairs are
    an OverflowError.
    """
    top = min(top, 2**32)  # there are no more rows
    arguments = (*_sets(sets), *_optional_sets(right), measure, numerator, denominator, top, threads, most)
    return ExactPairs(*_native.exact_top(*arguments))


# Memory


def trim() -> None:
    """Return freed memory to the system. The allocator's settings stay as they are."""
    _native.trim()


# One text, one hash


def normalize(text: str, shingling: Shingling) -> str:
    """A text → its normalised form under the shingling's `normalize` and `case`."""
    return _native.normalize(_utf8(text), _rules(shingling)).decode()


def token_spans(text: str, shingling: Shingling) -> Spans:
    """A text → its tokens, each with its place in the text as given (in code points)."""
    return Spans(*_native.token_spans(_utf8(text), _rules(shingling)))


def hash_bytes(data: bytes) -> int:
    """Bytes → 64 bits."""
    return _native.hash_bytes(data)


def mix(x: int) -> int:
    """64 bits → 64 bits, one to one."""
    return _native.mix(x)


# Python values → native arguments


@lru_cache(maxsize=64)
def _rules(shingling: Shingling) -> _native.Rules:
    if isinstance(shingling, Auto):
        raise InvalidOption("shingles 'auto' must be resolved before texts are cut; resolve the plan first")
    options = (shingling.normalize, shingling.case, getattr(shingling, "whitespace", "fold"), shingling.bag)
    words = np.empty(0, np.uint64)
    if isinstance(shingling, Stopwords):
        plain = _native.Rules("words", 1, *options, 64, words)
        hashes = {_native.hash_bytes(_native.normalize(_utf8(word), plain)) for word in shingling.words}
        words = np.array(sorted(hashes), np.uint64)
    length = getattr(shingling, "k", 3)
    return _native.Rules(shingling.kind, length, *options, shingling.bits, words, shingling.ignores.astype(np.uint64))


def _columns(documents: Documents, shingling: Shingling) -> tuple[Any, Any, Any, Any, int]:
    """Arrow's buffers as arrays: data, string offsets, list offsets, validity of tokens and its first bit."""
    texts = documents.texts
    if not documents.has_tokens:
        _, offsets, data = texts.buffers()
        return _bytes(data), _offsets(offsets, texts), None, None, 0
    if not isinstance(shingling, Tokens | Auto):
        raise InvalidOption(f"lists of tokens are cut by shingles 'tokens' or 'tokens:k', got '{shingling}'")
    tokens = texts.values
    validity, offsets, data = tokens.buffers()
    valid = None if validity is None or not tokens.null_count else _bytes(validity)
    return _bytes(data), _offsets(offsets, tokens), _offsets(texts.buffers()[1], texts), valid, tokens.offset


def _bytes(buffer: Any) -> npt.NDArray[np.uint8]:
    return np.empty(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)


def _offsets(buffer: Any, array: Any) -> Rows:
    if len(array) == 0:  # Arrow need not keep an offset for nothing
        return np.zeros(1, np.int64)
    return _plain(np.frombuffer(buffer, np.int64, count=len(array) + 1, offset=8 * array.offset))


def _plain(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """The array itself, or a copy where its elements have gaps between them or are not aligned."""
    return np.require(array, requirements=("C", "A"))


def _sets(shingles: Shingles) -> tuple[Rows, Hashes]:
    return _plain(shingles.offsets), _plain(shingles.values)


def _optional_sets(shingles: Shingles | None) -> tuple[Rows, Hashes] | tuple[None, None]:
    return (None, None) if shingles is None else _sets(shingles)


def _utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise MalformedInput(f"a text holds a lone surrogate, which is not Unicode text: {error}") from None
