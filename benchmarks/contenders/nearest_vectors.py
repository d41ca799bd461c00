"""The nearest neighbours of queries, found by one library: prints the times of its index, and of searches with
increasing effort until a recall of 0.999, as JSON.

    python nearest_vectors.py FILE.npz KIND

FILE.npz contains x (the vectors), y (the queries) and truth (the rows of the exact neighbours of each query). Vectors
have unit length, so that products rank like cosines. KIND is flat, ivf, hnsw (of faiss), hnswlib or usearch. One thread
is used.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

EFFORTS = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
M, CONSTRUCTION = 16, 100
"""The links per node of a graph, and the effort of building it: the settings that the libraries suggest for a start."""


def timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    began, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - began, time.process_time() - cpu


def index_of(kind: str, x: Any, top: int) -> tuple[Callable[[], Any], Callable[[Any, int], Callable[[Any], Any]]]:
    """Two functions: one builds the index; the other sets the effort of a search, and returns the search."""
    if kind in ("flat", "ivf", "hnsw"):
        import faiss

        faiss.omp_set_num_threads(1)
        d = x.shape[1]

        def build() -> Any:
            if kind == "flat":
                index = faiss.IndexFlatIP(d)
            elif kind == "ivf":
                index = faiss.IndexIVFFlat(
                    faiss.IndexFlatIP(d), d, round(4 * len(x) ** 0.5), faiss.METRIC_INNER_PRODUCT
                )
                index.train(x)
            else:
                index = faiss.IndexHNSWFlat(d, M, faiss.METRIC_INNER_PRODUCT)
                index.hnsw.efConstruction = CONSTRUCTION
            index.add(x)
            return index

        def search(index: Any, effort: int) -> Callable[[Any], Any]:
            if kind == "ivf":
                index.nprobe = effort
            elif kind == "hnsw":
                index.hnsw.efSearch = effort
            return lambda y: index.search(y, top)[1]

        return build, search
    if kind == "hnswlib":
        import hnswlib

        def build_hnswlib() -> Any:
            index = hnswlib.Index(space="ip", dim=x.shape[1])
            index.init_index(max_elements=len(x), M=M, ef_construction=CONSTRUCTION, random_seed=1)
            index.set_num_threads(1)
            index.add_items(x)
            return index

        def search_hnswlib(index: Any, effort: int) -> Callable[[Any], Any]:
            index.set_ef(max(effort, top))
            return lambda y: index.knn_query(y, top)[0]

        return build_hnswlib, search_hnswlib
    from usearch.index import Index

    def build_usearch() -> Any:
        index = Index(ndim=x.shape[1], metric="ip", dtype="f32", connectivity=M, expansion_add=CONSTRUCTION)
        index.add(np.arange(len(x)), x, threads=1)
        return index

    def search_usearch(index: Any, effort: int) -> Callable[[Any], Any]:
        index.expansion_search = effort
        return lambda y: index.search(y, top, threads=1).keys

    return build_usearch, search_usearch


def main(file: str, kind: str) -> None:
    with np.load(file) as data:
        x, y, truth = data["x"], data["y"], data["truth"]
    top = truth.shape[1]
    build, search = index_of(kind, x, top)
    index, built, built_cpu = timed(build)
    searches = []
    for effort in EFFORTS if kind != "flat" else (1,):
        find = search(index, effort)
        find(y[:16])
        rows, seconds, cpu = min((timed(lambda: find(y)) for _ in range(5)), key=lambda one: one[2])  # noqa: B023
        same = sum(len(set(one) & set(other)) for one, other in zip(rows.tolist(), truth.tolist(), strict=True))
        searches.append({"effort": effort, "recall": same / truth.size, "seconds": seconds, "cpu": cpu})
        if searches[-1]["recall"] >= 0.999:
            break
    print(json.dumps({"kind": kind, "build": built, "build_cpu": built_cpu, "searches": searches}))


main(*sys.argv[1:])
