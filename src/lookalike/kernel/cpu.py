"""The CPU kernel: calls the native module, with threads on one machine.

`protocol.py` documents the methods. The functions at the end convert their arguments to those of the native module:
contiguous arrays, Arrow buffers and shingling rules. Arguments are not copied, and the GIL is released during the work.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow import Auto, Documents, Shingles, Shingling, Stopwords, Tokens
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.flow.baskets import Lines, Lists
from lookalike.flow.buckets import ALL, Share
from lookalike.flow.preference import Preference
from lookalike.flow.sketches import Sketches
from lookalike.kernel import _native
from lookalike.kernel.cpu_bits import CpuBits
from lookalike.kernel.cpu_prints import CpuPrints
from lookalike.kernel.cpu_scores import CpuScoring
from lookalike.kernel.cpu_stored import CpuStoring
from lookalike.kernel.protocol import NO_LIMIT, Bands
from lookalike.kernel.pruning import Census, Groups
from lookalike.kernel.records import Neighbours, TokenRows, Weights
from lookalike.kernel.values import Components, ExactPairs, Runs, SimilarPairs, Survivors
from lookalike.kernel.vectors import (
    KINDS,
    TERMS,
    Bits,
    Floats,
    IsNear,
    Keys,
    Kind,
    Matrix,
    Near,
    Nearest,
    Table,
    Term,
    Values,
)  # fmt: skip

Scalar = TypeVar("Scalar", bound=np.generic)


@dataclass(frozen=True)
class Cpu(CpuBits, CpuPrints, CpuScoring, CpuStoring):
    """Runs the native module with `threads` threads. `dispatch.py` chooses among its implementations."""

    threads: int = 1
    name = "cpu"

    def on_one_thread(self) -> Cpu:
        return self if self.threads == 1 else Cpu(1)

    # Documents → sets, signatures, keys

    def shingle(self, documents: Documents, shingling: Shingling) -> Shingles:
        offsets, values = _native.shingle(*columns_of(documents, shingling), rules_of(shingling), self.threads)
        return Shingles(offsets, values, documents.start)

    def shingle_part(self, documents: Documents, shingling: Shingling, part: int, parts: int) -> Shingles:
        columns, rules = columns_of(documents, shingling), rules_of(shingling)
        return Shingles(*_native.shingle_part(*columns, rules, part, parts, self.threads), documents.start)

    def winnow(self, documents: Documents, shingling: Shingling, run: int) -> Shingles:
        found = _native.winnow(*columns_of(documents, shingling), rules_of(shingling), run, self.threads)
        return Shingles(*found, documents.start)

    def repeated_runs(self, documents: Documents, shingling: Shingling, least: int) -> Runs:
        columns, rules = columns_of(documents, shingling), rules_of(shingling)
        return Runs(*_native.repeated_runs(*columns, rules, least, self.threads))

    def members(
        self, documents: Documents, shingling: Shingling, values: Hashes, sets: npt.NDArray[np.uint8]
    ) -> tuple[Rows, Rows, npt.NDArray[np.uint8]]:
        columns, rules = columns_of(documents, shingling), rules_of(shingling)
        return _native.members(*columns, rules, plain(values), plain(sets), self.threads)

    def sketch(
        self, documents: Documents, shingling: Shingling, *, sketch: str, hashes: int, seed: int, banding: Bands
    ) -> Sketches:
        columns, rules = columns_of(documents, shingling), rules_of(shingling)
        return Sketches(
            *_native.sketch(*columns, rules, sketch, hashes, seed, banding.bands, banding.rows, self.threads)
        )

    def hash_texts(self, documents: Documents, shingling: Shingling, *, raw: bool) -> Sketches:
        return Sketches(*_native.hash_texts(*columns_of(documents, shingling), rules_of(shingling), raw, self.threads))

    def losses(self, documents: Documents, shingling: Shingling, removed: Rows, kept: Rows) -> tuple[Mask, Rows]:
        columns, rules = columns_of(documents, shingling), rules_of(shingling)
        return _native.losses(*columns, rules, plain(removed), plain(kept), self.threads)

    def census(self, share: float) -> Census:
        from lookalike.kernel.cpu_pruning import CpuCensus  # few runs need it

        return CpuCensus(_native.Census(share), self.threads)

    def groups(self, rows: int, elements: int, numerator: int, denominator: int, most: int) -> Groups:
        from lookalike.kernel.cpu_pruning import CpuGroups

        return CpuGroups(_native.Groups(rows, elements, numerator, denominator, most), self.threads)

    def prune_sets(self, sets: Shingles, numerator: int, denominator: int) -> tuple[Mask, Shingles]:
        kept, offsets, values = _native.prune_sets(*sets_of(sets), numerator, denominator, self.threads)
        return kept, Shingles(offsets, values)

    def sign(self, shingles: Shingles, *, sketch: str, hashes: int, seed: int) -> Hashes:
        return _native.sign(*sets_of(shingles), sketch, hashes, seed, self.threads)

    def sign_weighted(
        self, offsets: Rows, values: Hashes, weights: npt.NDArray[np.float64], *, hashes: int, seed: int
    ) -> Hashes:
        arrays = (np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(values, np.uint64))
        return _native.sign_weighted(*arrays, np.ascontiguousarray(weights, np.float64), hashes, seed, self.threads)

    def band_keys(self, signatures: Hashes, bands: int, rows: int) -> Hashes:
        return _native.band_keys(plain(signatures), bands, rows, self.threads)

    # Keys → buckets, candidates

    def copies(self, hashes: Hashes, empty: Mask) -> Rows:
        return _native.copies(plain(hashes), plain(empty), self.threads)

    def bucketed(self, keys: Hashes, left_out: Mask) -> npt.NDArray[np.uint8]:
        return _native.bucketed(plain(keys), plain(left_out), self.threads)

    def candidates(self, keys: Hashes, share: Share = ALL, most: int = NO_LIMIT) -> tuple[Rows, Rows]:
        return _native.candidates(plain(keys), self.threads, most, share.first, share.last, share.split)

    def buckets(
        self, keys: Hashes, rows: npt.NDArray[np.uint32] | None = None, left_out: Mask | None = None
    ) -> tuple[npt.NDArray[np.uint32], Rows]:
        return _native.buckets(plain(keys), rows, left_out)

    def forest(self, rows: int) -> _native.Forest:
        return _native.Forest(rows)

    def connect(self, n: int, left: Rows, right: Rows) -> Rows:
        return _native.connect(n, plain(left), plain(right))

    # Candidates and sets → pairs, components

    def intersections(self, shingles: Shingles, left: Rows, right: Rows) -> Rows:
        return _native.intersections(*sets_of(shingles), plain(left), plain(right), self.threads)

    def similar_pairs(
        self,
        keys: Hashes,
        shingles: Shingles,
        numerator: int,
        denominator: int,
        share: Share = ALL,
        most: int = NO_LIMIT,
    ) -> SimilarPairs:
        threshold, part = (numerator, denominator), (share.first, share.last, share.split)
        return SimilarPairs(
            *_native.similar_pairs(plain(keys), *sets_of(shingles), *threshold, self.threads, most, *part)
        )

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
        how = (numerator, denominator, self.threads, share.first, share.last, share.split)
        before = None if known is None else plain(known)
        return Components(*_native.similar_components(plain(keys), *sets_of(shingles), *how, before, stars_only))

    def choose_survivors(
        self,
        keys: Hashes,
        shingles: Shingles,
        numerator: int,
        denominator: int,
        preference: Preference,
        contained: tuple[int, int] | None = None,
    ) -> Survivors:
        different = preference.different or (np.zeros(0, np.int64), np.zeros(0, np.int64))
        offsets, values = sets_of(shingles)
        share, order, (left, right) = contained or (0, 1), plain(preference.order), map(plain, different)
        found = _native.choose_survivors(
            plain(keys), offsets, values, numerator, denominator, *share, order, preference.always_kept, left, right,
            self.threads,
        )  # fmt: skip
        return Survivors(*found)

    def removing_pairs(self, preference: Preference, left: Rows, right: Rows) -> Rows:
        return _native.removing_pairs(plain(preference.order), preference.always_kept, plain(left), plain(right))

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
        one = sets_of(sets)
        other: tuple[Rows | None, Hashes | None] = (None, None) if right is None else sets_of(right)
        return ExactPairs(*_native.exact_pairs(*one, *other, measure, numerator, denominator, self.threads, most))

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
        top = min(top, 2**32)  # no collection has more rows than this
        one = sets_of(sets)
        other: tuple[Rows | None, Hashes | None] = (None, None) if right is None else sets_of(right)
        return ExactPairs(*_native.exact_top(*one, *other, measure, numerator, denominator, top, self.threads, most))

    # Vectors

    def keys_of_vectors(self, values: Floats, *, bands: int, rows: int, seed: int, width: float = 0.0) -> Keys:
        return _native.vector_keys(values, bands, rows, seed, width, self.threads)

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
        number = KINDS.index(kind)
        return Near(
            *_native.near_vectors(*table, keys, sketches, differing, number, bound, self.threads, most, is_near)
        )

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
        (one, two), (a, b), (x, y) = tables, keys, exact
        found = _native.nearest_vectors(*one, a, *two, b, x, y, *squares, 0, 1.0, margin, top, self.threads)
        return Nearest(*found)

    def nearest_by_distance(
        self,
        tables: tuple[Table, Table],
        keys: tuple[Keys, Keys],
        exact: tuple[Matrix, Matrix],
        *,
        scale: float,
        top: int,
    ) -> Nearest:
        (one, two), (a, b), (x, y) = tables, keys, exact
        found = _native.nearest_vectors(*one, a, *two, b, x, y, None, None, 1, scale, 0.0, top, self.threads)
        return Nearest(*found)

    def measured(self, term: Term, one: Matrix, two: Matrix, left: Rows, right: Rows) -> Values:
        return _native.measure_vectors(one, two, left, right, TERMS.index(term), self.threads)

    # Records

    def nearest_records(
        self, queries: TokenRows, index: TokenRows | None, weights: Weights, *, top: int, budget: int
    ) -> Neighbours:
        of, how = queries if index is None else index, (top, budget, index is None, self.threads)
        tokens = (queries.offsets, queries.tokens, of.offsets, of.tokens)
        return Neighbours(*_native.nearest_records(*tokens, weights, *how))

    def shared_weights(self, one: TokenRows, two: TokenRows, weights: Weights, left: Rows, right: Rows) -> Weights:
        tokens = (one.offsets, one.tokens, two.offsets, two.tokens)
        return _native.shared_weights(*tokens, weights, left, right, self.threads)

    # Frequent pairs

    def first_pass(self, limit: int, waiting: int, tables: int, bits: int, width: int) -> _native.FirstPass:
        return _native.FirstPass(limit, waiting, tables, bits, width)

    def pair_pass(
        self,
        data: npt.NDArray[np.uint8],
        strings: Rows,
        bitmaps: list[npt.NDArray[np.uint8]],
        limit: int,
        waiting: int,
    ) -> _native.PairPass:
        return _native.PairPass(data, strings, bitmaps, limit, waiting)

    def count(self, counting: _native.FirstPass | _native.PairPass, block: Lines | Lists) -> None:
        if isinstance(block, Lines):
            counting.take_text(block.data, ord(block.separator or "\0"), self.threads)
            return
        lists = block.lists
        strings = lists.values
        _, offsets, data = strings.buffers()
        ends = np.zeros(1, np.int64)
        if len(lists):
            ends = np.frombuffer(lists.buffers()[1], np.int64, len(lists) + 1, 8 * lists.offset)
        text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
        places = np.zeros(1, np.int64)
        if len(strings):
            places = np.frombuffer(offsets, np.int64, len(strings) + 1, 8 * strings.offset)
        counting.take_lists(text, places, ends, self.threads)

    def rank_pairs(self, pairs: Hashes, counts: npt.NDArray[np.uint32]) -> tuple[Rows, Rows, Rows]:
        return _native.rank_pairs(pairs, counts)


@lru_cache(maxsize=64)
def rules_of(shingling: Shingling) -> _native.Rules:
    if isinstance(shingling, Auto):
        raise InvalidOption("shingles-not-resolved")
    options = (shingling.normalize, shingling.case, getattr(shingling, "whitespace", "fold"), shingling.bag)
    words = np.empty(0, np.uint64)
    if isinstance(shingling, Stopwords):
        plain = _native.Rules("words", 1, *options, 64, words)
        hashes = {_native.hash_bytes(_native.normalize(utf8(word), plain), shingling.key) for word in shingling.words}
        words = np.array(sorted(hashes), np.uint64)
    length = getattr(shingling, "k", 3)
    return _native.Rules(
        shingling.kind,
        length,
        *options,
        shingling.bits,
        words,
        np.frombuffer(shingling.ignored, "<u8").astype(np.uint64),
        shingling.key,
    )


def columns_of(documents: Documents, shingling: Shingling) -> tuple[Any, Any, Any, Any, int]:
    """Returns the Arrow buffers of the documents as arrays, for the native module.

    The items are the bytes of the texts or tokens, the offsets of these strings, the offsets of the lists, the validity
    bits of the tokens, and the position of the first validity bit. For texts, the last three are None, None and 0.
    """
    texts = documents.texts
    if not documents.has_tokens:
        _, offsets, data = texts.buffers()
        return np.frombuffer(data or b"", np.uint8), _offsets(offsets, texts), None, None, 0
    if not isinstance(shingling, Tokens | Auto):
        raise InvalidOption("tokens-not-cut", shingles=str(shingling))
    tokens = texts.values
    validity, offsets, data = tokens.buffers()
    valid = None if validity is None or not tokens.null_count else np.frombuffer(validity, np.uint8)
    return (
        np.frombuffer(data or b"", np.uint8),
        _offsets(offsets, tokens),
        _offsets(texts.buffers()[1], texts),
        valid,
        tokens.offset,
    )


def plain(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """Returns the array itself, or a copy if it is not contiguous and aligned."""
    return np.require(array, requirements=("C", "A"))


def sets_of(shingles: Shingles) -> tuple[Rows, Hashes]:
    return plain(shingles.offsets), plain(shingles.values)


def utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise MalformedInput("lone-surrogate", reason=str(error)) from None


def _offsets(buffer: Any, array: Any) -> Rows:
    if len(array) == 0:  # the buffer of an empty Arrow array may be missing
        return np.zeros(1, np.int64)
    return plain(np.frombuffer(buffer, np.int64, count=len(array) + 1, offset=8 * array.offset))
