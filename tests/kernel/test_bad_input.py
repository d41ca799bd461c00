"""The kernel raises ValueError for any invalid input: no crash, and no wrong result."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.flow import Shingles
from lookalike.kernel import Cpu, _native

RULES = _native.Rules("words", 2, "nfkc", "fold", "fold", False, 64, np.empty(0, np.uint64))
TEXT = np.frombuffer(b"one two three four", np.uint8)


def offsets(*values: int) -> Any:
    return np.array(values, np.int64)


def hashes(*shape: int) -> Any:
    return np.zeros(shape, np.uint64)


BAD_OFFSETS = [offsets(0, 30), offsets(-1, 5), offsets(5, 3), offsets(0, 7, 4), offsets(), offsets(2**62, 2**62 + 1)]


@pytest.mark.parametrize("bad", BAD_OFFSETS, ids=str)
def test_bad_offsets_are_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="offsets"):
        _native.shingle(TEXT, bad, None, None, 0, RULES, 1)
    with pytest.raises(ValueError, match="offsets"):
        _native.sketch(TEXT, bad, None, None, 0, RULES, "fast", 8, 0, 2, 4, 1)
    with pytest.raises(ValueError, match="offsets"):
        _native.shingle(TEXT, offsets(0, 3, 7), bad, None, 0, RULES, 1)
    sets = Shingles(bad, hashes(5))
    rows = offsets(0)
    calls: list[Callable[[], Any]] = [
        lambda: Cpu().sign(sets, sketch="fast", hashes=8, seed=0),
        lambda: Cpu().intersections(sets, rows, rows),
        lambda: Cpu().similar_pairs(hashes(max(len(bad) - 1, 0), 1), sets, 1, 2),
        lambda: Cpu().similar_components(hashes(max(len(bad) - 1, 0), 1), sets, 1, 2),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="offsets"):
            call()


@given(st.lists(st.integers(-5, 25), max_size=6), st.lists(st.integers(-3, 8), max_size=6), st.integers(-2, 70))
@settings(max_examples=200)
def test_random_offsets_are_accepted_if_valid_and_otherwise_refused(
    strings: list[int], lists: list[int], start: int
) -> None:
    validity = np.array([0b10101010], np.uint8)
    try:
        ends, values = _native.shingle(TEXT, offsets(*strings), offsets(*lists), validity, start, RULES, 2)
    except ValueError:
        return
    assert len(ends) == len(lists) and ends[-1] == len(values)


@pytest.mark.parametrize("row", [-1, 2, 2**62, -(2**63)])
def test_rows_that_do_not_exist_are_refused(row: int) -> None:
    sets = Shingles(offsets(0, 1, 2), hashes(2))
    for left, right in ((offsets(row), offsets(0)), (offsets(0), offsets(row))):
        with pytest.raises(ValueError, match="rows 0 … 1"):
            Cpu().intersections(sets, left, right)
        with pytest.raises(ValueError, match="rows 0 … 1"):
            Cpu().connect(2, left, right)


def test_different_lengths_are_refused() -> None:
    sets = Shingles(offsets(0, 1, 2), hashes(2))
    with pytest.raises(ValueError, match="same length"):
        Cpu().intersections(sets, offsets(0), offsets())
    with pytest.raises(ValueError, match="same length"):
        Cpu().connect(2, offsets(0), offsets(0, 1))
    with pytest.raises(ValueError, match="same rows"):
        Cpu().similar_pairs(hashes(3, 1), sets, 1, 2)
    with pytest.raises(ValueError, match="same rows"):
        Cpu().similar_components(hashes(1, 1), sets, 1, 2)
    with pytest.raises(ValueError, match="same rows"):
        Cpu().copies(hashes(3, 2), np.zeros(2, bool))
    with pytest.raises(ValueError, match="two columns"):
        Cpu().copies(hashes(3, 3), np.zeros(3, bool))


@pytest.mark.parametrize(
    "keys", [np.zeros((2, 2)), np.zeros((2, 2), np.int64), np.zeros((2, 2), np.uint32), hashes(4), hashes(2, 2, 2)]
)
def test_arrays_of_another_type_or_shape_are_refused(keys: Any) -> None:
    with pytest.raises(ValueError, match="keys must be a contiguous array"):
        Cpu().candidates(keys)
    with pytest.raises(ValueError, match="keys must be a contiguous array"):
        Cpu().bucketed(keys, np.zeros(len(keys), dtype=bool))
    with pytest.raises(ValueError, match="must have the same rows, got 3 and 2"):
        Cpu().bucketed(hashes(3, 2), np.zeros(2, dtype=bool))
    with pytest.raises(ValueError, match="signatures must be a contiguous array"):
        Cpu().band_keys(keys, 1, 1)


def test_gaps_are_removed_by_the_wrapper_and_refused_by_the_native_module() -> None:
    keys = np.arange(12, dtype=np.uint64).reshape(3, 4)[:, ::2]
    assert Cpu().candidates(keys)[0].tolist() == []
    with pytest.raises(ValueError, match="gaps"):
        _native.candidates(keys, 1, 2**62, 0, -1, 0)
    assert Cpu().candidates(hashes(0, 3))[0].tolist() == []


def test_unaligned_arrays_are_copied_by_the_wrapper_and_refused_by_the_native_module() -> None:
    memory = np.zeros(8 * 6 + 1, np.uint8)
    keys = memory[1:].view(np.uint64).reshape(3, 2)
    assert Cpu().candidates(keys)[0].tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="aligned"):
        _native.candidates(keys, 1, 2**62, 0, -1, 0)


@pytest.mark.parametrize("threads", [0, -1, 100_000])
def test_invalid_thread_counts_are_refused(threads: int) -> None:
    with pytest.raises(ValueError, match="threads"):
        Cpu(threads).candidates(hashes(2, 2))


@pytest.mark.parametrize(("numerator", "denominator"), [(0, 1), (-1, 2), (3, 2), (1, 0), (1, 10**9 + 1)])
def test_invalid_thresholds_are_refused(numerator: int, denominator: int) -> None:
    sets = Shingles(offsets(0, 1), hashes(1))
    for call in (Cpu().similar_pairs, Cpu().similar_components):
        with pytest.raises(ValueError, match="threshold"):
            call(hashes(1, 1), sets, numerator, denominator)


@pytest.mark.parametrize(("bands", "rows"), [(0, 1), (1, 0), (3, 3), (-1, -1), (2**40, 2**40)])
def test_bandings_that_do_not_fit_are_refused(bands: int, rows: int) -> None:
    with pytest.raises(ValueError, match="bands · rows"):
        Cpu().band_keys(hashes(2, 8), bands, rows)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "lines"}, "kind"),
        ({"k": 0}, "k must"),
        ({"k": 10_001}, "k must"),
        ({"normalize": "nfd"}, "normalize"),
        ({"case": "upper"}, "case"),
        ({"whitespace": "trim"}, "whitespace"),
        ({"bits": 16}, "bits"),
        ({"stopwords": np.zeros(2)}, "stopwords"),
    ],
)
def test_unknown_rules_are_refused(change: dict[str, Any], message: str) -> None:
    rules: dict[str, Any] = {
        "kind": "words", "k": 2, "normalize": "nfkc", "case": "fold", "whitespace": "fold", "bag": False, "bits": 64,
        "stopwords": np.empty(0, np.uint64),
    }  # fmt: skip
    _native.Rules(**rules)
    with pytest.raises(ValueError, match=message):
        _native.Rules(**{**copy.copy(rules), **change})


@pytest.mark.parametrize(("sketch", "hashes_"), [("slow", 8), ("fast", 0), ("fast", 4097), ("classic", -1)])
def test_unknown_sketches_are_refused(sketch: str, hashes_: int) -> None:
    with pytest.raises(ValueError, match=r"sketch|hashes"):
        Cpu().sign(Shingles(offsets(0, 1), hashes(1)), sketch=sketch, hashes=hashes_, seed=0)


def test_a_short_validity_bitmap_is_refused() -> None:
    with pytest.raises(ValueError, match="validity"):
        _native.shingle(TEXT, offsets(*range(10)), offsets(0, 9), np.zeros(1, np.uint8), 0, RULES, 1)


def test_results_outlive_their_inputs() -> None:
    keys = np.zeros((100, 1), np.uint64)
    left, right = Cpu().candidates(keys)
    ctypes.memset(keys.ctypes.data, 255, keys.nbytes)
    del keys
    assert len(left) == len(right) == 100 * 99 // 2 and left.flags.owndata is False and left.base is not None
