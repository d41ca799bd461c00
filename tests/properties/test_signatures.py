"""Signatures merge by minimum, give unbiased estimates, and yield candidates at the rates of the S-curve."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.local.engine import Local
from lookalike.families.amplify import Banded
from lookalike.flow import Chars, Documents, Shingling, Signatures, Tokens, Words
from lookalike.kernel import Cpu
from lookalike.planning.plan import Plan
from tests.properties.corpora import as_table, families_of_sets, overlapping
from tests.refusals import refused

HASHES = 128
SKETCHES = ["fast", "classic"]
local = Local(threads=2)


@given(families_of_sets(), st.sampled_from(SKETCHES), st.integers(0, 2**64 - 1), st.data())
def test_signatures_merge_by_minimum(sets: list[set[int]], sketch: str, seed: int, data: st.DataObject) -> None:
    """Each set is split in two at random; the minimum of the signatures of the parts is that of the whole."""
    plan = Plan(sketch=sketch, seed=seed, shingles=Words(1)).resolve()  # type: ignore[arg-type]
    bit = data.draw(st.integers(0, 63))
    parts = [as_table([{x for x in values if x >> bit & 1 == side} for values in sets]) for side in (0, 1)]
    merged = local.sign(parts[0], plan).merge(local.sign(parts[1], plan))
    np.testing.assert_array_equal(merged.values, local.sign(as_table(sets), plan).values)


@given(families_of_sets(), st.sampled_from(SKETCHES))
def test_equal_sets_have_equal_signatures_and_an_empty_set_has_none(sets: list[set[int]], sketch: str) -> None:
    plan = Plan(sketch=sketch, shingles=Words(1)).resolve()  # type: ignore[arg-type]
    signatures = local.sign(as_table([*sets, *sets, set()]), plan).values
    np.testing.assert_array_equal(signatures[: len(sets)], signatures[len(sets) : -1])
    assert (signatures[-1] == np.uint64(2**64 - 1)).all()
    assert (signatures[:-1] != np.uint64(2**64 - 1)).all()


def test_signatures_of_different_rules_do_not_mix() -> None:
    one, other = (Signatures(np.zeros((1, 4), np.uint64), made_by) for made_by in ("seed=0", "seed=1"))
    with refused("signatures-of-different-rules", differences=("seed 0 and 1",)):
        one.merge(other)


def agreements(sketch: str, trials: int, union: int, shared: int, seed: int) -> npt.NDArray[np.bool_]:
    """For each of many pairs of sets, the slots in which their signatures agree."""
    rng = np.random.default_rng([union, shared, seed])
    found = []
    while trials:
        some = min(trials, 1 + 4_000_000 // union)  # so that large sets fit into memory
        tables = overlapping(rng, some, union, shared)
        one, other = (Cpu(2).sign(s, sketch=sketch, hashes=HASHES, seed=seed) for s in tables)
        found.append(np.equal(one, other))
        trials -= some
    return np.concatenate(found)


SETTINGS = [(10, 5), (20, 16), (20, 18), (100, 50), (100, 80), (100, 90), (1000, 500), (1000, 800), (5000, 4000)]


@pytest.mark.parametrize(
    ("union", "shared", "seed"), [(*s, 0) for s in SETTINGS] + [(*s, 12345) for s in SETTINGS[:-1]]
)
@pytest.mark.parametrize("sketch", SKETCHES)
def test_estimates_are_unbiased_and_as_accurate_as_documented(sketch: str, union: int, shared: int, seed: int) -> None:
    """RMSE ≤ 1.05·√(J(1 − J)/hashes). Over 4,000 pairs its own standard error is about 1.1 %, a fifth of the slack."""
    trials, j = 4000, shared / union
    errors = agreements(sketch, trials, union, shared, seed).mean(axis=1) - j
    promised = math.sqrt(j * (1 - j) / HASHES)
    assert math.sqrt(np.mean(errors**2)) <= 1.05 * promised
    assert abs(errors.mean()) < 4 * promised / math.sqrt(trials)


@pytest.mark.parametrize("sketch", SKETCHES)
@pytest.mark.parametrize("shingles", [Tokens(1), Tokens(1, bits=32), Chars(15), Words(2)], ids=str)
def test_neighbouring_numbers_as_tokens_are_as_good_as_random_elements(shingles: Shingling, sketch: str) -> None:
    """Texts that differ in little more than a digit must have independent hashes. Trials share no texts."""
    trials, union, shared = 2000, 60, 40
    numbers = [range(1000 * trial, 1000 * trial + union) for trial in range(trials)]
    left, right = (
        Documents.from_texts([" ".join(map(str, chosen)) for chosen in halves])
        for halves in ([n[:50] for n in numbers], [n[10:] for n in numbers])
    )
    plan = Plan(shingles=shingles, sketch=sketch).resolve()  # type: ignore[arg-type]
    sets = [local.shingle(documents, plan) for documents in (left, right)]
    true = np.array([len(np.intersect1d(a, b)) / len(np.union1d(a, b)) for a, b in zip(*sets, strict=True)])
    one, other = (local.sign(s, plan).values for s in sets)
    errors = np.equal(one, other).mean(axis=1) - true
    promised = float(np.sqrt(np.mean(true * (1 - true)) / HASHES))
    assert shared / union == pytest.approx(true[0], abs=0.2)
    assert math.sqrt(np.mean(errors**2)) <= 1.05 * promised
    assert abs(errors.mean()) < 4 * promised / math.sqrt(trials)


@pytest.mark.parametrize(("union", "shared"), [(10, 5), (20, 16), (100, 50), (100, 90)])
def test_the_fast_sketch_has_half_the_variance_on_small_sets(union: int, shared: int) -> None:
    """Its slots are drawn without replacement, so estimates are better if sets are small compared with the slots."""
    fast, classic = (agreements(sketch, 4000, union, shared, 0).mean(axis=1).var() for sketch in SKETCHES)
    assert fast < 0.65 * classic


@pytest.mark.parametrize("banded", [Banded(16, 6), Banded(20, 5)], ids=["16x6", "20x5"])
@pytest.mark.parametrize(
    ("union", "shared"), [(20, 6), (20, 16), (100, 30), (100, 50), (100, 80), (1000, 300), (1000, 800)]
)
@pytest.mark.parametrize("sketch", SKETCHES)
def test_candidates_occur_at_the_rate_of_the_s_curve(sketch: str, union: int, shared: int, banded: Banded) -> None:
    """Within four standard errors, over 2,000 pairs of sets.

    The fast sketch's curve is a little steeper than that of independent slots: above the half point it finds slightly
    more, below it slightly less. Both differences are to the good and too small to show here.
    """
    trials = 2000
    agree = agreements(sketch, trials, union, shared, 1)[:, : banded.hashes]
    in_band = np.all(agree.reshape(trials, banded.bands, banded.rows), axis=2)
    rate = float(np.mean(np.any(in_band, axis=1)))
    expected = banded.collision_probability(shared / union)
    error = math.sqrt(max(expected * (1 - expected), 1 / trials) / trials)
    assert abs(rate - expected) < 4 * error


@pytest.mark.parametrize("sketch", SKETCHES)
def test_keys_agree_exactly_where_all_slots_of_a_band_do(sketch: str) -> None:
    """In 2,000 pairs of sets, different bands never share a key by accident, and equal bands always do."""
    banded = Banded(20, 5)
    left, right = overlapping(np.random.default_rng(5), 2000, 50, 35)
    one, other = (Cpu().sign(s, sketch=sketch, hashes=HASHES, seed=0) for s in (left, right))
    same_slots = (one == other)[:, :100].reshape(-1, 20, 5).all(axis=2)
    keys = [Cpu().band_keys(s, banded.bands, banded.rows) for s in (one, other)]
    np.testing.assert_array_equal(keys[0] == keys[1], same_slots)
