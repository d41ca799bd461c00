"""Groups of sets: similar sets are in the same group, and sets that differ much are rarely in one."""

from __future__ import annotations

import tempfile
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.flow.threshold import Threshold
from lookalike.kernel import Cpu
from tests.kernel.tables import alike, table


def temporary() -> BinaryIO:
    return cast(BinaryIO, tempfile.TemporaryFile(buffering=0))


thresholds = st.sampled_from(["0.1", "0.333333333", "0.5", "0.75", "0.8", "0.9", "1"]).map(Threshold)
few = st.lists(st.sets(st.integers(0, 30), max_size=8), max_size=40)
near = st.lists(st.tuples(st.integers(0, 3), st.sets(st.integers(0, 400), max_size=3)), max_size=200).map(
    lambda rows: [{*range(100 * base, 100 * base + 12)} ^ own for base, own in rows]
)


def labels_of(
    sets: list[set[int]], threshold: Threshold, *, most: int = 10**6, threads: int = 1, at: int = 10, file: int = -1
) -> list[int]:
    """The groups of these sets, which are counted and added in portions of `at` sets, with `file` bytes in memory."""
    groups = Cpu(threads).groups(len(sets), sum(map(len, sets)), threshold.numerator, threshold.denominator, most)
    portions = [table(sets[i : i + at]) for i in range(0, len(sets), at)]
    for portion in portions:
        groups.count(portion)
    if file >= 0:
        groups.spill(temporary(), file)
    for portion in portions:
        groups.add(portion)
    return list(map(int, groups.labels()))


@given(few | near, thresholds, st.sampled_from([0, 1000, 10**6]), st.integers(1, 3), st.integers(1, 50))
def test_similar_sets_are_in_one_group(
    sets: list[set[int]], threshold: Threshold, most: int, threads: int, at: int
) -> None:
    labels = labels_of(sets, threshold, most=most, threads=threads, at=at)
    assert labels == labels_of(sets, threshold, most=most, at=7), "whatever the number of threads, and the portions"
    assert all(label <= row and labels[label] == label for row, label in enumerate(labels))
    # The definition makes the smallest groups: sets that are similar, directly or through others.
    definition = definitions.similar_groups(sets, Fraction(threshold.numerator, threshold.denominator))
    assert all(labels[row] == labels[first] for row, first in enumerate(definition))


@given(few | near, thresholds, st.sampled_from([0, 8, 1000]))
def test_prefixes_in_a_file_give_the_same_groups(sets: list[set[int]], threshold: Threshold, file: int) -> None:
    assert labels_of(sets, threshold, file=file, threads=2) == labels_of(sets, threshold)


def test_sets_that_share_little_are_alone() -> None:
    """Half of their elements are in all of them. Pairs of them share all but two."""
    base = [{*range(60), *range(100 * i, 100 * i + 60)} for i in range(1, 300)]
    labels = labels_of([*base, *({*one, 7 * 10**6 + i} for i, one in enumerate(base[:40]))], Threshold("0.8"))
    assert labels == [*range(299), *range(40)]


def test_more_sets_with_one_element_than_are_tested_are_in_one_group() -> None:
    groups, sets = Cpu(2).groups(300, 300 * 14, 1, 2, 0), alike(300, 12, 2)
    groups.count(sets)
    groups.add(sets)
    assert groups.labels().tolist() == [0] * 300


def test_a_file_that_is_full_is_an_error_of_the_system() -> None:
    groups, sets = Cpu().groups(50, 1000, 4, 5, 1000), alike(50, 20, 0)
    groups.count(sets)
    groups.add(sets)
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(OSError, match="No space"):
        groups.spill(cast(BinaryIO, full), 0)


def test_the_number_of_sets_is_checked() -> None:
    groups = Cpu().groups(2, 10, 4, 5, 1000)
    groups.add(table([{1}]))
    with pytest.raises(ValueError, match="of 2 sets, 1 were added"):
        groups.labels()
    with pytest.raises(ValueError, match="more sets were added than 2"):
        groups.add(table([{1}, {2}]))
    with pytest.raises(ValueError, match="must not be negative"):
        Cpu().groups(-1, 0, 4, 5, 0)


def test_groups_say_what_memory_they_take() -> None:
    sets = alike(1000, 100, 0)
    groups = Cpu().groups(1000, 100_000, 1, 2, 1 << 20)
    before = groups.nbytes
    groups.count(sets)
    groups.add(sets)
    assert before <= (1 << 20) + 8 * 1000 and groups.nbytes - before == 8 * 51 * 1000
    groups.spill(temporary(), 1000)
    assert groups.nbytes == before
    assert np.array_equal(groups.labels(), np.zeros(1000))
