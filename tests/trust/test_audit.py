"""`audit` counts what brute force counts, for every kind of result and any size of blocks."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.errors import InvalidOption, NoInput
from lookalike.flow.progress import silent
from lookalike.io.open import open_source
from lookalike.joins import all_pairs, blocks, similarity_measure
from lookalike.notices import Notice
from lookalike.storage import budget
from lookalike.trust import true_partners as truth
from lookalike.trust.reported_pairs import Reported
from lookalike.trust.sampling import Chances, read_sample
from tests.joins.strategies import collections
from tests.refusals import refused
from tests.trust.families import families, true_shares

BAD: dict[str, Any] = {"bands": 2, "rows": 12}
"""Bands that miss many of the pairs at 0.8."""

thresholds = st.sampled_from(["0.5", "0.8", "1"])


def wanted(sets: list[list[int]], threshold: str) -> list[tuple[int, int]]:
    return [(i, j) for i, j, _ in all_pairs(sets, measure=similarity_measure("jaccard", threshold))]


def fraction(part: int, whole: int) -> Any:
    return pytest.approx(part / whole if whole else np.nan, nan_ok=True)


@given(collections(), thresholds, st.booleans(), st.sampled_from([BAD, {}, {"verify": "none", "bands": 16, "rows": 2}]))
def test_an_audit_of_all_documents_counts_what_brute_force_counts(
    sets: list[list[int]], threshold: str, named: bool, plan: dict[str, Any]
) -> None:
    data = [{"id": f"x{i}", "text": one} for i, one in enumerate(sets)] if named and sets else sets
    reading: dict[str, Any] = {"id": "id"} if named and sets else {}
    found = la.find_pairs(data, threshold=threshold, shingles="tokens", **plan, **reading)
    audit = la.audit(found, data)
    true, reported = wanted(sets, threshold), set(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True))
    missed = [pair for pair in true if pair not in reported]
    assert audit.pair_recall is not None
    assert audit.pair_recall.value == fraction(len(true) - len(missed), len(true))
    assert audit.precision.value == fraction(len(reported & set(true)), len(reported))
    labels = found.clusters().labels
    assert audit.cluster_recall is not None
    assert audit.cluster_recall.value == fraction(sum(labels[i] == labels[j] for i, j in true), len(true))
    names = (lambda i: f"x{i}") if reading else (lambda i: i)
    listed = list(zip(audit.missed["left"].to_pylist(), audit.missed["right"].to_pylist(), strict=True))
    assert listed == [(names(i), names(j)) for i, j in missed]
    assert sum(one.pairs for one in audit.by_similarity) == audit.pair_recall.of == len(true)
    assert audit.with_partners == len({end for pair in true for end in pair})


@given(collections(), thresholds, st.booleans())
def test_an_audit_of_clusters_counts_what_brute_force_counts(
    sets: list[list[int]], threshold: str, named: bool
) -> None:
    data = [{"id": f"x{i}", "text": one} for i, one in enumerate(sets)] if named and sets else sets
    options: dict[str, Any] = {"threshold": threshold, "shingles": "tokens", **BAD}
    options |= {"id": "id"} if named and sets else {}
    clusters = la.find_clusters(data, **options)
    true, labels = wanted(sets, threshold), clusters.labels
    share = fraction(sum(labels[i] == labels[j] for i, j in true), len(true))
    for result in (clusters, clusters.to_arrow()):
        audit = la.audit(result, data)
        assert audit.pair_recall is audit.removal_recall is None
        assert audit.recall is audit.cluster_recall
        assert audit.recall.value == share
        assert audit.precision.value in (1, pytest.approx(np.nan, nan_ok=True))
        assert audit.missed.num_rows == sum(labels[i] != labels[j] for i, j in true)


@given(collections(), st.integers(1, 8), st.integers(0, 3))
def test_a_sample_counts_the_pairs_of_its_documents(sets: list[list[int]], sample: int, seed: int) -> None:
    found = la.find_pairs(sets, threshold="0.5", shingles="tokens", **BAD)
    audit = la.audit(found, sets, sample=sample, seed=seed)
    reported = Reported.of(found)
    partners = reported.partner_counts()
    chances = Chances(len(sets), sample, partners.counts)
    chance_of = lambda rows, ids: chances.of(partners.of(rows, ids))  # noqa: E731
    options: dict[str, Any] = {"sample": sample, "seed": seed, "threads": 1, "progress": silent}
    chosen = read_sample(open_source(sets), reported.plan, chance_of, **options).rows
    assert len({*chosen.tolist()}) == audit.sample == min(sample, len(sets))
    true = wanted(sets, "0.5")
    assert audit.recall.of == sum(i in chosen or j in chosen for i, j in true)


@settings(max_examples=20)
@given(collections(), st.integers(1, 3), st.integers(1, 300), st.integers(1, 4))
def test_the_size_of_blocks_does_not_matter(sets: list[list[int]], most: int, block: int, rows: int) -> None:
    found = la.find_pairs(sets, threshold="0.5", shingles="tokens", **BAD)
    whole = la.audit(found, sets, sample=6)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(truth, "MOST", most)
        patch.setattr(blocks, "BLOCK", block)
        patch.setattr(truth, "size_of", lambda sets: 1)
        cut = la.audit(found, sets, sample=6, batch_rows=rows)
    assert cut.to_dict() == whole.to_dict() and cut.missed.equals(whole.missed)


def covered(corpus: pa.Table, seeds: int, sample: int, **plan: Any) -> dict[str, tuple[float, float]]:
    """How often the intervals of pair and cluster recall contain the true value, and their greatest width."""
    result = la.find_pairs(corpus, id="id", threshold=0.8, **plan)
    true = dict(zip(("pair_recall", "cluster_recall"), true_shares(corpus, result), strict=True))
    audits = [la.audit(result, corpus, sample=sample, seed=seed) for seed in range(seeds)]
    shares = {name: [getattr(audit, name) for audit in audits] for name in true}
    return {
        name: (
            float(np.mean([share.low <= true[name] <= share.high for share in shares[name]])),
            max(share.width for share in shares[name]),
        )
        for name in true
    }


@pytest.mark.parametrize("plan", [{}, {"bands": 9, "rows": 13}], ids=["good", "bad"])
def test_intervals_contain_the_true_recall(plan: dict[str, int]) -> None:
    found = covered(families(3_000), 20, 600, **plan)
    assert min(share for share, _ in found.values()) >= 0.9


@pytest.mark.slow
@pytest.mark.parametrize("plan", [{}, {"bands": 12, "rows": 7}, {"bands": 9, "rows": 13}], ids=["good", "fair", "bad"])
def test_intervals_contain_the_true_recall_over_200_seeds(plan: dict[str, int]) -> None:
    found = covered(families(10_000), 200, 1_000, **plan)
    assert min(share for share, _ in found.values()) >= 0.93
    if not plan:
        assert max(width for _, width in found.values()) <= 0.02


def test_poor_bands_are_found_to_miss_pairs() -> None:
    corpus = families(2_000)
    result = la.find_pairs(corpus, id="id", threshold=0.8, bands=9, rows=13)
    share, together = true_shares(corpus, result)
    audit = la.audit(result, corpus, sample=2_000)
    assert audit.pair_recall is not None
    assert audit.pair_recall.value == pytest.approx(share) and share < 0.8
    assert audit.cluster_recall is not None and audit.cluster_recall.value == pytest.approx(together)
    assert audit.expected == pytest.approx(share, abs=0.05)  # the plan predicts the same
    ranges = [one for one in audit.by_similarity if one.pairs]
    found, expected = zip(*((one.found / one.pairs, one.expected) for one in ranges), strict=True)
    assert list(expected) == sorted(expected) and found[0] < 0.6 and found[-1] == 1


def test_shingles_that_the_plan_ignores_are_ignored_by_the_audit() -> None:
    """Without common shingles the documents share little; with them every two are similar."""
    notice = [f"notice{i}" for i in range(60)]
    texts = [[*notice, *(f"own{row // 2}-{i}" for i in range(10))] for row in range(20)]
    every = la.find_pairs(texts, threshold=0.7, shingles="tokens")
    few = la.find_pairs(texts, threshold=0.7, shingles="tokens", ignore_common=0.5)
    assert (len(every), len(few)) == (190, 10)
    for found in (every, few):
        audit = la.audit(found, texts)
        assert audit.recall.value == audit.precision.value == 1 and audit.recall.of == audit.precision.of == len(found)


def test_a_result_finds_its_files_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(families(300), "corpus.parquet")
    pairs = la.find_pairs("corpus.parquet", id="id", threshold=0.8, **BAD)
    pq.write_table(pairs.to_arrow(), "pairs.parquet")
    pairs.save("folder")
    there = la.audit(pairs)
    assert there.source == "corpus.parquet" and there.documents == 300 and not there.warnings
    for place in ("pairs.parquet", Path("pairs.parquet"), "folder"):
        assert la.audit(place).to_dict() == there.to_dict()
    pq.write_table(families(300), "corpus.parquet", compression="none")
    (warning,) = la.audit(pairs).warnings
    assert isinstance(warning, Notice) and warning.code == "input-differs-from-result"
    Path("corpus.parquet").rename("moved.parquet")
    assert la.audit(pairs, "moved.parquet").recall == there.recall
    with pytest.raises(NoInput):
        la.audit(pairs)


def test_repeated_ids_work_with_a_result_object_and_are_refused_with_a_table() -> None:
    # Rows with equal ids were once taken for one row: recall was too low, and precision above 1.
    corpus = families(50)
    names = [f"{position % 7}" for position in range(corpus.num_rows)]
    repeated = corpus.set_column(corpus.column_names.index("id"), "id", [names])
    pairs = la.find_pairs(repeated, id="id", threshold=0.5, **BAD)
    audit, wanted = la.audit(pairs, repeated), la.audit(la.find_pairs(corpus, threshold=0.5, **BAD), corpus)
    assert audit.pair_recall == wanted.pair_recall
    assert audit.precision == wanted.precision
    assert audit.cluster_recall == wanted.cluster_recall
    with refused("audit-repeated-id"):
        la.audit(pairs.to_arrow(), repeated, id="id")


def test_a_memory_budget_does_not_change_results_and_too_little_is_refused() -> None:
    corpus = families(200)
    pairs = la.find_pairs(corpus, threshold=0.5, **BAD)
    too_little = 64 << 20  # less than Python takes: memory that earlier tests have freed may be returned meanwhile
    with refused("memory-too-small"):
        la.audit(pairs, corpus, memory=too_little)
    audit, wanted = la.audit(pairs, corpus, memory=budget.resident() + (1 << 30)), la.audit(pairs, corpus)
    assert audit.pair_recall == wanted.pair_recall
    with refused("sets-outgrow-memory"):
        la.contamination(corpus, corpus, memory=too_little)
    assert len(la.contamination(corpus, corpus, memory=budget.resident() + (1 << 30))) == corpus.num_rows


@given(st.integers(0, 1 << 30), st.integers(0, 8 << 30))
def test_a_block_and_the_sets_it_is_joined_with_fit_into_the_budget(held: int, free: int) -> None:
    given = budget.Budget(budget.resident() + free)
    try:
        size = blocks.block_size(held, "sets", given)
    except InvalidOption:
        return
    assert blocks.SMALLEST_BLOCK <= size <= max(blocks.BLOCK, held)
    moved = 64 << 20  # the memory of this process may change between the two calls
    assert blocks.READING + blocks.HELD_OVERHEAD * held + blocks.JOIN_OVERHEAD * size <= free + moved


def with_column(result: Any, name: str, values: list[Any]) -> pa.Table:
    table = result.to_arrow()
    return table.set_column(table.column_names.index(name), name, pa.array(values))


def with_metadata(result: Any, name: str, value: bytes) -> pa.Table:
    table = result.to_arrow()
    return table.replace_schema_metadata({**table.schema.metadata, name.encode(): value})


def test_a_result_of_data_in_memory_is_audited_without_naming_the_data_again() -> None:
    """`pairs.show()` knew the data, but `audit(pairs)` asked for it."""
    texts = [" ".join(map(str, tokens)) for tokens in families(50)["text"].to_pylist()]
    others: dict[str, Any] = {"threshold": 0.8, "shingles": "words:2"}
    pairs = la.find_pairs(texts, **others)
    assert la.audit(pairs).to_dict() == la.audit(pairs, texts).to_dict()
    for result in (
        la.find_clusters(iter(texts), **others),
        la.dedupe(texts, **others),
        la.dedupe(texts[20:], against=texts[:20], **others),
        la.find_pairs(texts, tokenizer=str.split, threshold=0.5),
    ):
        assert la.audit(result).documents == 50
    texts.append("another text")
    with refused("data-differs-from-result"):
        la.audit(pairs)


def test_invalid_results_and_options_are_refused(tmp_path: Path) -> None:
    corpus = families(50)
    pairs = la.find_pairs(corpus, id="id", threshold=0.8)
    clusters = la.find_clusters(corpus, id="id", threshold=0.8)
    (tmp_path / "damaged.parquet").write_bytes(b"PAR1 and no more")
    (tmp_path / "pairs.csv").write_text("left,right,similarity\n", encoding="utf-8")
    bare = pairs.to_arrow().replace_schema_metadata(None)
    by_row = la.find_pairs(corpus, threshold=0.8)
    calls: list[tuple[str, dict[str, Any], Any, dict[str, Any]]] = [
        ("no-result-at-path", {"path": str(tmp_path / "nothing")}, tmp_path / "nothing", {}),
        ("result-not-parquet", {"path": str(tmp_path / "pairs.csv")}, tmp_path / "pairs.csv", {}),
        ("result-not-parquet", {"path": str(tmp_path)}, tmp_path, {}),
        ("result-unreadable", {}, tmp_path / "damaged.parquet", {}),
        ("result-without-plan", {}, bare, {"data": corpus}),
        ("not-a-result-table", {"columns": ("id", "text")}, corpus, {"data": corpus}),
        ("not-a-result", {"type": "int"}, 7, {"data": corpus}),
        ("not-a-whole-number", {"option": "sample", "least": 1}, pairs, {"data": corpus, "sample": 0}),
        ("not-a-whole-number", {"option": "seed", "least": 0}, pairs, {"data": corpus, "seed": -1}),
        ("audit-documents-differ", {"expected": 50, "found": 49}, pairs, {"data": corpus.slice(1)}),
        ("audit-documents-differ", {"expected": 50, "found": 100}, clusters, {"data": pa.concat_tables([corpus] * 2)}),
        ("result-table-damaged", {}, with_column(clusters, "size", [None] * 50), {"data": corpus}),
        ("result-table-damaged", {}, with_column(clusters, "cluster", ["x"] * 50), {"data": corpus}),
        ("result-table-damaged", {}, with_column(pairs, "left", [0.5] * len(pairs)), {"data": corpus}),
        ("result-table-damaged", {}, with_metadata(pairs, "lookalike.documents", b"x"), {"data": corpus}),
        ("result-table-damaged", {}, with_metadata(pairs, "lookalike.plan", b"\xff"), {"data": corpus}),
        ("audit-unknown-id", {}, pairs, {"data": corpus.set_column(0, "id", [[*"abcdefghij"] * 5])}),
        ("audit-order-differs", {}, clusters, {"data": corpus.take(pa.array([*range(49, -1, -1)]))}),
        ("audit-id-types-differ", {"type": "int64"}, by_row, {"data": corpus, "id": "id"}),
    ]
    for code, values, result, options in calls:
        with refused(code, **values):
            la.audit(result, **options)
    with refused("result-without-files"):
        la.audit(pickle.loads(pickle.dumps(pairs)))
    with refused("unknown-option", verb="audit", option="recall"):
        la.audit(pairs, corpus, recall=1)  # type: ignore[call-arg]


def test_a_deduplication_against_a_reference_can_be_audited_but_its_table_cannot() -> None:
    corpus, old = families(200), families(200, seed=2).slice(0, 50)
    both = pa.concat_tables([old, corpus])
    result = la.dedupe(both.slice(50), against=both.slice(0, 50), threshold=0.8)
    assert la.audit(result, both).recall.value == 1
    with refused("removed-against-reference"):
        la.audit(result.removed, both)


def test_the_recall_of_an_empty_corpus_is_unknown() -> None:
    audit = la.audit(la.find_pairs([], threshold=0.8), [])
    assert audit.recall.of == 0 and "unknown" in str(audit.recall)
    assert audit.to_dict()["pair_recall"] == {"value": None, "interval": [0.0, 1.0], "pairs": 0}
