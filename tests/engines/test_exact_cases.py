"""Exact runs on collections that are hard for them, in memory and without room, against brute force."""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.engines.local import engine as local_engine
from lookalike.engines.local.engine import Local
from lookalike.engines.local.spill import batches
from lookalike.engines.stages import first_pass, pruning
from lookalike.engines.stages.memory import Allowance, CandidateCosts
from lookalike.flow.threshold import Threshold
from lookalike.kernel.cpu import Cpu
from lookalike.storage.parts import NoParts
from lookalike.testing import Rows

Lists = list[list[str]]


@pytest.fixture(autouse=True)
def small_collections_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise nothing is left out of small collections, and all their sets are in one chunk."""
    monkeypatch.setattr(first_pass, "FEW", 0)
    monkeypatch.setattr(pruning, "FEW", 0)
    monkeypatch.setattr(pruning, "MOST_KEPT", 1.0)
    monkeypatch.setattr(batches, "CHUNK", 5000)


def similar(rows: Lists, threshold: str) -> dict[tuple[int, int], float]:
    """All similar pairs and their similarities, by definition."""
    least, sets, found = Fraction(threshold), [set(row) for row in rows], {}
    for a, b in combinations(range(len(sets)), 2):
        shared, total = len(sets[a] & sets[b]), len(sets[a] | sets[b])
        if total and shared >= least * total:
            found[a, b] = shared / total
    return found


def templates() -> Lists:
    """All documents share one template. Some have few words of their own, some many."""
    rng = np.random.default_rng(1)
    return [
        [
            *(f"t{i}" for i in range(40)),
            *(f"o{rng.integers(30)}" for _ in range(n % 12)),
            *(f"{n}-{i}" for i in range(n % 5)),
        ]
        for n in range(70)
    ]


def one_in_all() -> Lists:
    """One element is in all sets; pairs of sets share most others."""
    return [["everywhere", *(f"{n // 2}-{i}" for i in range(5)), *([f"own {n}"] if n % 3 else [])] for n in range(160)]


def tiny() -> Lists:
    """Sets of 1, 2 and 3 elements."""
    rng = np.random.default_rng(2)
    return [[f"e{e}" for e in rng.integers(0, 12, rng.integers(1, 4))] for _ in range(150)]


def at_fractions() -> Lists:
    """Pairs whose similarities are exactly 1/2, 2/3, 3/4, 4/5, 9/10 and 19/20, and slightly less."""
    rows: Lists = []
    for shared, total in ((1, 2), (2, 3), (3, 4), (4, 5), (9, 10), (19, 20)):
        for times in (1, 2, 7):
            for less in (0, 1):
                common = [f"{len(rows)}-{i}" for i in range(shared * times)]
                own = [f"{len(rows)}+{i}" for i in range((total - shared) * times + less)]
                half = len(own) // 2
                rows += [common + own[:half], common + own[half:]]
    return rows


def one_text() -> Lists:
    return [["the", "same", "text"]] * 50


def nested() -> Lists:
    """Each set contains all smaller ones."""
    return [[f"e{i}" for i in range(n)] for n in range(1, 60)]


CASES = {case.__name__: case for case in (templates, one_in_all, tiny, at_fractions, one_text, nested)}


@pytest.fixture(params=[(1 << 40, 2), (40_000, 2)], ids=str)
def engine(request: pytest.FixtureRequest) -> Local:
    """Engines with and without room. With 40,000 bytes, the table of counts is far too small as well."""
    tables, threads = request.param
    return Local(threads=threads, allowance=Allowance(tables, 1 << 20, state=0))


@pytest.mark.parametrize("threshold", ["0.333333333", "0.5", "0.666666666", "0.666666667", "0.75", "0.8", "1"])
@pytest.mark.parametrize("case", CASES)
def test_exact_runs_find_what_brute_force_finds(case: str, threshold: str, engine: Local) -> None:
    rows = CASES[case]()
    truth = similar(rows, threshold)
    options: dict[str, Any] = {"threshold": threshold, "method": "exact", "shingles": "tokens:1"}
    pairs = engine.run(la.Plan(**options), Rows(rows), NoParts()).pairs
    assert pairs is not None
    found = zip(pairs.left_rows.tolist(), pairs.right_rows.tolist(), strict=True)
    assert pairs.similarity is not None
    assert dict(zip(found, pairs.similarity.tolist(), strict=True)) == pytest.approx(truth)
    clusters = engine.run(la.Plan(goal="clusters", **options), Rows(rows), NoParts()).clusters
    assert clusters is not None
    labels = list(range(len(rows)))
    for a, b in truth:
        low, high = sorted((labels[a], labels[b]))
        labels = [low if label == high else label for label in labels]
    assert clusters.labels.tolist() == labels


def test_the_fractions_are_reached_exactly() -> None:
    assert all(similar(at_fractions(), threshold) for threshold in ("0.5", "0.75", "0.8", "0.9", "0.95"))
    assert len(similar(at_fractions(), "0.666666666")) > len(similar(at_fractions(), "0.666666667"))
    assert Threshold("0.666666667").reached(2, 3) is False


@pytest.mark.parametrize("tables", [1 << 40, 2_000_000])
@pytest.mark.parametrize("threshold", ["0.5", "0.8"])
def test_hard_collections_take_no_quadratic_time(tables: int, threshold: str) -> None:
    """Comparing all pairs of 20,000 sets would take minutes."""
    rows: Lists = [["everywhere", "nearly", *(f"{n}-{i}" for i in range(6))] for n in range(10_000)]
    rows += [[*(f"t{i}" for i in range(20)), *(f"{n}+{i}" for i in range(25))] for n in range(10_000)]
    engine = Local(threads=2, allowance=Allowance(tables, 1 << 20, state=0))
    plan = la.Plan(goal="clusters", threshold=threshold, method="exact", shingles="tokens:1")
    began = time.process_time()
    result = engine.run(plan, Rows(rows), NoParts())
    assert result.clusters is not None and len(np.unique(result.clusters.labels)) == 20_000
    assert result.summary.checked is not None and result.summary.checked < 1_000_000
    assert time.process_time() - began < 30


@pytest.mark.parametrize("shared", [0, 30], ids=["few are left", "all are left"])
def test_sets_are_read_if_an_index_of_those_that_are_left_may_fit(shared: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The count of a small sample leaves nearly all sets. They fit in memory, but an index of all of them would not.

    A million web pages were therefore joined in files, which took twice the time.
    """
    monkeypatch.setattr(pruning, "share_to_count", lambda *_: 1 / 16)
    monkeypatch.setattr(local_engine, "LARGE", 0)
    called: list[str] = []

    def count_calls(of: type, name: str) -> None:
        function = getattr(of, name)

        def called_function(*args: Any) -> Any:
            called.append(name)
            return function(*args)

        monkeypatch.setattr(of, name, called_function)

    count_calls(CandidateCosts, "of_pruning")
    count_calls(Cpu, "prune_sets")
    common = [f"t{i}" for i in range(shared)]
    rows: Lists = [[*common, *(f"{n // 2 if n < 20 else n}-{i}" for i in range(6)), f"own {n}"] for n in range(200)]
    plan = la.Plan(threshold="0.5", method="exact", shingles="tokens:1")
    expected = similar(rows, "0.5")
    outcomes = set()
    for tables in np.geomspace(50_000, 2_000_000, 12).astype(int).tolist():
        called.clear()
        result = Local(threads=2, allowance=Allowance(tables, 1 << 20, state=0)).run(plan, Rows(rows), NoParts())
        assert result.pairs is not None
        assert {*zip(result.pairs.left_rows.tolist(), result.pairs.right_rows.tolist(), strict=True)} == {*expected}
        outcomes.add((*called, result.summary.spilled > 0))
    assert ("of_pruning", "prune_sets", shared > 0) in outcomes
    assert {("of_pruning", True), ("prune_sets", False)} <= outcomes
