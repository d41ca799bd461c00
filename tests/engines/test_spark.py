"""The Spark engine gives the same pairs and clusters as the local engine, through the same interface."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import lookalike as la
from lookalike.testing import check_engine
from tests.corpora import corpus
from tests.properties.test_decisions import revisions

pytestmark = pytest.mark.spark


@pytest.fixture(scope="session")
def spark(spark_session: Any) -> Any:
    from lookalike.engines.spark import Spark

    return Spark(spark_session, rows_per_task=75)


@pytest.mark.parametrize("kind", ["file", "memory"])
def test_spark_finds_the_same_pairs_and_clusters(spark: Any, tmp_path: Path, kind: str) -> None:
    texts = corpus(300)
    table = pa.table({"name": [f"n{i}" for i in range(len(texts))], "text": texts})
    pq.write_table(table, tmp_path / "c.parquet", row_group_size=64)
    data = tmp_path / "c.parquet" if kind == "file" else table
    options: dict[str, Any] = {"id": "name", "threshold": 0.7, "shingles": "words:3"}

    local, there = la.find_pairs(data, **options), la.find_pairs(data, engine=spark, **options)
    assert there.to_arrow() == local.to_arrow() and len(local) > 50
    for count in ("documents", "empty", "short", "same_words", "candidates", "pairs", "bytes", "plan"):
        assert getattr(there.summary, count) == getattr(local.summary, count), count

    here = la.dedupe(data, keep="longest", **options)
    far = la.dedupe(data, keep="longest", engine=spark, **options)
    assert far.removed == here.removed and far.kept == here.kept


def test_spark_applies_rules_protected_rows_and_decisions(spark: Any, tmp_path: Path) -> None:
    data, options = revisions(tmp_path)
    here, there = la.dedupe(data, **options), la.dedupe(data, engine=spark, **options)
    assert there.removed.equals(here.removed) and there.summary.kept_by == here.summary.kept_by


@pytest.mark.slow  # otherwise its stages do, without a cluster: test_spark_serial.py
def test_spark_keeps_the_contract_of_engines_in_every_case(spark: Any) -> None:
    check_engine(spark, batch_rows=(1000,))


def test_spark_takes_an_empty_corpus_and_lists_of_tokens(spark: Any) -> None:
    assert len(la.find_pairs([], threshold=0.8, engine=spark)) == 0
    sets = [["a", "b", "c"], ["x"], ["c", "b", "a"], []]
    assert la.find_pairs(sets, threshold=0.8, engine=spark).top() == [(0, 2, 1.0)]


def test_nothing_but_counts_comes_to_the_driver(spark: Any, spark_session: Any, tmp_path: Path) -> None:
    """Texts and their sets exceed the limit on data sent to the driver, which Spark enforces."""
    assert spark_session.conf.get("spark.driver.maxResultSize") == "10m"
    rng = random.Random(6)
    texts = [" ".join(rng.choices([f"word{i}" for i in range(9_000)], k=10_000)) for _ in range(100)]
    texts += [text.replace("word7 ", "other ") for text in texts[:60]]
    assert sum(map(len, texts)) > 10 << 20 and 160 * 9_900 * 8 > 10 << 20
    pq.write_table(pa.table({"text": texts}), tmp_path / "c.parquet", row_group_size=40)
    for verb in (la.find_pairs, la.find_clusters):
        found = verb(tmp_path / "c.parquet", threshold=0.7, shingles="words:3", engine=spark)
        assert found.to_arrow() == verb(tmp_path / "c.parquet", threshold=0.7, shingles="words:3").to_arrow()
