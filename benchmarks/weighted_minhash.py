"""Weighted MinHash: how long does a signature of 128 slots take on one core, compared with datasketch?

    python benchmarks/weighted_minhash.py [--rounds 3] [--peer PYTHON]

Sets are generated in pairs with log-normal weights, like those of tf-idf; half of the weights differ within a pair.
datasketch takes dense vectors as long as the vocabulary. It also has an experimental method for sparse matrices, which
gives different values. Both are timed, without the creation of datasketch's table of random numbers. Each round runs
every contender once, and the least CPU time counts. The table shows the mean similarity and both estimates of it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
from common import build_files, measure
from common.peer_environment import peers_python

from lookalike.kernel import Cpu

HERE = Path(__file__).parent
CONTENDER = HERE / "contenders/datasketch_weighted.py"
HASHES = 128
CASES = [(20, 10_000, 200), (200, 10_000, 200), (2_000, 10_000, 40), (200, 200, 200), (2_000, 2_000, 40)]
"""Elements per set, size of the vocabulary, and number of sets."""

Arrays = dict[str, npt.NDArray[np.generic]]


def generated(size: int, vocabulary: int, count: int) -> tuple[Arrays, float]:
    """The sets, and the mean weighted Jaccard similarity of their pairs."""
    rng = np.random.default_rng(size)
    values, weights, similarities = [], [], []
    for _ in range(count // 2):
        chosen = np.sort(rng.choice(vocabulary, size, replace=False))
        one = np.exp(rng.normal(0, 1, size))
        other = np.where(rng.random(size) < 0.5, one, one * np.exp(rng.normal(0, 1, size)))
        similarities.append(np.minimum(one, other).sum() / np.maximum(one, other).sum())
        values += [chosen, chosen]
        weights += [one, other]
    offsets = np.arange(count + 1) * size
    arrays = {"offsets": offsets, "values": np.concatenate(values), "weights": np.concatenate(weights)}
    return arrays | {"vocabulary": np.array(vocabulary)}, float(np.mean(similarities))


def ours(sets: Arrays) -> tuple[float, float]:
    arrays = (sets["offsets"].astype(np.int64), sets["values"].astype(np.uint64), sets["weights"].astype(np.float64))
    began = time.process_time()
    signatures = Cpu().sign_weighted(*arrays, hashes=HASHES, seed=1)
    taken = time.process_time() - began
    return taken, float((signatures[::2] == signatures[1::2]).mean())


def main(rounds: int, python: Path) -> None:
    print(f"\n{measure.machine()}; {HASHES} slots, one core, best of {rounds}\n")
    print(
        "| elements | vocabulary | true | lookalike µs/set | estimate | datasketch, dense | estimate | ratio ", end=""
    )
    print("| datasketch, sparse | ratio |\n|---|---|---|---|---|---|---|---|---|---|")
    for size, vocabulary, count in CASES:
        sets, true = generated(size, vocabulary, count)
        best = {"lookalike": float("inf"), "dense": float("inf"), "sparse": float("inf")}
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "sets.npz"
            np.savez(file, **sets)  # type: ignore[arg-type]
            for _ in range(rounds):
                seconds, estimate = ours(sets)
                command = [str(python), str(CONTENDER), str(file), str(HASHES)]
                peer = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
                for name, each in {"lookalike": seconds, "dense": peer["dense"], "sparse": peer["sparse"]}.items():
                    best[name] = min(best[name], each)
        ratios = [best[method] / best["lookalike"] for method in ("dense", "sparse")]
        mine, dense, sparse = (f"{best[name] / count * 1e6:,.0f}" for name in best)
        print(f"| {size:,} | {vocabulary:,} | {true:.4f} | {mine} | {estimate:.4f} ", end="")
        print(f"| {dense} | {peer['estimate']:.4f} | {ratios[0]:.0f}× | {sparse} | {ratios[1]:.1f}× |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--peer", type=Path, help="interpreter with datasketch installed (default: created on first use)"
    )
    options = parser.parse_args()
    main(options.rounds, options.peer or peers_python(build_files.FOLDER / "venv"))
