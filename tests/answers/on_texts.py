"""Runs over texts: pairs and clusters, by every kind of shingle, method and engine."""

from __future__ import annotations

from tests.answers.adapters import saved, table
from tests.answers.asking import Made, Run, ask, call
from tests.answers.data import Data

TEXTS, FEW, MANY, PAGES, CHINESE = Made("texts"), Made("few"), Made("many"), Made("pages"), Made("chinese")

SHINGLES: dict[str, dict[str, object]] = {
    "auto": {},
    "words:5": {"shingles": "words:5"},
    "words:2 bag": {"shingles": "words:2", "bag": True},
    "words:1 32 bits": {"shingles": "words:1", "bits": 32},
    "words:3 case": {"shingles": "words:3", "case": "keep"},
    "words:3 raw": {"shingles": "words:3", "normalize": "none"},
    "symbols:3": {"shingles": "symbols:3"},
    "chars:5": {"shingles": "chars:5"},
    "chars:9 drop": {"shingles": "chars:9", "whitespace": "drop"},
    "chars:7 keep": {"shingles": "chars:7", "whitespace": "keep"},
    "chars:4 bag": {"shingles": "chars:4", "bag": True},
    "stopwords": {"shingles": "stopwords"},
    "ignore common": {"shingles": "words:3", "ignore_common": "0.3"},
}

HOW: dict[str, dict[str, object]] = {
    "exact": {"method": "exact"},
    "lsh": {"method": "lsh"},
    "recall 1": {"recall": 1},
    "recall 0.3": {"recall": 0.3, "method": "lsh"},
    "bands and rows": {"bands": 10, "rows": 3},
    "256 hashes": {"hashes": 256, "verify": "signature"},
    "classic": {"sketch": "classic", "verify": "signature"},
    "seed 7": {"seed": 7, "recall": 0.3, "method": "lsh"},
    "by signature": {"verify": "signature"},
    "candidates": {"verify": "none", "bands": 8, "rows": 3},
}

WORKING: dict[str, dict[str, object]] = {
    "1 thread": {"threads": 1},
    "3 threads": {"threads": 3},
    "batches of 7": {"batch_rows": 7, "threads": 2},
}


def _runs() -> dict[str, Run]:
    runs: dict[str, Run] = {}
    for kind, cut in SHINGLES.items():
        runs[f"pairs, texts, {kind}"] = ask("find_pairs", TEXTS, threshold="0.5", **cut)
        runs[f"pairs, reference, {kind}"] = ask("find_pairs", FEW, threshold="0.5", engine="reference", **cut)
    for kind, how in HOW.items():
        runs[f"pairs, {kind}"] = ask("find_pairs", TEXTS, threshold="0.4", shingles="words:2", **how)
        runs[f"pairs, reference, {kind}"] = ask(
            "find_pairs", FEW, threshold="0.4", shingles="words:2", engine="reference", **how
        )
    for kind, working in WORKING.items():
        runs[f"pairs, {kind}"] = ask("find_pairs", MANY, threshold="0.6", shingles="words:2", **working)
        runs[f"clusters, {kind}"] = ask("find_clusters", MANY, threshold="0.6", method="lsh", **working)
    for linkage in ("connected", "star"):
        for engine in ("local", "reference"):
            runs[f"clusters of a chain, {linkage}, {engine}"] = ask(
                "find_clusters", Made("chain"), threshold="0.6", linkage=linkage, engine=engine
            )
        runs[f"clusters of a chain, {linkage}, last"] = ask(
            "find_clusters", Made("chain"), threshold="0.6", linkage=linkage, keep="last"
        )
    return runs


def refined(data: Data) -> dict[str, object]:
    """Results derived from pairs that were found."""
    pairs = call(data, "find_pairs", TEXTS, threshold="0.5", shingles="words:2")
    clusters = pairs.clusters()
    return {
        "top": pairs.top(20),
        "of": pairs.of(pairs.top(1)[0][0]),
        "rethreshold": pairs.rethreshold("0.8").to_arrow(),
        "clusters": clusters.to_arrow(),
        "stars": pairs.clusters("star").to_arrow(),
        "members": clusters.members(),
        "sizes": clusters.sizes(),
        "representatives": clusters.representatives(),
    }


RUNS: dict[str, Run] = _runs() | {
    "clusters, pages": ask("find_clusters", PAGES, threshold="0.6"),
    "clusters, pages, stopwords": ask("find_clusters", PAGES, threshold="0.6", shingles="stopwords"),
    "clusters, pages, ignore common": ask("find_clusters", PAGES, threshold="0.6", ignore_common="0.3"),
    "clusters, exact": ask("find_clusters", MANY, threshold="0.4", method="exact"),
    "clusters, by signature": ask("find_clusters", MANY, threshold="0.4", verify="signature"),
    "clusters, candidates": ask("find_clusters", MANY, verify="none", bands=12, rows=4),
    "clusters, reference": ask("find_clusters", FEW, threshold="0.4", engine="reference"),
    "pairs, Chinese": ask("find_pairs", CHINESE, threshold="0.5"),
    "pairs, Chinese, reference": ask("find_pairs", CHINESE, threshold="0.5", engine="reference"),
    "pairs, descriptions": ask("find_pairs", Made("descriptions"), threshold="0.7"),
    "pairs, default options": ask("find_pairs", TEXTS),
    "pairs, default options, many": ask("find_pairs", MANY),
    "clusters, default options": ask("find_clusters", MANY),
    "clusters, longest": ask("find_clusters", TEXTS, keep="longest", threshold="0.6"),
    "pairs, refined": refined,
    "pairs, saved": lambda data: table(saved(call(data, "find_pairs", Made("table"), id="id", threshold="0.6"))),
    "pairs, saved without similarity": lambda data: table(
        saved(call(data, "find_pairs", TEXTS, verify="none", bands=8, rows=3))
    ),
    "clusters, saved": lambda data: table(saved(call(data, "find_clusters", TEXTS, keep="last", threshold="0.6"))),
}
