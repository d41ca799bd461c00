"""Runs with so little memory for their tables that these are spilled to files."""

from __future__ import annotations

from typing import Any

from tests.answers.adapters import ANSWERS, bytes_spilled, little_room
from tests.answers.asking import Made, Run, ask, call
from tests.answers.data import Data

HOW: dict[str, dict[str, object]] = {
    "lsh": {"method": "lsh"},
    "exact": {"method": "exact"},
    "by signature": {"verify": "signature"},
    "candidates": {"verify": "none"},
    "star": {"linkage": "star"},
}


def spilled(verb: str, source: Any, **options: Any) -> Run:
    """The answer of a run that spilled some of its tables."""

    def run(data: Data) -> Any:
        result = call(data, verb, source, engine=little_room(), **options)
        assert bytes_spilled(result) > 0, "everything fitted"
        return ANSWERS[verb](result)

    return run


RUNS: dict[str, Run] = {
    f"spilled, {verb}, {kind}": spilled(verb, Made("tokens"), threshold="0.5", **how)
    for verb in ("find_pairs", "find_clusters", "dedupe")
    for kind, how in HOW.items()
    if verb != "find_pairs" or "linkage" not in how
} | {
    "spilled, pages, clusters, lsh": spilled("find_clusters", Made("pages"), threshold="0.5", method="lsh"),
    "spilled, pages, clusters, exact": spilled("find_clusters", Made("pages"), threshold="0.5", method="exact"),
    "spilled, file, dedupe": spilled("dedupe", "items.jsonl", column="items", id="id", threshold="0.5", keep="last"),
    "spilled, against": spilled("dedupe", Made("tokens"), against=Made("more_tokens"), threshold="0.5"),
    "budget, pairs": ask("find_pairs", Made("texts"), threshold="0.5", memory="8GiB"),
    "budget, contamination": ask("contamination", "news.jsonl", "reference.jsonl", shingles="words:4", memory="8GiB"),
}
