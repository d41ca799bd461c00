"""Exact joins: how long do they take, and how much do the filters leave to compare, from threshold 0.5 to 0.95?

    python benchmarks/joins.py [--data FOLDER] [--framework "PROGRAM OPTIONS"] [--peer PYTHON] [--only retail ZIPF]

UNIFORM (100,000 sets of about 10 of 220 elements) and ZIPF (a million sets of about 50) are generated; FOLDER adds
market baskets and package descriptions. Times are the least of all rounds, contenders in turn in every round.

- "ordering" is a join at threshold 1: what it takes to collapse equal sets and to find the rarest elements of the rest.
  The other columns of ours are whole calls: arrays in, all pairs out, ordered, with what they share.
- PROGRAM is one of the set-join literature. It is given `--algorithm A --threshold T --input FILE --timings`, FILE with
  the elements numbered and the sets ordered already, and prints `pairs,seconds` of its join, and what reading took, as
  `readrawrecords N ms`. It counts pairs and does not keep them. Its best algorithm is shown.
- PYTHON is an interpreter that has SetSimilaritySearch.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from common import collected, measure

from lookalike import kernel
from lookalike.flow import Shingles

ALGORITHMS = ("allpairs", "ppjoin", "groupjoin")
THRESHOLDS = (50, 60, 70, 80, 90, 95)


@dataclass
class Best:
    """The least time of each contender so far."""

    seconds: dict[str, float]

    def add(self, name: str, seconds: float) -> None:
        self.seconds[name] = min(seconds, self.seconds.get(name, float("inf")))

    def __getitem__(self, name: str) -> str:
        return f"{self.seconds[name]:.3f}" if name in self.seconds else "–"


def ours(sets: Shingles, percent: int, threads: int) -> tuple[float, kernel.ExactPairs]:
    began = time.perf_counter()
    found = kernel.exact_pairs(sets, numerator=percent, denominator=100, threads=threads)
    return time.perf_counter() - began, found


def framework(program: str, path: Path, percent: int, algorithm: str, limit: float) -> tuple[float, float] | None:
    """Seconds of the join, and of reading; nothing where it took longer than the limit."""
    options = ["--algorithm", algorithm, "--threshold", str(percent / 100), "--input", str(path), "--timings"]
    try:
        command = [*shlex.split(program), *options]
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None
    joined = re.search(r"^\d+,([\d.]+)", done.stdout)
    read = re.search(r"readrawrecords\s+(\d+) ms", done.stdout)
    assert joined, done.stdout
    return float(joined[1]), float(read[1]) / 1000 if read else 0.0


def peer(python: Path, path: Path, percent: int, limit: float) -> float | None:
    command = [str(python), "-m", "contenders.setsimilaritysearch_pairs", str(path), str(percent / 100)]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=limit, cwd=measure.HERE)
    except subprocess.TimeoutExpired:
        return None
    return float(json.loads(done.stdout.splitlines()[-1])["seconds"])


def row(name: str, sets: Shingles, percent: int, options: argparse.Namespace, folder: Path) -> str:
    best = Best({})
    given_up: set[str] = set()
    for number in range(options.rounds):
        best.add("ordering", ours(sets, 100, 1)[0])
        for threads in (1, 2):
            seconds, found = ours(sets, percent, threads)
            best.add(f"threads {threads}", seconds)
        for algorithm in ALGORITHMS if options.framework else ():
            if algorithm in given_up:
                continue
            measured = framework(options.framework, folder / "sets.txt", percent, algorithm, options.limit)
            if measured is None:
                given_up.add(algorithm)
                continue
            best.add("framework", measured[0])
            best.add("reading", measured[1])
        if options.peer and number == 0:
            seconds_of_peer = peer(options.peer.absolute(), folder / "sets.npz", percent, options.limit)
            if seconds_of_peer is not None:
                best.add("peer", seconds_of_peer)
    return (
        f"| {name} | .{percent} | {len(found.left):,} | {found.met:,} | {found.candidates:,} | {best['ordering']} "
        f"| {best['threads 1']} | {best['threads 2']} | {best['framework']} | {best['reading']} | {best['peer']} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with sets/retail.dat.gz, sets/groceries.csv and text/")
    parser.add_argument("--framework", help="a program to compare with, and options that it needs")
    parser.add_argument("--peer", type=Path, help="an interpreter that has SetSimilaritySearch")
    parser.add_argument("--only", nargs="+", choices=list(collected.COLLECTIONS), default=list(collected.COLLECTIONS))
    parser.add_argument("--thresholds", type=int, nargs="+", default=list(THRESHOLDS), help="in percent")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a contender is given up")
    options = parser.parse_args()
    print(f"\n{measure.machine()}; seconds, best of {options.rounds}\n")
    print("| sets | threshold | pairs | met | candidates | ordering | 1 thread | 2 threads ", end="")
    print("| framework: join | reading | SetSimilaritySearch |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    for name in options.only:
        if name not in collected.GENERATED and not options.data:
            continue
        sets = collected.COLLECTIONS[name](options.data)
        with tempfile.TemporaryDirectory() as folder:
            if options.framework:
                collected.write_integers(sets, Path(folder) / "sets.txt")
            if options.peer:
                np.savez(Path(folder) / "sets.npz", offsets=sets.offsets, values=sets.values)
            for percent in options.thresholds:
                print(row(name, sets, percent, options, Path(folder)), flush=True)
    print()


if __name__ == "__main__":
    main()
