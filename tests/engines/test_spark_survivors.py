"""Survivors of star clusters on Spark: rounds of local minima give what a visit in order of preference gives."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.reference import definitions
from lookalike.engines.spark import Spark, survivors
from lookalike.engines.spark.local_minima import Edges, decide, selected, survivors_known, taken_and_left
from lookalike.engines.spark.preferred import PreferredRows
from lookalike.engines.stages.copies import without_copies
from lookalike.kernel import Cpu
from tests.corpora import KINDS
from tests.engines.serial import Serial
from tests.properties.test_decisions import revisions

OPTIONS: dict[str, Any] = {"threshold": 0.7, "shingles": "words:3"}
SMALL: dict[str, Any] = {"rows_per_task": 64, "task_bytes": 30_000, "edges": 20}


@st.composite
def graphs(draw: st.DrawFn) -> tuple[int, list[tuple[int, int]]]:
    """Random edges among at most 25 nodes, plus chains, stars and cliques."""
    nodes = draw(st.integers(2, 25))
    pairs = [(i, j) for i in range(nodes) for j in range(i)]
    edges = set(draw(st.lists(st.sampled_from(pairs), max_size=60)))
    some = draw(st.lists(st.integers(0, nodes - 1), unique=True, max_size=nodes))
    kind = draw(st.sampled_from(["none", "chain", "star", "clique"]))
    chains = {(max(a, b), min(a, b)) for a, b in pairwise(some)}
    stars = {(max(a, some[0]), min(a, some[0])) for a in some[1:]}
    cliques = {(max(a, b), min(a, b)) for a in some for b in some if a != b}
    return nodes, sorted(edges | {"none": set(), "chain": chains, "star": stars, "clique": cliques}[kind])


def as_edges(pairs: list[tuple[int, int]]) -> Edges:
    array = np.array(pairs, np.int64).reshape(-1, 2)
    state = np.zeros(len(array), np.int64)
    return {"high": array[:, 0], "low": array[:, 1], "shared": array[:, 1] + 5, "total": array[:, 0], "state": state}


def survivors_of(nodes: int, chosen: list[Edges]) -> list[int]:
    found = list(range(nodes))
    for edges in chosen:
        for high, low, shared in zip(edges["high"], edges["low"], edges["shared"], strict=True):
            assert found[high] == high and shared == low + 5, "a node is finished once, with the values of its edge"
            found[high] = int(low)
    return found


@given(graphs(), st.integers(0, 20))
def test_rounds_and_what_is_left_of_them_equal_the_definition(
    graph: tuple[int, list[tuple[int, int]]], most: int
) -> None:
    nodes, pairs = graph
    edges, chosen, nth = as_edges(pairs), [], 0
    while len(edges["high"]) and nth < most:
        nth += 1
        waiting, removed = np.unique(edges["high"]), np.unique(edges["high"][edges["state"] > 0])
        finished, edges = taken_and_left(survivors_known(edges, waiting, removed))
        chosen.append(finished)
    chosen.append(decide(Cpu(), edges))
    assert survivors_of(nodes, chosen) == definitions.survivors(range(nodes), pairs)
    if most == 20 and nth == most:
        assert nodes > 10, "only a long path needs many rounds"


def test_a_chain_in_order_takes_a_round_per_survivor() -> None:
    edges = as_edges([(i + 1, i) for i in range(100)])
    for nth in range(1, 6):
        waiting, removed = np.unique(edges["high"]), np.unique(edges["high"][edges["state"] > 0])
        _, edges = taken_and_left(survivors_known(edges, waiting, removed))
        assert 100 - 2 * nth - 1 <= len(selected(edges, edges["state"] == 0)["high"]) <= 100 - nth


@given(st.lists(st.integers(0, 5), min_size=1, max_size=20), st.lists(st.integers(0, 19), max_size=3), st.data())
def test_the_most_preferred_copy_stands_for_all_but_decided_rows(
    words: list[int], decided: list[int], data: st.DataObject
) -> None:
    rows = np.arange(len(words), dtype=np.int64)
    first = np.array([words.index(word) for word in words], np.int64)
    rank = np.array(data.draw(st.permutations(range(len(words)))), np.int64)
    these = np.array([row for row in decided if row < len(words)], np.int64)
    found = PreferredRows(True, alone=these).best_copies(rows, first, rank)
    copy_of = without_copies(first, these)
    for row in rows.tolist():
        assert rank[found[row]] == rank[copy_of == copy_of[row]].min() and copy_of[found[row]] == copy_of[row]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "how",
    [
        {"method": "lsh"},
        {"method": "exact"},
        {"method": "lsh", "verify": "signature"},
        {"method": "lsh", "verify": "none"},
        {"method": "lsh", "remove": "contained:0.9", "keep": "longest"},
        {"method": "exact", "remove": "contained"},
    ],
)
def test_every_kind_of_corpus_gives_the_answer_of_the_local_engine(kind: str, how: dict[str, Any]) -> None:
    texts = KINDS[kind](300)
    here = la.dedupe(texts, **OPTIONS, **how)
    for edges in (20, 1 << 22):
        there = la.dedupe(texts, engine=Spark(Serial(), **SMALL | {"edges": edges}), **OPTIONS, **how)
        assert there.removed.equals(here.removed) and there.kept.equals(here.kept)


def test_rules_protected_rows_and_decisions_apply(tmp_path: Path) -> None:
    data, options = revisions(tmp_path)
    here = la.dedupe(data, **options)
    there = la.dedupe(data, engine=Spark(Serial(), **SMALL), **options)
    assert there.removed.equals(here.removed) and there.summary.kept_by == here.summary.kept_by


def chain(revisions: int, words: int = 40) -> list[str]:
    """Revisions, each of which replaces one word of the one before."""
    text, found = [f"word{i}" for i in range(words)], []
    for nth in range(revisions):
        text[nth % words] = f"new{nth}"
        found.append(" ".join(text))
    return found


def test_a_chain_in_input_order_is_decided_by_component_after_some_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survivors, "MOST_ROUNDS", 3)
    texts = chain(150) + [text.replace("word", "other") for text in chain(60, 50)]
    heard: list[tuple[str, int]] = []
    engine = Spark(Serial(), **SMALL)
    there = la.dedupe(texts, engine=engine, progress=lambda stage, done, total: heard.append((stage, done)), **OPTIONS)
    here = la.dedupe(texts, **OPTIONS)
    assert there.removed.equals(here.removed) and 0 < len(here.kept) < 60
    assert ("connect", 3) in heard and min(there.removed["similarity"].to_pylist()) >= 0.7


def test_a_run_that_was_interrupted_continues_after_its_last_round(tmp_path: Path) -> None:
    """With another order, everything after signing is computed again."""
    texts = chain(80)
    stop = True

    class Interrupted(Exception):
        pass

    def heard(stage: str, done: int, total: int | None) -> None:
        if stop and (stage, done) == ("connect", 2):
            raise Interrupted

    engine = Spark(Serial(), staging=str(tmp_path), **SMALL)
    with pytest.raises(Interrupted):
        la.dedupe(texts, engine=engine, progress=heard, **OPTIONS)
    (folder,) = tmp_path.glob("lookalike-*/in-input-order")
    marks = {path.stem for path in (folder / "finished").iterdir()}
    assert {"propose", "compare", "left-1", "left-2"} <= marks and "rest" not in marks
    stop = False
    last = la.dedupe(texts, engine=engine, keep="last", **OPTIONS)
    assert last.removed.equals(la.dedupe(texts, keep="last", **OPTIONS).removed)
    assert list(tmp_path.iterdir()) == [], "a run that succeeds removes its parts"
