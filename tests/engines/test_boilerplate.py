"""Buckets of very many documents are counted and reported with their common shingles, in memory and from files."""

from __future__ import annotations

import random

import numpy as np
import pytest

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.stages import boilerplate as large_buckets
from lookalike.engines.stages.boilerplate import LargeBuckets, find_large_buckets
from lookalike.engines.stages.memory import Allowance
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
    options = {"shingles": "words:3", "threshold": 0.6, "method": "lsh"}
    found = la.find_clusters(texts, engine=Local(threads=1, allowance=allowance), **options)  # type: ignore[arg-type]
    (warning,) = found.summary.warnings
    assert isinstance(warning, Notice) and warning.code == "large-buckets" and warning.values["least"] == 50
    assert warning.values["shingles"][0] == "“please accept all”"
    again = la.find_clusters(texts, ignore_common=0.05, engine=Local(threads=1, allowance=allowance), **options)  # type: ignore[arg-type]
    assert again.summary.warnings == () and len(again) == 0
