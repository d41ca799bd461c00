"""An index without texts keeps 8 bits per slot, estimates similarities from them, and says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.reference import definitions
from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.threshold import Threshold
from lookalike.index.short_signatures import estimated, least_equal, short_signatures
from lookalike.kernel import default
from lookalike.planning.resolve import ResolvedPlan
from tests.index.laws import PLAN
from tests.index.test_changes import refused
from tests.index.test_queries import index


@given(st.integers(1, 300), st.decimals("0.01", 1, places=2).map(str))
def test_the_least_number_of_equal_bytes_is_the_first_that_reaches_the_threshold(slots: int, given: str) -> None:
    threshold = Threshold(given)
    least = least_equal(threshold, slots)
    reached = [256 * m - slots for m in range(slots + 1)]  # 255 · slots times the estimate
    wanted = next(m for m, n in enumerate(reached) if n * threshold.denominator >= 255 * slots * threshold.numerator)
    assert least == wanted


@pytest.mark.parametrize("sketch", ["fast", "classic"])
def test_a_byte_of_a_slot_is_the_last_of_the_key_of_that_slot(sketch: Any) -> None:
    plan = resolved(sketch=sketch)
    texts = ["one two three four", "five", ""]
    signed = definitions.sign(
        definitions.shingle(Documents.from_texts(texts), plan.shingles), sketch=sketch, hashes=128, seed=7
    )
    keys = definitions.band_keys(signed, 128, 1)
    got = short_signatures(default(1), Documents.from_texts(texts), plan)
    assert (got == (keys & np.uint64(255))).all()


def resolved(**options: Any) -> ResolvedPlan:
    with index(["one two three"], texts=False, **options) as ix:
        plan = ix.plan
    assert isinstance(plan, ResolvedPlan)
    return plan


@pytest.mark.parametrize("sketch", ["fast", "classic"])
@pytest.mark.parametrize(("shared", "other"), [(0, 100), (20, 80), (80, 10), (96, 2)])
def test_estimates_are_unbiased_and_as_precise_as_promised(sketch: Any, shared: int, other: int) -> None:
    """Without the correction for equal bytes of different slots, the first mean would be .004 instead of 0."""
    true, slots, pairs = shared / (shared + 2 * other), 128, 400
    rng = np.random.default_rng(1)
    values = [rng.choice(10**9, shared + 2 * other, replace=False) for _ in range(pairs)]
    texts = []
    for some in values:
        words = [f"w{value}" for value in some]
        texts += [" ".join(words[: shared + other]), " ".join(words[:shared] + words[shared + other :])]
    plan = resolved(sketch=sketch, shingles="words:1")
    short = short_signatures(default(1), Documents.from_texts(texts), plan)
    equal = (short[::2] == short[1::2]).sum(axis=1)
    uncut = (equal / slots - 1 / 256) / (1 - 1 / 256)
    deviation = np.sqrt((true * (1 - true) + 1 / 256) / slots)
    assert abs(uncut.mean() - true) < 4 * deviation / np.sqrt(pairs)
    assert uncut.std() < 1.15 * deviation
    assert np.allclose(estimated(equal, slots), np.maximum(0, uncut))


def test_it_takes_400_bytes_per_document(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    words = np.array([f"w{n}" for n in range(5000)])
    texts = [" ".join(words[row]) for row in rng.integers(0, 5000, (20_000, 40))]
    with la.Index.create(tmp_path / "x.index", threshold=0.8, texts=False) as ix:
        ix.add(texts)
        info = ix.info()
    stored = sum(file.stat().st_size for file in (tmp_path / "x.index" / "segments").iterdir())
    assert stored / len(texts) <= 400 and info["bytes"] / len(texts) <= 405  # the catalogue takes 80 KB in all


def test_what_needs_texts_is_refused(tmp_path: Path) -> None:
    with index(["one two three four", "one two three four five"], texts=False) as ix:
        ix.add(["another text"])
        for call in (
            lambda: ix.signature(0),
            lambda: ix.to_reader(),
            lambda: list(ix),
            lambda: ix.export(tmp_path / "e.parquet"),
            lambda: ix.documents([0]),
            lambda: la.dedupe(["one two three four"], against=ix),
        ):
            refused("index-without-texts", InvalidOption, call)
    with pytest.raises(InvalidOption) as error:
        la.Index.create(tmp_path / "x.index", verify="signature")
    assert error.value.code == "index-verifies" and "texts=False" in str(error.value)
    for options in ({"texts": False, "verify": "none"}, {"plan": la.Plan(**PLAN, verify="signature", method="lsh")}):
        refused("index-verifies", InvalidOption, lambda: la.Index.create(tmp_path / "x.index", **options))  # noqa: B023


def test_answers_say_that_they_are_estimates(tmp_path: Path) -> None:
    with index(["one two three four five six", "one two three four five six"], texts=False) as ix:
        found = ix.query("one two three four five six seven")
        assert repr(found) == "IndexMatches(2 by estimated jaccard of 0.5 or more, for 1 query among 2 documents)"
        assert found.summary.verified == ix.clusters().summary.verified == "signature"
        assert found.containment is None and found.to_arrow()["containment"].null_count == 2
        assert 0.6 < found.similarity[0] <= 1
        assert ix.query("One two three, four five six.").similarity.tolist() == [1.0, 1.0]
        assert ix.plan.verify == "signature" if isinstance(ix.plan, la.Plan) else ix.plan.plan.verify == "signature"
        found.save(tmp_path / "found")
        assert la.load(tmp_path / "found").to_arrow() == found.to_arrow()
