"""Vectors: is the recall met on real ones, and how long does it take beside comparing all and beside faiss?

    python benchmarks/vectors.py real --data FOLDER
    python benchmarks/vectors.py pairs [--vectors 200000] [--peer PYTHON | --no-peers] [--only ivf] [--searched 10000]
    python benchmarks/vectors.py nearest [--vectors 20000 2000000] [--queries 10000]

`real`: word vectors by cosine, pictures of digits by Euclidean distance, molecules by Jaccard of bits (FOLDER has
vectors/glove, vectors/mnist and sets/morgan2048_packed.npy); recall and precision against all pairs, by NumPy.

`pairs`: generated unit vectors of 128 dimensions, a tenth of which were made from another one at a cosine of 0.9 … 1,
found at 0.9 with a recall of 0.99. All pairs are compared on a part and extrapolated, which the table says. faiss
builds each index once, which is counted, and searches with ever more effort until it has the same recall. Its searches
may be of a sample of rows (--searched PAIRS: both ends of so many pairs) and are then extrapolated to all rows.

`nearest`: ten neighbours of queries among pictures of clouds: points around 1,000 middles.
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
"""nprobe, lists that are looked at, and efSearch, nodes of the graph that are kept in mind."""


# Real


def real(folder: Path) -> None:
    print("\n| data | asked | true pairs | recall asked | method | recall | precision | CPU s | how |")
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


def _real(name: str, x: Any, asked: dict[str, Any]) -> None:
    truth = _true_pairs(x, **asked)
    bound = asked.get("threshold", asked.get("distance"))
    for recall in RECALLS:
        for method in ("auto", "lsh") if recall < 1 else ("auto",):
            found, _, cpu = timed(lambda: la.find_pairs(x, recall=recall, method=method, threads=1, **asked))  # noqa: B023
            pairs = set((found.left_rows * len(x) + found.right_rows).tolist())
            again = la.find_pairs(x, recall=recall, method=method, threads=2, **asked)
            assert again.to_arrow().equals(found.to_arrow())
            hit = len(pairs & truth) / max(1, len(truth))
            precision = len(pairs & truth) / max(1, len(pairs))
            print(f"| {name} {len(x):,} × {x.shape[1]} | {asked['measure']} {bound} | {len(truth):,} | {recall} "
                  f"| {method} | {hit:.4f} | {precision:.4f} | {cpu:.2f} | {found.how} |", flush=True)  # fmt: skip


def _true_pairs(x: Any, measure: str, threshold: float = 0.0, distance: float = 0.0) -> set[int]:
    """All of them, by products in double precision, as left · rows + right."""
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


# Pairs beside faiss


def planted(n: int, d: int = 128) -> tuple[Any, Any, Any]:
    """Unit vectors, and the pairs of them that have a cosine of 0.9 or more: a tenth was made so."""
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
    print(f"| all compared, by blocks | {part:,} rows with {n:,}, × {scale:.2f} | 1 "
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
            said = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
            sampled = "" if said["scale"] == 1 else f" (searched: {n / said['scale']:,.0f} rows, extrapolated)"
            for one in said["searches"]:
                effort = f"{built[kind]}, effort {one['effort']}{sampled}"
                wall = f"{said['build']:.1f} + {one['seconds']:.1f}"
                cpu_seconds = f"{said['build_cpu']:.1f} + {one['cpu']:.1f}"
                print(f"| faiss {kind} | {effort} | {one['recall']:.4f} | {wall} | {cpu_seconds} |", flush=True)


def _blocks(some: Any, x: Any) -> int:
    """Blocked brute force as it is usually written: a product, and where it is large enough."""
    count = 0
    for i in range(0, len(some), BLOCK):
        for j in range(0, len(x), BLOCK):
            count += int(np.count_nonzero(some[i : i + BLOCK] @ x[j : j + BLOCK].T >= np.float32(0.9)))
    return count


# Nearest


def clouds(n: int, d: int, seed: int) -> Any:
    """Points around 1,000 middles, as descriptors of pictures are."""
    rng = np.random.default_rng(seed)
    middles = np.random.default_rng(0).standard_normal((1000, d), np.float32)
    x = rng.standard_normal((n, d), np.float32)
    x *= np.float32(0.4)
    x += middles[rng.integers(0, 1000, n)]
    return x


def nearest(sizes: list[int], queries: int, threads: int, d: int = 64) -> None:
    print(f"\n{measure.machine()}; ten nearest by cosine, {d} dimensions, {queries:,} queries; {threads} threads\n")
    print("| vectors | method | recall asked | measured on the sample | true recall | seconds | CPU s | how |")
    print("|---|---|---|---|---|---|---|---|")
    for n in sizes:
        x, y = clouds(n, d, 1), clouds(queries, d, 2)
        some = np.linspace(0, queries - 1, min(queries, 500)).astype(np.int64) if queries else np.zeros(0, np.int64)
        truth = la.nearest(x, y[some], recall=1.0, threads=threads)
        true = set((some[truth.left_rows] * n + truth.right_rows).tolist())
        for recall in (0.9, 0.99, 1.0):
            if recall == 1 and n * queries > 10**10:
                continue
            found, seconds, cpu = timed(lambda: la.nearest(x, y, recall=recall, threads=threads))  # noqa: B023
            got = set((found.left_rows * n + found.right_rows)[np.isin(found.left_rows, some)].tolist())
            said = "–" if found.recall is None else f"{found.recall:.4f}"
            method = "all compared" if found.recall is None else "hashed"
            print(f"| {n:,} | {method} | {recall} | {said} | {len(got & true) / len(true):.4f} | {seconds:.2f} "
                  f"| {cpu:.2f} | {found.how} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["real", "pairs", "nearest"])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--vectors", type=int, nargs="*")
    parser.add_argument("--queries", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--peer", type=Path, help="an interpreter that has faiss (default: one is made)")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--only", choices=list(EFFORTS), action="append", help="this index of faiss alone")
    parser.add_argument("--searched", type=int, default=10_000, help="pairs whose ends faiss looks for")
    given = parser.parse_args()
    if given.what == "real":
        if given.data is None:
            parser.error("real needs --data")
        real(given.data)
    elif given.what == "pairs":
        venv, requirements = build_files.FOLDER / "vectors-peers", HERE / "vectors-requirements.txt"
        chosen = None if given.no_peers else given.peer or peers_python(venv, requirements)
        for size in given.vectors or [200_000]:
            pairs(size, given.threads, chosen, given.only or list(EFFORTS), given.searched)
    else:
        nearest(given.vectors or [20_000, 2_000_000], given.queries, given.threads)
