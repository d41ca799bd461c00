"""Runs over vectors and packed bits: near pairs and nearest neighbours by every measure."""

from __future__ import annotations

from tests.answers.asking import Made, Run, ask

VECTORS, QUERIES, WEIGHTS, BITS = Made("vectors"), Made("queries"), Made("weights"), Made("bits")

PAIRS: dict[str, tuple[Made, dict[str, object]]] = {
    "cosine": (VECTORS, {"threshold": "0.9"}),
    "euclidean": (VECTORS, {"distance": 1.5}),
    "weighted jaccard": (WEIGHTS, {"threshold": "0.75"}),
    "jaccard": (BITS, {"threshold": "0.8"}),
    "hamming": (BITS, {"distance": 9}),
}

NEAREST: dict[str, tuple[Made, Made]] = {
    "cosine": (VECTORS, QUERIES),
    "euclidean": (VECTORS, QUERIES),
    "weighted jaccard": (WEIGHTS, Made("weight_queries")),
    "jaccard": (BITS, Made("bit_queries")),
    "hamming": (BITS, Made("bit_queries")),
}


def _runs() -> dict[str, Run]:
    runs: dict[str, Run] = {}
    for measure, (data, least) in PAIRS.items():
        for method in ("auto", "exact", "lsh"):
            options = {"measure": measure, "method": method} | least
            runs[f"near pairs, {measure}, {method}"] = ask("find_pairs", data, **options)
    for measure, (data, queries) in NEAREST.items():
        runs[f"nearest, {measure}"] = ask("nearest", data, queries, measure=measure, top=4)
        runs[f"nearest, {measure}, one collection"] = ask("nearest", data, measure=measure, top=3, recall=1)
    return runs


RUNS: dict[str, Run] = _runs() | {
    "near pairs, doubles": ask("find_pairs", Made("doubles"), measure="cosine", threshold="0.95"),
    "near pairs, lists": ask("find_pairs", Made("lists"), measure="euclidean", distance=1),
    "near pairs, npy": ask("find_pairs", "vectors.npy", measure="cosine", threshold="0.95", threads=1),
    "near pairs, parquet": ask("find_pairs", "vectors.parquet", measure="cosine", threshold="0.9", id="name"),
    "near pairs, table": ask(
        "find_pairs", Made("vector_table"), measure="euclidean", distance=2, id="name", column="vector"
    ),
    "near pairs, low recall": ask(
        "find_pairs", VECTORS, measure="cosine", threshold="0.8", method="lsh", recall=0.4, seed=3
    ),
    "nearest, lsh": ask("nearest", VECTORS, QUERIES, method="lsh", recall=0.5, seed=2),
    "nearest, npy": ask("nearest", "vectors.npy", "queries.npy", top=2, measure="euclidean", threads=2),
    "nearest, parquet": ask("nearest", "vectors.parquet", "queries.npy", top=2, id="name", query_id=None),
}
