"""Checks the contract of kernels: their methods must give the same results as the definitions in plain Python.

The methods for records and frequent pairs are not checked here; some of them still use objects of the native module.
"""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np

from lookalike.engines.reference import definitions
from lookalike.engines.reference.losses import lost
from lookalike.engines.reference.repeated import repeated_runs
from lookalike.families.amplify import Banded
from lookalike.families.darts import sign_weighted
from lookalike.flow import Auto, Chars, Documents, Shingles, Shingling, Tokens, Words
from lookalike.flow.buckets import IN_BUCKET, Share
from lookalike.flow.shingles import KINDS
from lookalike.flow.sketches import EMPTY, FALLBACK, SHORT
from lookalike.joins.brute import all_pairs
from lookalike.joins.measures import similarity_measure
from lookalike.joins.vectors import definitions as vectors
from lookalike.kernel.protocol import Kernel
from lookalike.kernel.vectors import Table, padded
from lookalike.testing.comparing import same, same_array
from lookalike.testing.engines import corpus

SHINGLINGS: tuple[Shingling, ...] = (
    *(kind() for kind in KINDS.values() if kind is not Auto),
    Words(2), Chars(3), Chars(3, whitespace="keep"), Words(1, bag=True),
    Words(2, key=3), Chars(3, key=2**64 - 1),
)  # fmt: skip
"""Every kind of shingle with its defaults, and some kinds with other options."""
MEASURES = ("jaccard", "dice", "cosine", "containment")


def check_kernel(kernel: Kernel, *, seed: int = 0) -> None:
    """Compares the results of a kernel with the definitions, on small random input.

    Raises AssertionError at the first difference.
    """
    rng = random.Random(seed)
    for shingling in SHINGLINGS:
        _check_documents(kernel, Documents.from_texts(corpus(seed), start=3), shingling)
    lists: list[list[str]] = [["a", "b"], [], ["b", "a"], ["c", "c"]]
    _check_documents(kernel, Documents.from_texts(lists), Tokens(1))
    sets = definitions.as_shingles([sorted({rng.randrange(40) for _ in range(rng.randrange(12))}) for _ in range(60)])
    _check_signatures(kernel, sets, rng)
    _check_buckets(kernel, rng)
    _check_comparisons(kernel, sets, rng)
    _check_joins(kernel, sets)
    _check_vectors(kernel, np.random.default_rng(seed))


def _check_documents(kernel: Kernel, documents: Documents, shingling: Shingling) -> None:
    about = f"{kernel.name}, {shingling}"
    expected, got = definitions.shingle(documents, shingling), kernel.shingle(documents, shingling)
    same(f"{about}: shingle: start", expected.start, got.start)
    same_array(f"{about}: shingle: offsets", expected.offsets, got.offsets)
    same_array(f"{about}: shingle: values", expected.values, got.values)
    for run in (1, 4):
        chosen = [definitions.winnow(definitions.windows(text, shingling), run) for text in documents.to_pylist()]
        passages = kernel.winnow(documents, shingling, run)
        same_array(f"{about}: winnow: offsets", np.cumsum([0, *map(len, chosen)]), passages.offsets)
        values = np.array([value for one in chosen for value in one], np.uint64)
        same_array(f"{about}: winnow: values", values, passages.values)
    removed, kept = np.arange(len(documents)), np.arange(len(documents))[::-1].copy()
    texts = documents.to_pylist()
    identical, missing = kernel.losses(documents, shingling, removed, kept)
    same_array(
        f"{about}: losses: identical", np.array([a == b for a, b in zip(texts, texts[::-1], strict=True)]), identical
    )
    wanted = [lost(a, b, shingling) for a, b in zip(texts, texts[::-1], strict=True)]
    same_array(f"{about}: losses: lost", np.array(wanted, np.int64), missing)
    _check_windows(kernel, documents, shingling)
    banding = Banded(4, 2)
    for sketch in ("fast", "classic"):
        found = kernel.sketch(documents, shingling, sketch=sketch, hashes=8, seed=5, banding=banding)
        windows = [definitions.windows(text, shingling) for text in documents.to_pylist()]
        words = [definitions.hash_words(text, shingling) for text in texts]
        same_array(f"{about}: sketch: words", np.array(words, np.uint64).reshape(-1, 2), found.words)
        raw = [definitions.hash_raw(text) for text in texts]
        same_array(f"{about}: sketch: bytes", np.array(raw, np.uint64).reshape(-1, 2), found.bytes)
        flags = [EMPTY * (not one.values) | SHORT * one.short | FALLBACK * one.fallback for one in windows]
        same_array(f"{about}: sketch: flags", np.array(flags, np.uint8), found.flags)
        signatures = definitions.sign(expected, sketch=sketch, hashes=8, seed=5)
        keys = definitions.band_keys(signatures, banding.bands, banding.rows)
        same_array(f"{about}: sketch: keys", keys, found.keys)
        assert (found.windows >= expected.sizes).all(), f"{about}: sketch: fewer windows than elements"


def _check_windows(kernel: Kernel, documents: Documents, shingling: Shingling) -> None:
    about, texts = f"{kernel.name}, {shingling}", documents.to_pylist()
    windows = [definitions.windows(text, shingling) for text in texts]
    values = np.array(sorted({value for one in windows for value in one.values})[::2], np.uint64)
    sets = np.stack([np.arange(len(values)) % 2, np.ones(len(values))], axis=1).astype(np.uint8)
    counts, sizes, flags = kernel.members(documents, shingling, values, sets)
    places = {value: place for place, value in enumerate(values.tolist())}
    found = [[places[value] for value in one.values if value in places] for one in windows]
    wanted = [[sum(place % 2 for place in one), len(one)] for one in found]
    same_array(f"{about}: members", np.array(wanted, np.int64).reshape(-1, 2), counts)
    same_array(f"{about}: members: windows", np.array([len(one.values) for one in windows], np.int64), sizes)
    empty = np.array([not one.values for one in windows])
    same_array(f"{about}: members: empty", empty, (flags & EMPTY) != 0)
    runs = kernel.repeated_runs(documents, shingling, 2)
    listed = list(zip(*(column.tolist() for column in runs), strict=True))
    same(f"{about}: repeated_runs", repeated_runs(texts, shingling, 2), listed)


def _check_signatures(kernel: Kernel, sets: Shingles, rng: random.Random) -> None:
    for sketch in ("fast", "classic"):
        expected = definitions.sign(sets, sketch=sketch, hashes=12, seed=7)
        got = kernel.sign(sets, sketch=sketch, hashes=12, seed=7)
        same_array(f"{kernel.name}: sign, {sketch}", expected, got)
        same_array(f"{kernel.name}: band_keys", definitions.band_keys(expected, 4, 3), kernel.band_keys(got, 4, 3))
    weights = np.array([rng.choice([0.0, 0.5, 1.0, 30.0]) for _ in range(len(sets.values))])
    signed = kernel.sign_weighted(sets.offsets, sets.values, weights, hashes=16, seed=7)
    for row in range(len(sets)):
        here = slice(sets.offsets[row], sets.offsets[row + 1])
        one = dict(zip(sets.values[here].tolist(), weights[here].tolist(), strict=True))
        wanted = np.array(sign_weighted(one, hashes=16, seed=7), np.uint64)
        same_array(f"{kernel.name}: sign_weighted, set {row}", wanted, signed[row])


def _check_buckets(kernel: Kernel, rng: random.Random) -> None:
    about = kernel.name
    hashes = np.array([[rng.randrange(5), 1] for _ in range(40)], np.uint64)
    empty = [rng.random() < 0.2 for _ in range(40)]
    first = definitions.copies([(int(a), int(b)) for a, b in hashes], empty)
    same_array(f"{about}: copies", np.array(first, np.int64), kernel.copies(hashes, np.array(empty)))
    keys = np.array([[rng.randrange(150) for _ in range(3)] for _ in range(40)], np.uint64)
    expected = definitions.candidates(keys, [False] * 40)
    left, right = kernel.candidates(keys)
    same_array(f"{about}: candidates: left", expected.left, left)
    same_array(f"{about}: candidates: right", expected.right, right)
    kept = definitions.candidates(keys, empty)
    shares = np.isin(np.arange(40), np.concatenate([kept.left, kept.right]))
    same_array(f"{about}: bucketed", shares, (kernel.bucketed(keys, np.array(empty)) & IN_BUCKET) != 0)
    labels = np.array(definitions.connect(40, expected.to_set()), np.int64)
    same_array(f"{about}: connect", labels, kernel.connect(40, expected.left, expected.right))
    forest = kernel.forest(40)
    for band in range(3):
        forest.join_buckets(*kernel.buckets(np.ascontiguousarray(keys[:, band])))
    same_array(f"{about}: buckets and forest", labels, forest.find(np.arange(40, dtype=np.int64)))


def _check_comparisons(kernel: Kernel, sets: Shingles, rng: random.Random) -> None:
    about, members = kernel.name, [set(values.tolist()) for values in sets]
    keys = np.array([[rng.randrange(10) for _ in range(3)] for _ in members], np.uint64)
    candidates = definitions.candidates(keys, [not one for one in members])
    pairs = list(zip(candidates.left.tolist(), candidates.right.tolist(), strict=True))
    shared = np.array([len(members[i] & members[j]) for i, j in pairs], np.int64)
    same_array(f"{about}: intersections", shared, kernel.intersections(sets, candidates.left, candidates.right))
    for threshold in (Fraction(1, 5), Fraction(1, 2)):
        t = (threshold.numerator, threshold.denominator)
        true = [(i, j) for i, j in pairs if len(members[i] & members[j]) >= threshold * len(members[i] | members[j])]
        found = kernel.similar_pairs(keys, sets, *t)
        same(f"{about}: similar_pairs", true, list(zip(found.left.tolist(), found.right.tolist(), strict=True)))
        same(f"{about}: similar_pairs: candidates", len(pairs), found.candidates)
        parts = [kernel.similar_pairs(keys, sets, *t, share=Share(band, band + 1)) for band in range(3)]
        same(f"{about}: similar_pairs by shares", len(true), sum(len(part.left) for part in parts))
        labels = np.array(definitions.connect(len(members), true), np.int64)
        same_array(f"{about}: similar_components", labels, kernel.similar_components(keys, sets, *t).labels)


def _check_joins(kernel: Kernel, sets: Shingles) -> None:
    members = [set(values.tolist()) for values in sets]
    for name in MEASURES:
        expected = all_pairs(members, measure=similarity_measure(name, "0.4"))
        found = kernel.exact_pairs(sets, measure=name, numerator=2, denominator=5)
        got = list(zip(found.left.tolist(), found.right.tolist(), found.intersection.tolist(), strict=True))
        same(f"{kernel.name}: exact_pairs, {name}", expected, got)
    top = kernel.exact_top(sets, numerator=2, denominator=5, top=len(members))
    both = all_pairs(members, members, measure=similarity_measure("jaccard", "0.4"))
    every = {(i, j, shared) for i, j, shared in both if i != j}
    same(
        f"{kernel.name}: exact_top",
        every,
        {*zip(*(x.tolist() for x in (top.left, top.right, top.intersection)), strict=True)},
    )


def _check_vectors(kernel: Kernel, rng: np.random.Generator) -> None:
    about, values = kernel.name, padded(rng.standard_normal((30, 20)))
    planes = vectors.hyperplane_keys(values, 4, 5, 9)
    same_array(f"{about}: keys_of_vectors", planes, kernel.keys_of_vectors(values, bands=4, rows=5, seed=9))
    lines = vectors.line_keys(values, 4, 2, 9, 1.5)
    same_array(f"{about}: keys on lines", lines, kernel.keys_of_vectors(values, bands=4, rows=2, seed=9, width=1.5))
    bits = rng.integers(0, 2**64, (30, 2), np.uint64)
    same_array(
        f"{about}: keys_of_bits",
        vectors.bit_keys(bits, 128, 4, 5, 9),
        kernel.keys_of_bits(bits, 128, bands=4, rows=5, seed=9),
    )
    left, right = (side.astype(np.int64) for side in np.triu_indices(30, 1))
    x = values.astype(np.float64)
    products = kernel.measured("product", x, x, left, right)
    same_array(f"{about}: measured", vectors.eight_sums(x[left] * x[right]), products)
    ones = np.bitwise_count(bits[left] & bits[right]).sum(axis=1) if hasattr(np, "bitwise_count") else None
    if ones is not None:
        same_array(f"{about}: common_ones", ones.astype(np.int64), kernel.common_ones(bits, bits, left, right))
    near = kernel.pairs_of_vectors(Table(values), planes, "products", 4.0)
    share = (planes[:, left] == planes[:, right]).any(axis=0)
    wanted = [
        (i, j)
        for i, j, one, product in zip(left.tolist(), right.tolist(), share, products, strict=True)
        if one and product >= 4
    ]
    same(f"{about}: pairs_of_vectors", wanted, list(zip(near.left.tolist(), near.right.tolist(), strict=True)))
