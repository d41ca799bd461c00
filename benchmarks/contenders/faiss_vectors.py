"""Near pairs by range search of faiss: FILE.npz KIND EFFORT,EFFORT,… [NAME=VALUE …] → seconds and recalls, as JSON.

FILE has unit vectors `x`, and `left` and `right`, pairs that have to be found above the inner product `least`. KIND is
ivf, whose effort is nprobe, or hnsw, whose effort is efSearch. The index is built once and searched with effort after
effort until the recall is 0.99. Settings: threads, nlist, m, ef_construction, and `searched`: both ends of so many
pairs, drawn at random, are the queries, and the seconds of all rows are extrapolated from theirs.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

import faiss
import numpy as np

ENOUGH = 0.99


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
    """Pairs of rows, as the lesser · rows + the greater."""
    pairs: set[int] = set()
    for i in range(0, len(queries), batch):
        some = queries[i : i + batch]
        ends, _, right = index.range_search(x[some], least)
        left, right = np.repeat(some, np.diff(ends.astype(np.int64))), right.astype(np.int64)
        pairs.update((np.minimum(left, right) * len(x) + np.maximum(left, right))[left != right].tolist())
    return pairs


def main(path: str, kind: str, efforts: str, *given: str) -> None:
    settings = {name: int(value) for name, value in (one.split("=") for one in given)}
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
        batch = 500 if kind == "hnsw" else 20_000  # in 1.15.1 a longer search of that kind ends in an assertion
        start, cpu = time.perf_counter(), time.process_time()
        pairs = found(index, x, queries, least, batch)
        taken, taken_cpu = time.perf_counter() - start, time.process_time() - cpu
        recall = float(np.mean([pair in pairs for pair in wanted.tolist()]))
        searches.append({"effort": effort, "recall": recall, "seconds": taken * scale, "cpu": taken_cpu * scale})
        if recall >= ENOUGH:
            break
    print(json.dumps({"build": build, "build_cpu": build_cpu, "scale": scale, "searches": searches}))


if __name__ == "__main__":
    main(*sys.argv[1:])
