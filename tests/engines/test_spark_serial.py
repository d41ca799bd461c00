"""Without Spark: its stages give the same answer as the local engine, wherever documents are compared."""

from __future__ import annotations

import random
from typing import Any

import pytest

import lookalike as la
from lookalike.engines.spark import Spark
from lookalike.testing import check_engine
from tests.corpora import KINDS
from tests.engines.serial import Serial
from tests.refusals import refused


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("how", [{"method": "lsh"}, {"method": "exact"}, {"method": "lsh", "verify": "signature"}])
def test_every_kind_of_corpus_gives_the_answer_of_the_local_engine(kind: str, how: dict[str, Any]) -> None:
    texts = KINDS[kind](300)
    engine = Spark(Serial(), rows_per_task=64, task_bytes=100_000, edges=50)
    for verb in (la.find_pairs, la.find_clusters):
        here = verb(texts, threshold=0.7, shingles="words:3", **how)
        assert verb(texts, threshold=0.7, shingles="words:3", engine=engine, **how).to_arrow() == here.to_arrow()


def under_one_heading(documents: int, words: int) -> list[str]:
    """Documents that begin with the same words, by which they share buckets, and end with different ones."""
    rng = random.Random(5)
    heading = [f"head{i}" for i in range(130)]
    return [" ".join(heading + rng.choices([f"word{i}" for i in range(900)], k=words)) for _ in range(documents)]


@pytest.mark.parametrize("task_bytes", [20_000, 60_000, 300_000])
def test_families_below_the_threshold_are_met_again_and_found_apart(task_bytes: int) -> None:
    """Their large buckets span several clusters, so all members are compared: some are similar after all."""
    texts = under_one_heading(260, 26)
    texts += [" ".join([*text.split()[:-1], "last"]) for text in texts[::9]]
    engine = Spark(Serial(), rows_per_task=100, task_bytes=task_bytes)
    options: dict[str, Any] = {"threshold": 0.8, "shingles": "words:3", "method": "lsh"}
    here, there = la.find_clusters(texts, **options), la.find_clusters(texts, engine=engine, **options)
    assert there.to_arrow() == here.to_arrow()
    assert max(here.sizes()) == 2 and there.summary.checked is not None and there.summary.checked > 0


def test_what_would_take_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = under_one_heading(150, 10)
    engine = Spark(Serial(), rows_per_task=100, task_bytes=20_000)
    options: dict[str, Any] = {"shingles": "words:3", "method": "lsh", "engine": engine}
    monkeypatch.setattr("lookalike.engines.spark.stages.MOST_SENT", 1)
    with refused("buckets-too-large", documents=150):
        la.find_clusters(texts, threshold=0.9, **options)
    for verb in (la.find_pairs, la.find_clusters):
        with refused("exact-join-too-large", documents=150):
            verb(texts, threshold=0.9, **options | {"method": "exact"})
    monkeypatch.setattr("lookalike.engines.spark.engine.MOST_PAIRS", 1000)
    with refused("too-many-pairs"):
        la.find_pairs(texts, threshold=0.5, **options)


def test_the_stages_keep_the_contract_of_engines_in_every_case() -> None:
    check_engine(Spark(Serial(), rows_per_task=75), batch_rows=(1000,))
