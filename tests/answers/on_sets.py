"""Runs over sets and strings: pairs of token lists, joins by every measure, frequent pairs."""

from __future__ import annotations

from tests.answers.asking import Made, Run, ask

TEXTS, LATER, NAMES = Made("texts"), Made("later"), Made("names")
TOKENS, MORE, BASKETS = Made("tokens"), Made("more_tokens"), Made("baskets")

MEASURES: dict[str, dict[str, object]] = {
    "jaccard": {"threshold": "0.6"},
    "dice": {"threshold": "0.7"},
    "cosine": {"threshold": "0.7"},
    "overlap": {"threshold": "0.8"},
    "containment": {"threshold": "0.8"},
    "shared": {"threshold": 6},
    "sum-bag": {"threshold": "0.35"},
    "hamming": {"distance": 5},
}

JOINS: dict[str, Run] = {
    "join, texts": ask("join", TEXTS, threshold="0.5"),
    "join, texts, two": ask("join", TEXTS, LATER, threshold="0.5"),
    "join, texts, words:3 bag": ask("join", TEXTS, threshold="0.5", shingles="words:3", bag=True),
    "join, texts, chars:6 drop": ask("join", TEXTS, LATER, threshold="0.6", shingles="chars:6", whitespace="drop"),
    "join, texts, stopwords": ask("join", TEXTS, threshold="0.6", shingles="stopwords", case="keep"),
    "join, texts, 1 thread": ask("join", TEXTS, LATER, threshold="0.3", shingles="words:2", threads=1),
    "join, texts, 3 threads": ask("join", TEXTS, LATER, threshold="0.3", shingles="words:2", threads=3),
    "join, edit": ask("join", NAMES, measure="edit", distance=2),
    "join, levenshtein": ask("join", NAMES, measure="levenshtein", distance=2),
    "join, levenshtein, two": ask("join", NAMES, Made("towns"), measure="levenshtein", distance=3, threads=2),
    "join, edit, two": ask("join", NAMES, Made("towns"), measure="edit", distance=4),
    "join, levenshtein, folded": ask("join", NAMES, measure="levenshtein", distance=1, case="fold"),
    "join, levenshtein, top": ask("join", NAMES, Made("towns"), measure="levenshtein", distance=6, top=1),
    "join, one item per row": ask("join", Made("purchases"), basket="customer", column="product", threshold="0.5"),
}

SETS: dict[str, Run] = {
    "pairs, tokens": ask("find_pairs", TOKENS, threshold="0.5"),
    "pairs, tokens, bag": ask("find_pairs", TOKENS, threshold="0.5", bag=True),
    "pairs, tokens, reference": ask("find_pairs", TOKENS, threshold="0.5", engine="reference"),
    "pairs, tokens, runs of two": ask("find_pairs", TOKENS, threshold="0.4", shingles="tokens:2"),
    "pairs, tokens, signatures": ask("find_pairs", TOKENS, threshold="0.5", verify="signature"),
    "clusters, tokens": ask("find_clusters", TOKENS, threshold="0.4", method="lsh"),
    "clusters, tokens, ignore common": ask("find_clusters", BASKETS, threshold="0.6", ignore_common="0.2"),
    "pairs, one item per row": ask(
        "find_pairs", Made("purchases"), basket="customer", column="product", threshold="0.5"
    ),
    "pairs, one item per row, transposed": ask(
        "find_pairs", Made("purchases"), basket="customer", column="product", threshold="0.2", transpose=True
    ),
}

FREQUENT: dict[str, Run] = {
    f"frequent pairs, {method}": ask("frequent_pairs", BASKETS, support=15, method=method)
    for method in ("auto", "apriori", "pcy", "multistage", "multihash")
} | {
    "frequent pairs, share": ask("frequent_pairs", BASKETS, support="0.02"),
    "frequent pairs, little memory": ask("frequent_pairs", BASKETS, support=2, memory="1MiB", threads=2),
    "frequent pairs, pcy, little memory": ask("frequent_pairs", BASKETS, support=2, memory="1MiB", method="pcy"),
    "frequent pairs, one item per row": ask(
        "frequent_pairs", Made("purchases"), basket="customer", column="product", support=5
    ),
    "frequent pairs, transposed": ask(
        "frequent_pairs", Made("purchases"), basket="customer", column="product", support=2, transpose=True
    ),
    "frequent pairs, basket file": ask("frequent_pairs", "baskets.dat", support=10),
    "frequent pairs, csv": ask("frequent_pairs", "baskets.csv", support=10, format="baskets"),
    "frequent pairs, jsonl": ask("frequent_pairs", "items.jsonl", support=10),
    "frequent pairs, parquet": ask("frequent_pairs", "items.parquet", support=10, threads=1),
}


def _by_measure() -> dict[str, Run]:
    runs: dict[str, Run] = {}
    for measure, least in MEASURES.items():
        runs[f"join, {measure}"] = ask("join", TOKENS, measure=measure, **least)
        runs[f"join, {measure}, two"] = ask("join", TOKENS, MORE, measure=measure, **least)
        if measure != "hamming":
            runs[f"join, {measure}, top"] = ask("join", TOKENS, MORE, measure=measure, top=2)
    return runs


RUNS: dict[str, Run] = _by_measure() | JOINS | SETS | FREQUENT
