"""Buckets and clusters of very many documents are reported with their common shingles, in memory and from files."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.stages import boilerplate as large_buckets
from lookalike.engines.stages.boilerplate import LargeBuckets, find_large_buckets
from lookalike.engines.stages.memory import Allowance
from lookalike.flow import Documents
from lookalike.flow.arrays import Rows
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.notices import Notice

BANNER = "please accept all of our lovely cookies before you read on and then subscribe to the letter we send each week"


def pages(count: int) -> list[str]:
    rng = random.Random(3)
    return [f"{BANNER} {' '.join(f'w{rng.randrange(10**6)}' for _ in range(3))}" for _ in range(count)]


def test_hot_buckets_are_counted_band_by_band(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_buckets, "LEAST", 2)
    keys = np.array([[1, 5], [1, 5], [1, 5], [2, 5], [2, 6]], np.uint64)
    assert find_large_buckets(keys, np.arange(5)) == LargeBuckets(2, 4, [0, 1, 2, 3])
    assert find_large_buckets(keys, np.arange(2)) == LargeBuckets()
    assert LargeBuckets.from_json(LargeBuckets(2, 4, [0, 3]).to_json()) == LargeBuckets(2, 4, [0, 3])


@pytest.mark.parametrize("allowance", [None, Allowance(60_000, state=0)], ids=["in memory", "in files"])
def test_boilerplate_is_told_by_name_and_is_gone_once_it_is_ignored(
    monkeypatch: pytest.MonkeyPatch, allowance: Allowance | None
) -> None:
    monkeypatch.setattr(large_buckets, "LEAST", 50)
    texts = [*pages(200), *(f"{n} quite another text about number {n * n}" for n in range(200))]
    articles = [f"{BANNER} {' '.join(f'v{n * 100 + i}' for i in range(20))}" for n in range(20)]
    planted = [[400 + n, 420 + n] for n in range(20)]
    texts += articles + [f"{article} indeed" for article in articles]  # true near-duplicates stay together
    options = {"shingles": "words:3", "threshold": 0.6, "method": "lsh"}
    found = la.find_clusters(texts, engine=Local(threads=1, allowance=allowance), **options)  # type: ignore[arg-type]
    (warning,) = found.summary.warnings
    assert isinstance(warning, Notice) and warning.code == "large-buckets" and warning.values["least"] == 50
    assert warning.values["shingles"][0] == "“please accept all”"
    assert 0.1 < float(warning.values["share"]) <= warning.values["largest"] / len(texts) / 2
    assert max(map(len, found.members())) >= 200
    options["ignore_common"] = warning.values["share"]
    again = la.find_clusters(texts, engine=Local(threads=1, allowance=allowance), **options)  # type: ignore[arg-type]
    assert again.summary.warnings == () and again.members() == planted


@pytest.mark.parametrize("allowance", [None, Allowance(60_000, state=0)], ids=["in memory", "in files"])
@pytest.mark.parametrize("verb", [la.find_pairs, la.find_clusters, la.dedupe])
def test_a_large_cluster_of_an_exact_join_is_reported_with_its_common_shingles(
    monkeypatch: pytest.MonkeyPatch, allowance: Allowance | None, verb: Callable[..., Any]
) -> None:
    texts = [text for page in pages(200) for text in (page, f"{page} {page}")]
    texts += [f"{n} quite another text about number {n * n}" for n in range(200)]
    options: dict[str, Any] = {"shingles": "words:3", "threshold": 0.5, "method": "exact"}
    monkeypatch.setattr(large_buckets, "LEAST", 400)
    assert verb(texts, engine=Local(threads=1, allowance=allowance), **options).summary.warnings == ()
    monkeypatch.setattr(large_buckets, "LEAST", 399)
    (warning,) = verb(texts, engine=Local(threads=1, allowance=allowance), **options).summary.warnings
    assert warning.code == "large-cluster" and warning.values["largest"] == 400
    assert warning.values["shingles"][0] == "“please accept all”"
    assert warning.values["share"] == "0.33"  # half of 400 in 600
    options["ignore_common"] = warning.values["share"]
    found = verb(texts, engine=Local(threads=1, allowance=allowance), **options)
    assert found.summary.warnings == ()


def test_copies_do_not_make_a_cluster_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_buckets, "LEAST", 20)
    texts = pages(20) + ["one and the same text"] * 50
    assert la.find_clusters(texts, shingles="words:3", threshold=0.6, method="exact").summary.warnings == ()


def test_members_that_are_close_together_are_quoted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_buckets, "LEAST", 50)
    monkeypatch.setattr(large_buckets, "FAR", 90)
    monkeypatch.setattr(large_buckets, "SAMPLED", 8)
    read: list[int] = []

    def noted(source: Source, rows: Rows) -> dict[int, Any]:
        read.extend(rows.tolist())
        return read_texts(source, rows)

    monkeypatch.setattr(large_buckets, "read_texts", noted)
    la.find_clusters(pages(200), shingles="words:3", threshold=0.5, method="exact")
    assert len(read) == 8 and read[0] == 0 and read[-1] == 89


class Pages:
    """Documents by row, as an engine reads them again."""

    def __init__(self, texts: list[str]) -> None:
        self.texts = texts

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        yield Documents.from_texts(self.texts[start:stop])


def test_no_value_is_named_if_documents_stay_similar_without_their_common_shingles() -> None:
    families = [" ".join(f"{name}{i}" for i in range(60)) for name in "ab"]
    texts = [f"{BANNER} {families[n % 2]} n{n}" for n in range(40)]
    found = LargeBuckets(1, 40, list(range(40)))
    plan = la.Plan(shingles="words:3", threshold=0.8).resolve()
    (warning,) = found.warnings(plan, Pages(texts), 100)
    assert warning.values["share"] is None and "ignore" not in str(warning)
    (warning,) = found.warnings(plan, Pages([f"{families[0]} n{n}" for n in range(40)]), 1000)
    assert warning.values["share"] == "0.02"  # variants of one text cannot be told from boilerplate
