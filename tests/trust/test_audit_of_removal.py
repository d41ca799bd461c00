"""`audit` of `dedupe`: a true pair is handled if one of its documents was removed. Checked against brute force."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from tests.joins.strategies import collections
from tests.trust.families import families

BAD: dict[str, Any] = {"bands": 2, "rows": 12}
"""Bands that miss many of the pairs at 0.8."""

CHAIN = [[*range(start, start + 10)] for start in range(12)]
"""Each list is similar to the next two at 0.6, and to no other."""


def similarity(one: list[int], other: list[int]) -> float:
    a, b = set(one), set(other)
    return len(a & b) / len(a | b) if a | b else 0.0


def true_pairs(sets: list[list[int]], threshold: str) -> list[tuple[int, int]]:
    some = [row for row, one in enumerate(sets) if one]
    return [(i, j) for i, j in combinations(some, 2) if similarity(sets[i], sets[j]) >= float(threshold) - 1e-12]


def fraction(part: int, whole: int) -> Any:
    return pytest.approx(part / whole if whole else np.nan, nan_ok=True)


def removed_from(result: la.Deduped) -> dict[int, int]:
    """The removed rows, and the row kept in place of each."""
    survivors = result.clusters.survivors
    assert survivors is not None
    pairs = enumerate(survivors.tolist())
    return {row: kept for row, kept in pairs if row != kept and row >= result.reference}


@given(
    collections(), st.sampled_from(["0.5", "0.8", "1"]), st.booleans(), st.sampled_from(["star", "connected"]),
    st.sampled_from(["first", "last", "longest"]), st.sampled_from([BAD, {}]),
)  # fmt: skip
def test_pairs_with_a_removed_document_are_handled(
    sets: list[list[int]], threshold: str, named: bool, linkage: Any, keep: str, plan: dict[str, Any]
) -> None:
    data = [{"id": f"x{i}", "text": one} for i, one in enumerate(sets)] if named and sets else sets
    reading: dict[str, Any] = {"id": "id"} if named and sets else {}
    result = la.dedupe(data, threshold=threshold, shingles="tokens", linkage=linkage, keep=keep, **plan, **reading)
    true, gone = true_pairs(sets, threshold), removed_from(result)
    missed = [(i, j) for i, j in true if i not in gone and j not in gone]
    names = (lambda row: f"x{row}") if reading else (lambda row: row)
    for audited in (result, result.removed):
        audit = la.audit(audited, data)
        assert audit.pair_recall is audit.cluster_recall is None
        assert audit.recall is audit.removal_recall
        assert audit.recall.value == fraction(len(true) - len(missed), len(true))
        listed = zip(audit.missed["left"].to_pylist(), audit.missed["right"].to_pylist(), strict=True)
        assert list(listed) == [(names(i), names(j)) for i, j in missed]
        assert sum(one.pairs for one in audit.by_similarity) == len(true)
        assert sum(one.found for one in audit.by_similarity) == len(true) - len(missed)
        similar = sum((min(pair), max(pair)) in set(true) for pair in gone.items())
        assert audit.precision.value == fraction(similar, len(gone))


def test_a_chain_is_handled_although_its_clusters_part_similar_documents() -> None:
    result = la.dedupe(CHAIN, threshold=0.6, shingles="tokens")
    assert la.audit(result, CHAIN).recall.value == la.audit(result, CHAIN).precision.value == 1
    clusters = la.find_clusters(CHAIN, threshold=0.6, shingles="tokens", linkage="star")
    assert la.audit(clusters, CHAIN).recall.value < 0.8
    chained = la.audit(la.dedupe(CHAIN, threshold=0.6, shingles="tokens", linkage="connected"), CHAIN)
    assert chained.recall.value == 1 and chained.precision.value == pytest.approx(2 / 11)


def test_rows_that_may_not_be_removed_do_not_count_as_missed(tmp_path: Path) -> None:
    """Pairs within the reference, of two protected rows, and decided pairs are not errors of the result."""
    texts = [" ".join(f"word{number}" for number in one) for one in CHAIN]
    data = [{"id": f"d{i}", "by": "us" if i % 2 else "them", "text": one} for i, one in enumerate(texts)]
    options: dict[str, Any] = {"threshold": 0.6, "shingles": "words:1", "id": "id"}
    against = la.dedupe(CHAIN[6:], against=CHAIN[:6], threshold=0.6, shingles="tokens")
    assert la.audit(against).recall.value == 1 and la.audit(against).recall.of == 12
    protected = la.dedupe(data, protect="where:by=us", **options)
    decisions = la.Decisions(tmp_path / "decisions.jsonl", data, id="id")
    decisions.different("d0", "d1", "d2")
    decisions.exclude("d7")
    decided = la.dedupe(data, decisions=decisions, **options)
    for place, result in (("protected", protected), ("decided", decided)):
        assert la.audit(result, data, id="id").recall.value == 1
        result.save(tmp_path / place)
        assert la.audit(tmp_path / place, data, id="id").recall.value == 1
        from_table = la.audit(result.removed, data, id="id")
        assert from_table.recall.value < 1  # the table does not say which rows were protected
        assert [warning.code for warning in from_table.warnings] == ["audit-counts-exempt"]


def test_a_document_that_must_be_contained_counts_only_if_it_is() -> None:
    whole, part, other = [*range(20)], [*range(18)], [*range(17), 98, 99]
    data = [whole, part, other]
    result = la.dedupe(data, threshold=0.7, shingles="tokens", remove="contained")
    audit = la.audit(result, data)
    assert result.removed["id"].to_pylist() == [1]
    assert (audit.recall.value, audit.recall.of, audit.precision.value) == (1, 1, 1)


@pytest.mark.parametrize("linkage", ["star", "connected"])
def test_estimates_from_samples_are_right_on_average_and_their_intervals_hold(linkage: Any) -> None:
    """The mean over many samples is the share that brute force counts."""
    corpus = families(1_200)
    result = la.dedupe(corpus, id="id", threshold=0.8, linkage=linkage, bands=9, rows=13)
    exact, gone = la.join(corpus, threshold=0.8), removed_from(result)
    ends = np.isin(exact.left_rows, [*gone]) | np.isin(exact.right_rows, [*gone])
    true = {"removal_recall": float(np.mean(ends))}
    known = set(zip(exact.left_rows.tolist(), exact.right_rows.tolist(), strict=True))
    true["precision"] = sum((min(pair), max(pair)) in known for pair in gone.items()) / len(gone)
    audits = [la.audit(result, corpus, sample=250, seed=seed) for seed in range(60)]
    for name, share in true.items():
        found = [getattr(audit, name) for audit in audits]
        values = np.array([one.value for one in found])
        assert abs(values.mean() - share) <= 4 * values.std() / np.sqrt(len(values)) + 0.002, name
        assert np.mean([one.low <= share <= one.high for one in found]) >= 0.9, name
    assert 0.5 < true["removal_recall"] < 1


def test_shares_survive_saving_and_json(tmp_path: Path) -> None:
    audit = la.audit(la.dedupe(CHAIN, threshold=0.6, shingles="tokens"), CHAIN)
    audit.save(tmp_path / "audit")
    assert la.load(tmp_path / "audit").to_dict() == audit.to_dict()
    about = json.loads(json.dumps(audit.to_dict()))
    assert about["cluster_recall"] is about["pair_recall"] is None and about["removal_recall"]["value"] == 1
