"""Vectors: is the requested recall met on real data, and how does the time compare with brute force and with faiss?

    python benchmarks/vectors.py real --data FOLDER
    python benchmarks/vectors.py pairs [--vectors 200000] [--peer PYTHON | --no-peers] [--only ivf] [--searched 10000]
    python benchmarks/vectors.py nearest [--vectors 20000 2000000] [--queries 10000]

`real`: word vectors by cosine, images of digits by Euclidean distance, molecules by Jaccard similarity of bits (FOLDER
contains vectors/glove, vectors/mnist and sets/morgan2048_packed.npy). Recall and precision are relative to all pairs,
computed with NumPy.

`pairs`: generated unit vectors of 128 dimensions. A tenth of them were derived from another vector at a cosine of 0.9
to 1; they are searched at 0.9 with a recall of 0.99. Brute force is timed on a part of the vectors and extrapolated.
faiss builds each index once (the table includes this time) and searches with increasing effort until it reaches the
same recall. With `--searched PAIRS` it searches only both vectors of that many pairs, and the time is extrapolated to
all.

`nearest`: the ten nearest neighbours of queries among clustered points, around 1,000 centres.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from common import build_files, measure
from common.measure import timed
from common.peer_environment import peers_python

import lookalike as la
from lookalike.joins.vectors.brute import BLOCK

HERE = Path(__file__).parent
CONTENDER = HERE / "contenders/faiss_vectors.py"
RECALLS = (0.9, 0.99, 1.0)

EFFORTS = {"ivf": "1,2,4,8,16,32,64,128,256,512", "hnsw": "16,64,256,512,1024,2048"}
"""Values of nprobe (the number of lists that are searched) and efSearch (the size of the candidate list)."""


# Real


def real(folder: Path) -> None:
    print("\n| data | query | true pairs | requested recall | method | recall | precision | CPU s | how |")
    print("|---|---|---|---|---|---|---|---|---|")
    glove = np.load(folder / "vectors/glove/vectors_20k.npy").astype(np.float32)
    for threshold in (0.7, 0.8, 0.9):
        _real("GloVe", glove, {"measure": "cosine", "threshold": threshold})
    with gzip.open(folder / "vectors/mnist/t10k-images-idx3-ubyte.gz") as file:
        mnist = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)
    for distance in (800, 1200):
        _real("MNIST", mnist, {"measure": "euclidean", "distance": distance})
    molecules = np.load(folder / "sets/morgan2048_packed.npy")
    for threshold in (0.7, 0.9):
        _real("molecules", molecules, {"measure": "jaccard", "threshold": threshold})


def _real(name: str, x: Any, query: dict[str, Any]) -> None:
    truth = _true_pairs(x, **query)
    bound = query.get("threshold", query.get("distance"))
    for recall in RECALLS:
        for method in ("auto", "lsh") if recall < 1 else ("auto",):
            found, _, cpu = timed(lambda: la.find_pairs(x, recall=recall, method=method, threads=1, **query))  # noqa: B023
            pairs = set((found.left_rows * len(x) + found.right_rows).tolist())
            again = la.find_pairs(x, recall=recall, method=method, threads=2, **query)
            assert again.to_arrow().equals(found.to_arrow())
            hit = len(pairs & truth) / max(1, len(truth))
            precision = len(pairs & truth) / max(1, len(pairs))
            print(f"| {name} {len(x):,} × {x.shape[1]} | {query['measure']} {bound} | {len(truth):,} | {recall} "
                  f"| {method} | {hit:.4f} | {precision:.4f} | {cpu:.2f} | {found.how} |", flush=True)  # fmt: skip


def _true_pairs(x: Any, measure: str, threshold: float = 0.0, distance: float = 0.0) -> set[int]:
    """All true pairs, computed in double precision; the pair (left, right) is returned as left · rows + right."""
    n = len(x)
    a = (np.unpackbits(x, axis=1) if measure == "jaccard" else x).astype(np.float64)
    if measure == "cosine":
        a /= np.linalg.norm(a, axis=1, keepdims=True)
    sizes = (a * a).sum(axis=1)
    found: list[int] = []
    for start in range(0, n, 1000):
        product = a[start : start + 1000] @ a.T
        both = sizes[start : start + 1000, None] + sizes
        if measure == "cosine":
            near = product >= threshold
        elif measure == "euclidean":
            near = both - 2 * product <= distance**2
        else:
            near = product * 1_000_000 >= round(threshold * 1_000_000) * (both - product)
        left, right = np.nonzero(near)
        left += start
        found += (left * n + right)[left < right].tolist()
    return set(found)


# Pairs, compared with faiss


def planted(n: int, d: int = 128) -> tuple[Any, Any, Any]:
    """Unit vectors, and the planted pairs (left and right rows) with a cosine of at least 0.9."""
    rng = np.random.default_rng(1)
    x = rng.standard_normal((n, d), np.float32)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    few = n // 10
    of = rng.choice(n - few, few, replace=False)
    cosine = rng.uniform(0.9, 1, (few, 1)).astype(np.float32)
    away = rng.standard_normal((few, d), np.float32)
    away -= (away * x[of]).sum(axis=1, keepdims=True) * x[of]
    away /= np.linalg.norm(away, axis=1, keepdims=True)
    x[n - few :] = cosine * x[of] + np.sqrt(1 - cosine**2) * away
    exact = (x[of].astype(np.float64) * x[n - few :]).sum(axis=1)
    reached = exact >= 0.9
    return x, of[reached], np.arange(n - few, n)[reached]


def pairs(n: int, threads: int, peer: Path | None, kinds: list[str], searched: int) -> None:
    x, left, right = planted(n)
    print(f"\n{measure.machine()}; {n:,} unit vectors × 128, {len(left):,} pairs at 0.9 or more; {threads} threads\n")
    print("| contender | settings | recall | seconds | CPU s |\n|---|---|---|---|---|")
    found, seconds, cpu = timed(lambda: la.find_pairs(x, measure="cosine", threshold=0.9, recall=0.99, threads=threads))
    got = set((found.left_rows * n + found.right_rows).tolist())
    recall = np.mean([pair in got for pair in (left * n + right).tolist()])
    print(f"| lookalike | {found.how} | {recall:.4f} | {seconds:.2f} | {cpu:.2f} |", flush=True)
    part = min(n, 8 * BLOCK)
    _, some, some_cpu = timed(lambda: _blocks(x[:part], x))
    scale = n / part / 2  # each pair once
    print(f"| brute force, by blocks | {part:,} rows with {n:,}, × {scale:.2f} | 1 "
          f"| {some * scale:.1f} (extrapolated) | {some_cpu * scale:.1f} (extrapolated) |", flush=True)  # fmt: skip
    if peer is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "vectors.npz"
        np.savez(file, x=x, left=left, right=right, least=np.float32(0.9))
        built = {"ivf": {"nlist": round(4 * math.sqrt(n))}, "hnsw": {"m": 16, "ef_construction": 40}}
        for kind in kinds:
            settings = {**built[kind], "threads": threads, "searched": searched}
            words = [f"{name}={value}" for name, value in settings.items()]
            command = [str(peer), str(CONTENDER), str(file), kind, EFFORTS[kind], *words]
            answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            sampled = "" if answer["scale"] == 1 else f" (searched: {n / answer['scale']:,.0f} rows, extrapolated)"
            for one in answer["searches"]:
                effort = f"{built[kind]}, effort {one['effort']}{sampled}"
                wall = f"{answer['build']:.1f} + {one['seconds']:.1f}"
                cpu_seconds = f"{answer['build_cpu']:.1f} + {one['cpu']:.1f}"
                print(f"| faiss {kind} | {effort} | {one['recall']:.4f} | {wall} | {cpu_seconds} |", flush=True)


def _blocks(some: Any, x: Any) -> int:
    """Blocked brute force as usually written: matrix products, compared with the threshold."""
    count = 0
    for i in range(0, len(some), BLOCK):
        for j in range(0, len(x), BLOCK):
            count += int(np.count_nonzero(some[i : i + BLOCK] @ x[j : j + BLOCK].T >= np.float32(0.9)))
    return count


# Nearest


def clustered(n: int, d: int, seed: int) -> Any:
    """Clustered points around 1,000 centres, like descriptors of images."""
    rng = np.random.default_rng(seed)
    centres = np.random.default_rng(0).standard_normal((1000, d), np.float32)
    x = rng.standard_normal((n, d), np.float32)
    x *= np.float32(0.4)
    x += centres[rng.integers(0, 1000, n)]
    return x


def nearest(sizes: list[int], queries: int, threads: int, d: int = 64) -> None:
    print(f"\n{measure.machine()}; ten nearest by cosine, {d} dimensions, {queries:,} queries; {threads} threads\n")
    print("| vectors | method | requested recall | measured on the sample | true recall | seconds | CPU s | how |")
    print("|---|---|---|---|---|---|---|---|")
    for n in sizes:
        x, y = clustered(n, d, 1), clustered(queries, d, 2)
        some = np.linspace(0, queries - 1, min(queries, 500)).astype(np.int64) if queries else np.zeros(0, np.int64)
        truth = la.nearest(x, y[some], recall=1.0, threads=threads)
        true = set((some[truth.left_rows] * n + truth.right_rows).tolist())
        for recall in (0.9, 0.99, 1.0):
            if recall == 1 and n * queries > 10**10:
                continue
            found, seconds, cpu = timed(lambda: la.nearest(x, y, recall=recall, threads=threads))  # noqa: B023
            got = set((found.left_rows * n + found.right_rows)[np.isin(found.left_rows, some)].tolist())
            measured = "–" if found.recall is None else f"{found.recall:.4f}"
            method = "brute force" if found.recall is None else "hashed"
            print(f"| {n:,} | {method} | {recall} | {measured} | {len(got & true) / len(true):.4f} | {seconds:.2f} "
                  f"| {cpu:.2f} | {found.how} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["real", "pairs", "nearest"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--vectors", type=int, nargs="*")
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peer", type=Path, help="interpreter with faiss installed (default: created on first use)")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--only", choices=list(EFFORTS), action="append", help="compare only with this faiss index")
    parser.add_argument("--searched", type=int, default=10_000, help="number of pairs whose vectors faiss searches for")
    options = parser.parse_args()
    if options.what == "real":
        if options.data is None:
            parser.error("real requires --data")
        real(options.data)
    elif options.what == "pairs":
        venv, requirements = build_files.FOLDER / "vectors-peers", HERE / "vectors-requirements.txt"
        chosen = None if options.no_peers else options.peer or peers_python(venv, requirements)
        for size in options.vectors or [200_000]:
            pairs(size, options.threads, chosen, options.only or list(EFFORTS), options.searched)
    else:
        nearest(options.vectors or [20_000, 2_000_000], options.queries, options.threads)
