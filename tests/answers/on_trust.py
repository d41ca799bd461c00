"""Runs that check others: audits, contamination, forecasts, plans, and the comparison of two texts."""

from __future__ import annotations

from typing import Any

import lookalike as la
from tests.answers.adapters import audited, plan
from tests.answers.asking import Made, Run, ask, call
from tests.answers.data import Data

TEXTS, LATER, MANY = Made("texts"), Made("later"), Made("many")

SOME = "The ferries stay in port until Friday, said the harbour master. No one was hurt, and the storm has passed."
OTHER = "Nobody was hurt. The ferries stay in port until Friday, said the Harbour Master, and the storm has passed!"


def audit(verb: str, source: Any, seed: int = 0, sample: int = 200, **options: Any) -> Run:
    """The audit of a run that finds too little, so that something was missed."""

    def run(data: Data) -> Any:
        result = call(data, verb, source, **options)
        return audited(call(data, "audit", result, source, sample=sample, seed=seed))

    return run


def chosen_bands(threshold: float, recall: float, hashes: int) -> Run:
    def run(_: Data) -> Any:
        chosen = la.choose_bands(threshold, recall, hashes)
        return [chosen.bands, chosen.rows]

    return run


def resolved_plan(source: Any, reading: dict[str, Any] | None = None, **options: Any) -> Run:
    def run(data: Data) -> Any:
        return plan(call(data, "resolve_plan", source, la.Plan(**options), **(reading or {})))

    return run


RUNS: dict[str, Run] = {
    "audit, pairs": audit("find_pairs", TEXTS, threshold="0.4", recall=0.4, method="lsh", shingles="words:2"),
    "audit, pairs, all": audit("find_pairs", TEXTS, threshold="0.4", recall=0.4, method="lsh", sample=10_000),
    "audit, clusters": audit("find_clusters", MANY, threshold="0.4", recall=0.4, method="lsh", seed=5),
    "audit, dedupe": audit("dedupe", TEXTS, threshold="0.4", recall=0.4, method="lsh", seed=2),
    "audit, tokens": audit("find_pairs", Made("tokens"), threshold="0.4", bands=6, rows=4),
    "audit, by signature": audit("find_pairs", TEXTS, threshold="0.5", verify="signature"),
    "audit, file": audit("find_pairs", "news.jsonl", id="id", threshold="0.5", bands=5, rows=5),
    "contamination, texts": ask("contamination", TEXTS, LATER, threshold="0.5", shingles="words:3"),
    "contamination, default": ask("contamination", LATER, TEXTS),
    "contamination, top": ask("contamination", TEXTS, LATER, threshold="0.3", shingles="chars:8", top=3, threads=2),
    "contamination, tokens": ask("contamination", Made("tokens"), Made("more_tokens"), threshold="0.6"),
    "contamination, files": ask(
        "contamination", "news.parquet", "later.jsonl", id="id", test_id="key", test_column="body", shingles="words:4"
    ),
    "forecast, exact": ask("forecast", TEXTS, threshold="0.5", method="exact"),
    "forecast, lsh": ask("forecast", MANY, threshold="0.5", method="lsh"),
    "forecast, auto": ask("forecast", MANY),
    "forecast, clusters": ask("forecast", MANY, goal="clusters", threshold="0.6", shingles="words:2"),
    "forecast, tokens": ask("forecast", Made("tokens"), threshold="0.5"),
    "forecast, file": ask("forecast", "news.parquet", threshold="0.5", threads=1),
    "compare, auto": ask("compare", SOME, OTHER),
    "compare, words:2": ask("compare", SOME, OTHER, shingles="words:2"),
    "compare, bag of characters": ask("compare", SOME, OTHER, shingles="chars:3", bag=True),
    "compare, case": ask("compare", SOME, OTHER, shingles="words:3", case="keep"),
    "compare, stopwords": ask("compare", SOME, OTHER, shingles="stopwords"),
    "compare, Chinese": ask("compare", "今天東京的天氣很好，大家都出門。", "大家都出門，今天東京的天氣不好。"),
    "compare, tokens": ask("compare", ["a", "b", "c", "a"], ["c", "a", "b", "d"]),
    "compare, empty": ask("compare", "", "one"),
    "bands, default": chosen_bands(0.8, 0.99, 128),
    "bands, low threshold": chosen_bands(0.3, 0.9, 256),
    "plan, texts": resolved_plan(TEXTS),
    "plan, many": resolved_plan(MANY, threshold="0.5"),
    "plan, long texts": resolved_plan(Made("pages"), threshold="0.9"),
    "plan, tokens": resolved_plan(Made("tokens"), threshold="0.3", recall=0.9),
    "plan, file": resolved_plan("news.csv", {"id": "id"}, threshold="0.7", hashes=64),
    "plan, ignore common": resolved_plan(Made("pages"), ignore_common="0.3"),
}
