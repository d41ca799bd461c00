"""The kernel signs sets and makes keys exactly as the definitions do."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.families.amplify import Banded
from lookalike.flow import Documents, Shingles, Shingling, Tokens
from lookalike.flow.sketches import EMPTY, FALLBACK, SHORT
from lookalike.kernel import Cpu
from tests.parity import strategies as our

sketches = st.sampled_from(["fast", "classic"])
hashes = st.one_of(st.integers(1, 20), st.sampled_from([64, 100, 128]))
seeds = st.integers(0, 2**64 - 1)


def table(sets: list[set[int]]) -> Shingles:
    return definitions.as_shingles([sorted(values) for values in sets])


@given(our.sets_of_elements, sketches, hashes, seeds, st.sampled_from([1, 2, 3]))
def test_sign(sets: list[set[int]], sketch: str, hashes: int, seed: int, threads: int) -> None:
    shingles = table(sets)
    found = Cpu(threads).sign(shingles, sketch=sketch, hashes=hashes, seed=seed)
    assert found.dtype == np.uint64
    np.testing.assert_array_equal(found, definitions.sign(shingles, sketch=sketch, hashes=hashes, seed=seed))


@pytest.mark.parametrize("sketch", ["fast", "classic"])
@pytest.mark.parametrize("size", [1, 2, 127, 128, 129, 1000, 5000])
def test_sign_sets_of_any_size(sketch: str, size: int) -> None:
    rng = random.Random(size)
    shingles = table([{rng.getrandbits(64) for _ in range(size)}])
    found = Cpu().sign(shingles, sketch=sketch, hashes=128, seed=7)
    np.testing.assert_array_equal(found, definitions.sign(shingles, sketch=sketch, hashes=128, seed=7))


@pytest.mark.parametrize("hashes", [1, 2, 3, 4095, 4096])
def test_sign_with_the_fewest_and_the_most_hashes(hashes: int) -> None:
    """A set of one element fills all slots at the limit of the format: round 8,191 still fits."""
    shingles = table([{1}, {2**64 - 1}])
    for sketch in ("fast", "classic"):
        found = Cpu().sign(shingles, sketch=sketch, hashes=hashes, seed=0)
        np.testing.assert_array_equal(found, definitions.sign(shingles, sketch=sketch, hashes=hashes, seed=0))


@given(our.sets_of_elements, st.integers(1, 6), st.integers(1, 6), st.integers(0, 3))
def test_band_keys(sets: list[set[int]], bands: int, rows: int, unused: int) -> None:
    signatures = definitions.sign(table(sets), sketch="fast", hashes=bands * rows + unused, seed=1)
    np.testing.assert_array_equal(
        Cpu().band_keys(signatures, bands, rows), definitions.band_keys(signatures, bands, rows)
    )


@given(
    st.lists(our.texts, max_size=6), our.shinglings, sketches, hashes, seeds, st.sampled_from([1, 2, 3]), st.booleans()
)
def test_sketch_is_shingle_sign_and_band_keys_in_one(
    texts: list[str], shingling: Shingling, sketch: str, hashes: int, seed: int, threads: int, as_lists: bool
) -> None:
    if as_lists:
        shingling = Tokens(2, bag=shingling.bag, bits=shingling.bits)
    documents = Documents.from_texts([list(text) for text in texts] if as_lists else texts)
    rows = min(3, hashes)
    banding = Banded(bands=hashes // rows, rows=rows)
    found = Cpu(threads).sketch(documents, shingling, sketch=sketch, hashes=hashes, seed=seed, banding=banding)
    windows = [definitions.windows(text, shingling) for text in documents.to_pylist()]
    for row, w in enumerate(windows):
        flags = EMPTY * (not w.values) | SHORT * w.short | FALLBACK * w.fallback
        assert found.flags[row] == flags
        assert tuple(found.words[row].tolist()) == definitions.hash_words(documents.to_pylist()[row], shingling)
        assert tuple(found.bytes[row].tolist()) == definitions.hash_raw(documents.to_pylist()[row])
    same = Cpu(threads).hash_texts(documents, shingling, raw=False)
    raw = Cpu(threads).hash_texts(documents, shingling, raw=True)
    for name in ("words", "bytes", "flags", "lengths", "sizes"):
        np.testing.assert_array_equal(getattr(same, name), getattr(found, name), name)
    np.testing.assert_array_equal(raw.words, found.bytes)
    np.testing.assert_array_equal(raw.flags, found.flags & EMPTY)
    assert not same.keys.any() and same.keys.shape == raw.keys.shape == (len(documents), 1)
    signatures = definitions.sign(definitions.shingle(documents, shingling), sketch=sketch, hashes=hashes, seed=seed)
    keys = definitions.band_keys(signatures, banding.bands, banding.rows)
    signed = [row for row, w in enumerate(windows) if w.values]
    np.testing.assert_array_equal(found.keys[signed], keys[signed])
