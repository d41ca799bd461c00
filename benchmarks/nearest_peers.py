"""The ten nearest vectors of each query: how long do lookalike and other libraries take at the same recall?

    python benchmarks/nearest_peers.py --data FOLDER [--peer PYTHON] [--only glove mnist pictures]

FOLDER contains vectors/glove and vectors/mnist; descriptors of 60,000 pictures are rendered (common/rendered_pictures).
Each library builds an index once and searches with increasing effort; the table shows the least effort that reaches
each recall. All vectors have unit length, and every process uses one thread. Times of queries are CPU milliseconds per
query, the best of five. lookalike keeps no index: with the methods auto, exact and lsh, its queries include every
preparation and the exact re-evaluation. With ivf, the time of building contains the search for the true neighbours of a
sample and tuning, and the time of queries contains everything else, including the exact re-evaluation.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from common import build_files, measure
from common.measure import timed
from common.peer_environment import peers_python
from common.rendered_pictures import descriptors

import lookalike as la
from lookalike.joins.vectors import Cosine, checked
from lookalike.joins.vectors.inverted import InvertedFile, lists_for
from lookalike.joins.vectors.nearest import SAMPLE, aimed, completed, every_row

HERE = Path(__file__).parent
CONTENDER = HERE / "contenders/nearest_vectors.py"
KINDS = ("flat", "ivf", "hnsw", "hnswlib", "usearch")
RECALLS = (0.9, 0.99, 1.0)
TOP, QUERIES = 10, 2000
COSINE = Cosine(1)  # the bound is not used


def units(x: Any) -> Any:
    x = x.astype(np.float64)
    return np.ascontiguousarray((x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32))


def vectors(name: str, folder: Path) -> Any:
    if name == "glove":
        return units(np.load(folder / "vectors/glove/vectors_20k.npy"))
    if name == "mnist":
        with gzip.open(folder / "vectors/mnist/t10k-images-idx3-ubyte.gz") as file:
            return units(np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 784))
    return units(descriptors(62_000))


def main(names: list[str], folder: Path, peer: Path, kinds: list[str], methods: list[str]) -> None:
    print(f"{measure.machine()}; the {TOP} nearest by cosine of {QUERIES:,} queries; one thread\n")
    print("| vectors | contender | recall asked | recall | build CPU s | CPU ms per query | road |")
    print("|---|---|---|---|---|---|---|")
    for name in names:
        every = vectors(name, folder)
        order = np.random.default_rng(0).permutation(len(every))
        x, y = np.ascontiguousarray(every[order[QUERIES:]]), np.ascontiguousarray(every[order[:QUERIES]])
        exact = la.nearest(x, y, top=TOP, recall=1.0, threads=1)
        truth = exact.right_rows.reshape(QUERIES, TOP)
        label = f"{name}, {len(x):,} × {x.shape[1]}"
        for method in methods:
            for recall in {"exact": RECALLS[-1:], "ivf": RECALLS[:-1]}.get(method, RECALLS):
                _ours(label, x, y, truth, recall, method)
        with tempfile.TemporaryDirectory() as scratch:
            file = Path(scratch) / "vectors.npz"
            np.savez(file, x=x, y=y, truth=truth)
            for kind in kinds:
                command = [str(peer), str(CONTENDER), str(file), kind]
                answer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                for recall in RECALLS[:-1] if kind != "flat" else RECALLS[-1:]:
                    reached = [one for one in answer["searches"] if one["recall"] >= min(recall, 0.999)]
                    if reached:
                        one, each = reached[0], 1000 * reached[0]["cpu"] / QUERIES
                        print(f"| {label} | {kind} | {recall} | {one['recall']:.4f} | {answer['build_cpu']:.2f} "
                              f"| {each:.4f} | effort {one['effort']} |", flush=True)  # fmt: skip


def _ours(label: str, x: Any, y: Any, truth: Any, recall: float, method: Any) -> None:
    def search() -> Any:
        return la.nearest(x, y, top=TOP, recall=recall, method=method, threads=1)

    build = 0.0
    if method == "ivf":
        found = search()
        file, _, build = timed(lambda: _inverted(x, y, recall))
        answers = [
            timed(lambda: completed(file.nearest(checked(y, "y"), TOP, 1), x, y, COSINE, TOP, 1)) for _ in range(5)
        ]
        cpu = min(one[2] for one in answers)
        assert answers[0][0][0].row.tolist() == found.right_rows.tolist()
    else:
        found, _, cpu = min((timed(search) for _ in range(5)), key=lambda one: one[2])
    rows: list[set[int]] = [set() for _ in range(QUERIES)]
    for query, row in zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True):
        rows[query].add(row)
    same = sum(len(one & set(other)) for one, other in zip(rows, truth.tolist(), strict=True))
    print(f"| {label} | lookalike, {method} | {recall} | {same / truth.size:.4f} | {build:.2f} "
          f"| {1000 * cpu / QUERIES:.4f} | {found.how} |", flush=True)  # fmt: skip


def _inverted(x: Any, y: Any, recall: float) -> InvertedFile:
    """The inverted file that `nearest` builds, tuned to the recall."""
    some = np.unique(np.linspace(0, len(y) - 1, SAMPLE).astype(np.int64))
    truth = every_row(x, y[some], COSINE, TOP, 1)
    file = InvertedFile.of(x, COSINE, lists_for(len(x)), 0, 1)
    return file.tuned(y[some], truth.query, truth.row, aimed(recall), 1)[0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument(
        "--peer", type=Path, help="interpreter with the libraries installed (default: made on first use)"
    )
    parser.add_argument("--only", nargs="*", default=["glove", "mnist", "pictures"])
    parser.add_argument("--kinds", nargs="*", default=list(KINDS))
    parser.add_argument("--methods", nargs="*", default=["exact", "ivf"])
    options = parser.parse_args()
    python = options.peer or peers_python(build_files.FOLDER / "vectors-peers", HERE / "vectors-requirements.txt")
    main(options.only, options.data, python, options.kinds, options.methods)
