"""Star clusters: removed texts are similar to the kept one, whatever the survivor rule."""

from __future__ import annotations

from typing import Any

import pytest

import lookalike as la
from lookalike.distances import jaccard
from lookalike.engines.reference.definitions import elements, windows
from lookalike.results.survivors import RULES
from tests.corpora import corpus

THRESHOLD = 0.5
OPTIONS: dict[str, Any] = {"threshold": THRESHOLD, "shingles": "words:2", "recall": 1}
KEEP = [*RULES, "best:score"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    chain = [" ".join(f"w{i}" for i in range(start, start + 30)) for start in range(0, 60, 4)]
    return corpus(150) + chain + [chain[3].upper(), chain[3] + "!", ""]


@pytest.mark.parametrize("keep", KEEP)
def test_every_removed_document_is_similar_to_the_one_kept(texts: list[str], keep: str) -> None:
    table = {"text": texts, "score": [i * 7 % 11 for i in range(len(texts))]}
    sets = [set(elements(windows(text, la.Words(2)), bag=False)) for text in texts]
    connected, stars = (la.dedupe(table, keep=keep, linkage=linkage, **OPTIONS) for linkage in ("connected", "star"))
    assert min(connected.removed["similarity"].to_pylist()) < THRESHOLD, "the corpus has chains"
    for row in stars.removed.to_pylist():
        assert row["similarity"] >= THRESHOLD
        assert row["similarity"] == pytest.approx(jaccard(sets[row["id"]], sets[row["kept"]]))
    kept = stars.kept_rows.tolist()
    assert len(kept) + stars.removed.num_rows == len(texts)
    assert not any(jaccard(sets[a], sets[b]) >= THRESHOLD for a in kept for b in kept if a < b), "nothing similar stays"
    summary = stars.clusters.summary
    sizes = [size for size in (len(rows) for rows in stars.clusters.largest()) if size >= 2]
    assert (summary.clusters, summary.clustered) == (len(sizes), sum(sizes))


@pytest.mark.parametrize("keep", KEEP)
def test_engines_agree_whatever_is_kept(texts: list[str], keep: str) -> None:
    table = {"text": texts, "score": [i * 7 % 11 for i in range(len(texts))]}
    found = [
        la.find_clusters(table, keep=keep, linkage="star", engine=engine, threads=threads, **OPTIONS).to_arrow()
        for engine, threads in (("reference", None), ("local", 1), ("local", 2))
    ]
    assert found[0].equals(found[1]) and found[1].equals(found[2])


def test_a_plan_carries_its_linkage(texts: list[str]) -> None:
    clusters = la.find_clusters(texts, linkage="star", **OPTIONS)
    plan = la.Plan.from_toml(clusters.summary.plan)
    assert plan.linkage == "star"
    assert la.find_clusters(texts, plan=plan).labels.tolist() == clusters.labels.tolist()
