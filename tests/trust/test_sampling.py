"""Samples have their size, every document is sampled with its chance, and every pair belongs to one document."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.flow.progress import silent
from lookalike.io.open import open_source
from lookalike.trust.sampling import Chances, ParetoSample, Sample, owned_halves, read_sample

numbers_of_partners = st.lists(st.integers(0, 40) | st.sampled_from([1000, 10**6, 2**40]), min_size=1, max_size=80)


def drawn(partners: npt.NDArray[np.int64], sample: int, seed: int, batch_rows: int = 8192) -> Sample:
    """A sample of documents with these numbers of partners."""
    texts = pa.table({"text": [f"text{row}" for row in range(len(partners))]})
    chances = Chances(len(partners), sample, partners[partners > 0])
    plan = la.resolve_plan(["one text"], la.Plan(shingles="words:1"))
    return read_sample(
        open_source(texts, batch_rows=batch_rows), plan, lambda rows, ids: chances.of(partners[rows]),
        sample=sample, seed=seed, threads=1, progress=silent,
    )  # fmt: skip


@given(numbers_of_partners, st.integers(1, 100))
def test_chances_add_up_to_the_sample_and_grow_with_the_partners(counts: list[int], sample: int) -> None:
    partners = np.array(counts, np.int64)
    chances = Chances(len(partners), sample, partners[partners > 0]).of(partners)
    assert np.isclose(chances.sum(), min(sample, len(partners)))
    assert (chances > 0).all() and (chances <= 1).all()
    order = np.argsort(partners)
    assert (np.diff(chances[order]) >= 0).all()


@settings(max_examples=30)
@given(numbers_of_partners, st.integers(1, 100), st.integers(0, 5), st.integers(1, 9))
def test_a_sample_has_its_size_and_does_not_depend_on_batches(
    counts: list[int], sample: int, seed: int, batch_rows: int
) -> None:
    partners = np.array(counts, np.int64)
    whole, cut = drawn(partners, sample, seed), drawn(partners, sample, seed, batch_rows)
    assert len(whole.rows) == len(whole.sets) == min(sample, len(partners))
    assert (np.diff(whole.rows) > 0).all() and (cut.rows == whole.rows).all() and (cut.chances == whole.chances).all()
    assert (cut.sets.values == whole.sets.values).all()
    assert set(np.flatnonzero(Chances(len(partners), sample, partners[partners > 0]).of(partners) == 1)) <= {
        *whole.rows
    }


@given(st.floats(0.001, 1), st.floats(0.001, 1))
def test_a_pair_has_two_halves(one: float, other: float) -> None:
    a, b = np.array([one, one]), np.array([other, one])
    assert (owned_halves(a, b) + owned_halves(b, a) == 2).all()


def test_every_document_is_sampled_with_its_chance_and_weights_estimate_the_pairs() -> None:
    """A star of 12, a group of 6 and single pairs among 60 documents, 2,000 samples of 15."""
    edges = [(0, leaf) for leaf in range(1, 13)] + [(20, 21), (22, 23), (24, 25)]
    edges += [(i, j) for i in range(30, 36) for j in range(i + 1, 36)]
    left, right = np.array(edges).T
    partners = np.bincount(np.r_[left, right], minlength=60)
    chances = Chances(60, 15, partners[partners > 0]).of(partners)
    owned = np.bincount(left, owned_halves(chances[left], chances[right]), 60)
    owned += np.bincount(right, owned_halves(chances[right], chances[left]), 60)
    assert owned.sum() == 2 * len(edges)
    times, estimates, rng, texts = np.zeros(60), [], np.random.default_rng(1), pa.array([""] * 60, pa.large_string())
    for _ in range(2_000):
        sample = ParetoSample(15)
        sample.add(rng.random(60), np.arange(60), chances, texts, None)
        rows = sample.kept()[0]
        times[rows] += 1
        estimates.append((owned[rows] / chances[rows]).sum())
    assert np.abs(times / 2_000 - chances).max() < 0.04  # four standard errors are 0.045
    assert np.mean(estimates) == pytest.approx(2 * len(edges), rel=0.02)
