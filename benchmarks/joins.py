"""Exact joins: how long do they take, and how much do the filters leave to compare, from threshold 0.5 to 0.95?

    python benchmarks/joins.py [--data FOLDER] [--framework "PROGRAM OPTIONS"] [--peer PYTHON] [--only retail ZIPF]

UNIFORM (100,000 sets of about 10 of 220 elements) and ZIPF (a million sets of about 50) are generated; FOLDER adds
market baskets and package descriptions. Times are the least of all rounds, contenders in turn in every round; what
takes longer than `--once` seconds runs once. On one thread they are of the processor, on two by the clock.

- "call" is the kernel's whole call: arrays of 64-bit elements in, all pairs out, ordered, with what they share.
- "join" is the second half of it (benchmarks/native/joining.cpp): equal sets are one by now, and the rarest elements of
  each are found. Indexing, probing, comparing and the writing of the pairs are in it.
- PROGRAM is one of the set-join literature. It is given `--algorithm A --threshold T --input FILE --timings`, FILE with
  the elements numbered and the sets ordered already, and prints `pairs,seconds` of its join, which indexes too, and
  what reading took, as `readrawrecords N ms`. It counts pairs and does not keep them. Its best algorithm is shown, by
  itself and with reading.
- PYTHON is an interpreter that has SetSimilaritySearch.
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
    """Seconds, and what was counted. The pairs are let go: held, they would make the next call find other memory."""
    clock = time.process_time if threads == 1 else time.perf_counter
    began = clock()
    found = Cpu(threads).exact_pairs(sets, numerator=percent, denominator=100)
    return clock() - began, f"{len(found.left):,} | {found.met:,} | {found.candidates:,}"


def halves(program: Path, path: Path, percent: int) -> tuple[float, float]:
    """Seconds of putting the sets in order, and of joining them, on one thread."""
    done = subprocess.run([program, path, str(percent), "5"], check=True, capture_output=True, text=True)
    ordering, join = done.stdout.split(",")
    return float(ordering), float(join)


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


@dataclass(frozen=True)
class Collection:
    """Sets, and the files in which contenders find them."""

    name: str
    sets: Shingles

    def file(self, suffix: str, write: Callable[[Shingles, Path], None]) -> Path:
        """Written once: for a million sets that takes minutes."""
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
                best.add("reading too", sum(measured))
        if options.peer and number == 0:
            path = collection.file("npz", set_collections.write_arrays)
            seconds_of_peer = peer(options.peer.absolute(), path, percent, options.limit)
            if seconds_of_peer is not None:
                best.add("peer", seconds_of_peer)
        if sum(best.seconds.values()) > options.once * 10:
            break
    return (
        f"| {collection.name} | .{percent} | {counted} "
        f"| {best['call 1']} | {best['reading too']} | {best['join']} | {best['framework']} "
        f"| {best['call 2']} | {best['peer']} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, help="a folder with sets/retail.dat.gz, sets/groceries.csv and text/")
    parser.add_argument("--framework", help="a program to compare with, and options that it needs")
    parser.add_argument("--peer", type=Path, help="an interpreter that has SetSimilaritySearch")
    parser.add_argument(
        "--only", nargs="+", choices=list(set_collections.COLLECTIONS), default=list(set_collections.COLLECTIONS)
    )
    parser.add_argument("--thresholds", type=int, nargs="+", default=list(THRESHOLDS), help="in percent")
    parser.add_argument("--algorithms", nargs="+", choices=ALGORITHMS, default=ALGORITHMS, help="of the framework")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--once", type=float, default=5, help="seconds above which a contender runs once")
    parser.add_argument("--limit", type=float, default=600, help="seconds after which a contender is given up")
    options = parser.parse_args()
    print(f"\n{measure.machine()}; seconds, best of {options.rounds}\n")
    print(
        "| sets | threshold | pairs | met | candidates | call | framework: reading, join | join | framework: join ",
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
