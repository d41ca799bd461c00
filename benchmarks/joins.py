"""Exact joins: how long do they take, and how many pairs remain after the filters, at thresholds from 0.5 to 0.95?

    python benchmarks/joins.py [--data FOLDER] [--framework "PROGRAM OPTIONS"] [--peer PYTHON] [--only retail ZIPF]

UNIFORM (100,000 sets of about 10 of 220 elements) and ZIPF (a million sets of about 50) are generated; FOLDER adds
market baskets and package descriptions. Each round runs every contender once, and the least time of all rounds counts.
Contenders that take longer than `--once` seconds run only once. Times are CPU time on one thread and wall time on two.

- "call" is the kernel's whole call: it takes arrays of 64-bit elements and returns all pairs in order, with the sizes
  of their intersections.
- "join" is the second half of the call (benchmarks/native/joining.cpp), after equal sets were merged and the rarest
  elements of each set were found. It includes indexing, probing, comparing and writing the pairs.
- PROGRAM is an implementation from the set-join literature. It is called with `--algorithm A --threshold T --input FILE
  --timings`. In FILE, elements are already numbered and sets ordered. It prints `pairs,seconds` of the join, including
  indexing, and the time to read the file as `readrawrecords N ms`. It counts the pairs without storing them. The table
  shows its fastest algorithm, with and without reading.
- PYTHON is an interpreter with SetSimilaritySearch installed.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from common import build_files, measure, set_collections

from lookalike.flow import Shingles
from lookalike.kernel import Cpu

ALGORITHMS = ("allpairs", "ppjoin", "groupjoin")
THRESHOLDS = (50, 60, 70, 80, 90, 95)


@dataclass
class Best:
    """The least time of each contender so far."""

    seconds: dict[str, float]

    def add(self, name: str, seconds: float) -> None:
        self.seconds[name] = min(seconds, self.seconds.get(name, float("inf")))

    def __getitem__(self, name: str) -> str:
        return f"{self.seconds[name]:.4f}" if name in self.seconds else "–"


def ours(sets: Shingles, percent: int, threads: int) -> tuple[float, str]:
    """Seconds, and table cells with counts. The pairs are freed, so that every call finds memory in the same state."""
    clock = time.process_time if threads == 1 else time.perf_counter
    began = clock()
    found = Cpu(threads).exact_pairs(sets, numerator=percent, denominator=100)
    return clock() - began, f"{len(found.left):,} | {found.index_hits:,} | {found.candidates:,}"


def halves(program: Path, path: Path, percent: int) -> tuple[float, float]:
    """Seconds to order the sets and to join them, on one thread."""
    done = subprocess.run([program, path, str(percent), "5"], check=True, capture_output=True, text=True)
    ordering, join = done.stdout.split(",")
    return float(ordering), float(join)


def framework(program: str, path: Path, percent: int, algorithm: str, limit: float) -> tuple[float, float] | None:
    """Seconds of the join and of reading; None if it exceeds the time limit."""
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


@dataclass(frozen=True)
class Collection:
    """Sets, and the files that contenders read them from."""

    name: str
    sets: Shingles

    def file(self, suffix: str, write: Callable[[Shingles, Path], None]) -> Path:
        """Path of the sets in a file format. The file is written once: for a million sets, this takes minutes."""
        name = f"sets-{self.name}-{len(self.sets)}-{len(self.sets.values)}.{suffix}"
        return build_files.written_once(name, lambda path: write(self.sets, path))


def row(collection: Collection, percent: int, options: argparse.Namespace, joining: Path) -> str:
    best = Best({})
    done: set[str] = set()
    for number in range(options.rounds):
        for threads in (1, 2):
            seconds, counted = ours(collection.sets, percent, threads)
            best.add(f"call {threads}", seconds)
        if "halves" not in done:
            ordering, join = halves(joining, collection.file("bin", set_collections.write_binary), percent)
            best.add("join", join)
            done |= {"halves"} if ordering + join > options.once else set()
        for algorithm in options.algorithms if options.framework else ():
            if algorithm in done:
                continue
            path = collection.file("txt", set_collections.write_integers)
            measured = framework(options.framework, path, percent, algorithm, options.limit)
            if measured is None or measured[0] > options.once:
                done.add(algorithm)
            if measured is not None:
                best.add("framework", measured[0])
                best.add("reading and join", sum(measured))
        if options.peer and number == 0:
            path = collection.file("npz", set_collections.write_arrays)
            seconds_of_peer = peer(options.peer.absolute(), path, percent, options.limit)
            if seconds_of_peer is not None:
                best.add("peer", seconds_of_peer)
        if sum(best.seconds.values()) > options.once * 10:
            break
    return (
        f"| {collection.name} | .{percent} | {counted} "
        f"| {best['call 1']} | {best['reading and join']} | {best['join']} | {best['framework']} "
        f"| {best['call 2']} | {best['peer']} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--data", type=Path, help="folder that contains sets/retail.dat.gz, sets/groceries.csv and text/"
    )
    parser.add_argument("--framework", help="program to compare with, and its options")
    parser.add_argument("--peer", type=Path, help="interpreter with SetSimilaritySearch installed")
    parser.add_argument(
        "--only", nargs="+", choices=list(set_collections.COLLECTIONS), default=list(set_collections.COLLECTIONS)
    )
    parser.add_argument("--thresholds", type=int, nargs="+", default=list(THRESHOLDS), help="in percent")
    parser.add_argument(
        "--algorithms", nargs="+", choices=ALGORITHMS, default=ALGORITHMS, help="algorithms of the framework"
    )
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--once", type=float, default=5, help="contenders that take longer run only once, in seconds")
    parser.add_argument("--limit", type=float, default=600, help="time limit of a contender in seconds")
    options = parser.parse_args()
    print(f"\n{measure.machine()}; seconds, best of {options.rounds}\n")
    print(
        "| sets | threshold | pairs | visited | candidates | call | framework: reading, join | join | framework: join ",
        end="",
    )
    print("| call, 2 threads | SetSimilaritySearch |")
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    joining = measure.native_program("joining")
    for name in options.only:
        if name in set_collections.GENERATED or options.data:
            collection = Collection(name, set_collections.COLLECTIONS[name](options.data))
            for percent in options.thresholds:
                print(row(collection, percent, options, joining), flush=True)
    print()


if __name__ == "__main__":
    main()
