"""Signatures as sets: joins of sets find the signatures that agree in enough slots, without listing candidates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.stages.arrows import equal_slots
from lookalike.engines.stages.memory import Allowance
from lookalike.engines.stages.signature_sets import as_sets, least_overlap
from lookalike.flow import Signatures
from lookalike.kernel import Cpu
from lookalike.planning.resolve import Statistics

signatures = st.integers(1, 40).flatmap(
    lambda hashes: st.lists(st.lists(st.integers(0, 2), min_size=hashes, max_size=hashes), min_size=2, max_size=20)
)


@given(signatures, st.sampled_from(["0.1", "0.5", "0.75", "0.8", "1"]))
def test_sets_of_slots_are_similar_if_enough_slots_agree(values: list[list[int]], threshold: str) -> None:
    hashes = len(values[0])
    plan = la.Plan(threshold=threshold, hashes=hashes, bands=1, rows=1, verify="signature").resolve(Statistics())
    table = Signatures(np.array(values, dtype=np.uint64), plan.signed_by)
    left, right = np.triu_indices(len(values), 1)
    shared, total = equal_slots(table, left, right)
    true = shared * plan.threshold.denominator >= total * plan.threshold.numerator
    one_bucket = np.zeros((len(values), 1), dtype=np.uint64)
    found = Cpu().similar_pairs(one_bucket, as_sets(table), *least_overlap(plan))
    assert found.left.tolist() == left[true].tolist() and found.right.tolist() == right[true].tolist()
    assert found.intersection.tolist() == shared[true].tolist()


@pytest.mark.parametrize("allowance", [None, Allowance(300_000, state=0)], ids=["in memory", "in files"])
@pytest.mark.parametrize("verify", ["none", "signature"])
def test_clusters_need_no_list_of_candidates(verify: Any, allowance: Allowance | None) -> None:
    """Two thousand pages with the same boilerplate are two million candidates. Regression: all of them were in
    memory."""

    class Unlisted(Cpu):
        def candidates(self, *_: Any, **__: Any) -> Any:
            raise AssertionError("candidates were listed")

    texts = [f"{' '.join(f'f{f}-{i}' for i in range(60))} p{n}" for f in range(2) for n in range(1000)]
    wanted = la.find_clusters(texts, threshold=0.7, shingles="words:2", method="lsh")
    engine = Local(allowance=allowance, kernel=Unlisted(2))
    found = la.find_clusters(texts, threshold=0.7, shingles="words:2", method="lsh", verify=verify, engine=engine)
    np.testing.assert_array_equal(found.labels, wanted.labels)
    assert len(found) == 2
