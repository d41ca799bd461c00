"""`remove="contained"` removes only documents whose shingles are in the document kept in their place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.stages.memory import Allowance
from tests.joins.strategies import collections
from tests.refusals import refused

OPTIONS: dict[str, Any] = {"shingles": "tokens", "recall": 1}


def greedy(sets: list[set[int]], threshold: float, share: float) -> list[int]:
    """The kept rows by definition: longest first, ties in input order."""
    kept: list[int] = []
    for row in sorted((row for row in range(len(sets)) if sets[row]), key=lambda row: (-len(sets[row]), row)):
        one = sets[row]
        near = (other for other in kept if len(one & sets[other]) >= threshold * len(one | sets[other]))
        if not any(len(one & sets[other]) >= share * len(one) for other in near):
            kept.append(row)
    return sorted(kept + [row for row in range(len(sets)) if not sets[row]])


@given(collections(most=12), st.sampled_from([0.25, 0.5]), st.sampled_from([1.0, 0.75, 0.5]))
@settings(max_examples=60)
def test_the_kept_rows_are_those_of_the_definition(rows: list[list[int]], threshold: float, share: float) -> None:
    distinct = [sorted({*row}) for row in rows]
    found = la.dedupe(distinct, threshold=threshold, keep="longest", remove=f"contained:{share}", **OPTIONS)
    # Lists with the same tokens are copies, which are collapsed before anything is compared.
    assert found.kept_rows.tolist() == greedy([{*row} for row in distinct], threshold, share)
    again = la.dedupe(
        distinct, threshold=threshold, keep="longest", remove=f"contained:{share}", engine="reference", **OPTIONS
    )
    assert again.removed.equals(found.removed)


def pages(count: int) -> list[str]:
    """Pages of one template: most have a topic of their own, and every tenth ends before it."""
    rng = np.random.default_rng(count)
    template = [f"w{number}" for number in range(200)]
    own = rng.integers(10**9, size=(count, 12))
    return [
        " ".join(template[: 190 - row % 7]) if row % 10 == 9 else " ".join([*template, *(f"t{n}" for n in own[row])])
        for row in range(count)
    ]


@pytest.mark.parametrize("method", ["exact", "lsh"])
@pytest.mark.parametrize("tables", [None, 1 << 18])
def test_pages_of_one_template_stay_unless_they_have_no_words_of_their_own(method: Any, tables: int | None) -> None:
    texts = pages(600)
    engine: Any = "local" if tables is None else Local(allowance=Allowance(tables))
    options: Any = {"shingles": "words:5", "threshold": 0.8, "keep": "longest", "method": method, "engine": engine}
    near = la.dedupe(texts, **options)
    contained = la.dedupe(texts, remove="contained", **options)
    assert len(near.kept_rows) == 1
    assert contained.kept_rows.tolist() == [row for row in range(600) if row % 10 != 9]
    assert contained.removed["lost"].to_pylist() == [0] * 60, "nothing of a removed document is lost"


def test_longer_documents_are_preferred_unless_a_rule_is_given() -> None:
    part, whole = " ".join(f"w{n}" for n in range(90)), " ".join(f"w{n}" for n in range(100))
    options: Any = {"shingles": "words:5", "threshold": 0.8}
    assert la.dedupe([part, whole], remove="contained", **options).kept_rows.tolist() == [1]
    assert la.dedupe([part, whole], remove="contained", keep="first", **options).kept_rows.tolist() == [0, 1]
    assert la.dedupe([part, whole], **options).kept_rows.tolist() == [0]


@pytest.mark.parametrize("method", ["exact", "lsh"])
@pytest.mark.parametrize("share", ["contained", "contained:0.9"])
@pytest.mark.parametrize("keep", ["longest", "first", "shortest"])
def test_documents_that_do_not_fit_into_memory_are_compared_part_by_part(method: Any, share: str, keep: str) -> None:
    rng = np.random.default_rng(7)
    words = [f"w{n}" for n in range(3000)]
    texts = [" ".join(words[: 3000 - 30 * row]) for row in range(6)]
    texts += [
        " ".join([*words[100 * row :], *(f"own{row}-{n}" for n in rng.integers(10**6, size=40))]) for row in range(4)
    ]
    texts += pages(20)
    options: Any = {"shingles": "words:5", "threshold": 0.7, "method": method, "keep": keep, "remove": share}
    inside = la.dedupe(texts, **options)
    tiny = la.dedupe(texts, engine=Local(allowance=Allowance(20_000, 1 << 20, state=0)), **options)
    assert tiny.removed.drop_columns("lost").equals(inside.removed.drop_columns("lost"))
    assert (inside.removed.num_rows > 0) == ((keep, share) != ("shortest", "contained"))


def test_what_does_not_fit_together_is_refused() -> None:
    with refused("not-one-of", option="remove", value="some"):
        la.dedupe(["a b"], remove="some")
    with refused("not-one-of", option="remove", value="contained:"):
        la.dedupe(["a b"], remove="contained:")
    with refused("contained-needs-stars"):
        la.dedupe(["a b"], remove="contained", linkage="connected")
    with refused("contained-needs-stars"):
        la.dedupe(["a b"], remove="contained", verify="signature", method="lsh")
    with refused("share-of-contained"):
        la.dedupe(["a b"], remove="contained:2")
