"""faiss: near pairs by range search. Prints seconds and recalls as JSON.

    python contenders/faiss_vectors.py FILE.npz KIND EFFORT,EFFORT,… [NAME=VALUE …]

FILE contains unit vectors `x`, and the rows `left` and `right` of the pairs to find, whose inner product is at least
`least`. KIND is ivf (its effort is nprobe) or hnsw (its effort is efSearch). The index is built once and searched with
one effort after another until the recall is 0.99. Settings are threads, nlist, m, ef_construction and `searched`: if it
is given, both vectors of that many random pairs are the queries, and the seconds are extrapolated to all rows.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import faiss
import numpy as np

TARGET_RECALL = 0.99


def built(x: Any, kind: str, settings: dict[str, int]) -> Any:
    d = x.shape[1]
    if kind == "hnsw":
        index = faiss.IndexHNSWFlat(d, settings.get("m", 16), faiss.METRIC_INNER_PRODUCT)
        index.hnsw.efConstruction = settings.get("ef_construction", 40)
    else:
        nlist = settings["nlist"]
        quantizer = faiss.IndexFlatIP(d)
        index = faiss.IndexIVFFlat(quantizer, d, nlist, faiss.METRIC_INNER_PRODUCT)
        index.train(x[np.random.default_rng(0).choice(len(x), min(len(x), 40 * nlist), replace=False)])
    index.add(x)
    return index


def found(index: Any, x: Any, queries: Any, least: float, batch: int) -> set[int]:
    """Pairs of rows that were found; the pair (left, right) is returned as left · rows + right, with left < right."""
    pairs: set[int] = set()
    for i in range(0, len(queries), batch):
        some = queries[i : i + batch]
        ends, _, right = index.range_search(x[some], least)
        left, right = np.repeat(some, np.diff(ends.astype(np.int64))), right.astype(np.int64)
        pairs.update((np.minimum(left, right) * len(x) + np.maximum(left, right))[left != right].tolist())
    return pairs


def main(path: str, kind: str, efforts: str, *arguments: str) -> None:
    settings = {name: int(value) for name, value in (argument.split("=") for argument in arguments)}
    faiss.omp_set_num_threads(settings.get("threads", 1))
    data = np.load(path)
    x, least = np.ascontiguousarray(data["x"]), float(data["least"])
    wanted = data["left"] * len(x) + data["right"]
    queries = np.arange(len(x))
    if settings.get("searched", len(wanted)) < len(wanted):
        wanted = np.random.default_rng(0).choice(wanted, settings["searched"], replace=False)
        queries = np.unique(np.concatenate([wanted // len(x), wanted % len(x)]))
    scale = len(x) / len(queries)
    start, cpu = time.perf_counter(), time.process_time()
    index = built(x, kind, settings)
    build, build_cpu = time.perf_counter() - start, time.process_time() - cpu
    searches = []
    for effort in map(int, efforts.split(",")):
        if kind == "hnsw":
            index.hnsw.efSearch = effort
        else:
            index.nprobe = effort
        batch = 500 if kind == "hnsw" else 20_000  # larger HNSW searches fail an assertion in 1.15.1
        start, cpu = time.perf_counter(), time.process_time()
        pairs = found(index, x, queries, least, batch)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu
        recall = float(np.mean([pair in pairs for pair in wanted.tolist()]))
        searches.append({"effort": effort, "recall": recall, "seconds": seconds * scale, "cpu": cpu_seconds * scale})
        if recall >= TARGET_RECALL:
            break
    print(json.dumps({"build": build, "build_cpu": build_cpu, "scale": scale, "searches": searches}))


if __name__ == "__main__":
    main(*sys.argv[1:])
