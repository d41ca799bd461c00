"""Every engine gives the same answers as the reference engine, bit for bit, for any number of threads and batch
size."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from lookalike.engines import engine
from lookalike.engines.base import Engine
from lookalike.engines.local.engine import Local
from lookalike.engines.reference.engine import Reference
from lookalike.flow import Candidates, Documents, Shingles, Signatures
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan, Statistics
from lookalike.planning.survey import resolve_on_source
from lookalike.results.pairs import Pairs
from lookalike.storage.parts import MemoryParts
from lookalike.testing import CASES, Case, Rows, check_engine, corpus

ENGINES: dict[str, Engine] = {
    "reference": Reference(),
    "local, 1 thread": Local(threads=1),
    "local, 2 threads": Local(threads=2),
    "local, 3 threads": Local(threads=3),
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("name", ENGINES)
def test_engine_answers_like_the_reference(name: str, case: Case) -> None:
    check_engine(ENGINES[name], cases=[case])


@pytest.mark.parametrize("seed", range(5))
def test_local_answers_like_the_reference_on_other_corpora(seed: int) -> None:
    texts = corpus(seed + 1, size=80)
    check_engine(
        engine("local"), cases=[Case(f"corpus {seed}", texts, case.plan) for case in CASES[:4]], batch_rows=[13]
    )


SIMILAR = [case for case in CASES if case.plan.contained is None and case.plan.copies is None]
"""Cases in which all similar documents are removed. The arrows have no other conditions."""


@pytest.mark.parametrize("case", SIMILAR, ids=lambda case: case.name)
def test_run_finds_the_pairs_that_the_arrows_find(case: Case) -> None:
    """Copies are collapsed by `run` and not by the arrows; the pairs and clusters are the same."""
    reference = Reference()
    documents = Documents.from_texts(case.rows)
    plan = dataclasses.replace(case.plan, goal="pairs")
    common = resolve_on_source(plan, Rows(case.rows), reference).shingles.ignored
    resolved = plan.resolve(dataclasses.replace(Statistics.of(documents), common=common))
    shingles = reference.shingle(documents, resolved)
    signatures = reference.sign(shingles, resolved)
    by_arrows = reference.verify(reference.propose(signatures, resolved), shingles, signatures, resolved)
    by_run = reference.run(plan, Rows(case.rows), MemoryParts()).pairs
    assert by_run is not None
    assert list(by_run) == list(by_arrows)
    clusters = reference.run(dataclasses.replace(plan, goal="clusters"), Rows(case.rows), MemoryParts()).clusters
    assert clusters is not None
    np.testing.assert_array_equal(clusters.labels, reference.connect(by_arrows, plan.linkage or "connected").labels)


class Wrong(Reference):
    """An engine with one mistake, to test that the check finds it and reports where it is."""

    name = "wrong"

    def __init__(self, mistake: str) -> None:
        self.mistake = mistake

    def shingle(self, documents: Documents, plan: ResolvedPlan) -> Shingles:
        found = super().shingle(documents, plan)
        return dataclasses.replace(found, values=found.values ^ np.uint64(1)) if self.mistake == "shingle" else found

    def sign(self, shingles: Shingles, plan: ResolvedPlan) -> Signatures:
        found = super().sign(shingles, plan)
        return dataclasses.replace(found, values=found.values[:, ::-1]) if self.mistake == "sign" else found

    def propose(self, signatures: Signatures, plan: ResolvedPlan) -> Candidates:
        found = super().propose(signatures, plan)
        return Candidates(found.left[1:], found.right[1:]) if self.mistake == "propose" else found

    def verify(self, candidates: Candidates, shingles: Shingles, signatures: Signatures, plan: ResolvedPlan) -> Pairs:
        found = super().verify(candidates, shingles, signatures, plan)
        if self.mistake == "verify" and found.similarity is not None:
            return dataclasses.replace(found, similarity=np.nextafter(found.similarity, 0))
        return found


@pytest.mark.parametrize("mistake", ["shingle", "sign", "propose", "verify"])
def test_the_check_names_the_arrow_that_is_wrong(mistake: str) -> None:
    case = Case("a small corpus", corpus(size=30), Plan(shingles=CASES[2].plan.shingles))
    with pytest.raises(AssertionError, match=f"^wrong, a small corpus: {mistake}: "):
        check_engine(Wrong(mistake), cases=[case])


def test_engines_are_called_by_name() -> None:
    for name in ("local", "reference"):
        found: Engine = engine(name)
        assert found.name == name
