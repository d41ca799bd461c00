"""More than memory holds: millions of documents under a budget, watched from outside, with their recall.

    python benchmarks/larger_than_memory.py [--documents 1000000] [--memory 512MiB] [--goal pairs] [--bands 85]
    python benchmarks/larger_than_memory.py --documents 10000000 --memory 2GiB    # 15 minutes: the published figures

The command line is run as a user would run it. Fails if it held more than the budget, spilled nothing though the keys
alone are more than that, or found less than 99 % of the planted pairs.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from common import large_corpus, measure

from lookalike.flow.byte_sizes import bytes_of, in_words

THRESHOLD = 0.8


@dataclass(frozen=True)
class Seen:
    """What a run cost, as the system counted it."""

    wall: float
    cpu: float
    peak: int
    said: str

    @property
    def spilled(self) -> bool:
        return "spilled to files" in self.said


def run(path: Path, out: Path, options: argparse.Namespace) -> Seen:
    command = [str(Path(sys.executable).with_name("lookalike")), options.goal, str(path), "--out", str(out), "--force"]
    command += [
        "--threshold",
        str(THRESHOLD),
        "--shingles",
        f"words:{large_corpus.K}",
        "--threads",
        str(options.threads),
    ]
    if options.memory:
        command += ["--memory", options.memory]
    if options.bands:
        command += ["--hashes", str(6 * options.bands), "--bands", str(options.bands), "--rows", "6"]
    if options.work:
        command += ["--work", str(options.work)]
    began = time.perf_counter()
    child = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    said = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}\n{said}")
    return Seen(time.perf_counter() - began, _cpu(used), used.ru_maxrss * 1024, said)


def _cpu(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def recall(path: Path, out: Path, goal: str) -> list[tuple[str, int, float]]:
    """Of the planted pairs at the threshold and more, and of those just above it: how many, and the share found."""
    planted = pq.read_table(path, columns=["copy_of", "similarity"])
    similarity = planted["similarity"].to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(similarity >= THRESHOLD)
    sources = planted["copy_of"].to_numpy(zero_copy_only=False)[rows].astype(np.int64)
    found = pq.read_table(out)
    if goal == "pairs":
        pairs = np.unique(found["left"].to_numpy() * len(similarity) + found["right"].to_numpy())
        wanted = sources * len(similarity) + rows
        there = pairs[np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)] == wanted
    else:
        cluster = found["cluster"].to_numpy()
        there = cluster[rows] == cluster[sources]
    groups = {"all": similarity[rows] <= 1, "0.80 … 0.85": similarity[rows] <= 0.85}
    return [(name, int(those.sum()), float(there[those].mean())) for name, those in groups.items() if those.any()]


def main() -> None:
    options = parsed()
    path = large_corpus.write(options.kind, options.documents)
    out = path.with_name(f"out-scale-{options.kind}-{options.documents}.parquet")
    print(f"{options.goal} of {options.documents:,} documents ({options.kind}), budget {options.memory or 'none'}")
    print(measure.machine(), flush=True)
    seen = run(path, out, options)
    print(seen.said)
    budget = bytes_of(options.memory) if options.memory else None
    keys = 8 * (options.bands or 16) * options.documents
    print("| documents | keys | budget | peak | wall s | CPU s | CPU µs a document |\n|---|---|---|---|---|---|---|")
    print(
        f"| {options.documents:,} | {in_words(keys)} | {options.memory or 'none'} | {in_words(seen.peak)} | "
        f"{seen.wall:.0f} | {seen.cpu:.0f} | {1e6 * seen.cpu / options.documents:.1f} |\n"
    )
    for name, count, share in recall(path, out, options.goal):
        print(f"recall, {name}: {share:.5f} of {count:,} planted pairs")
        assert share >= 0.99, f"recall is {share:.5f}"
    if budget is not None:
        assert seen.peak <= budget, f"the peak was {in_words(seen.peak)}, {in_words(seen.peak - budget)} too much"
        assert seen.spilled or keys < budget, "nothing was spilled"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=large_corpus.KINDS, default="plain")
    parser.add_argument("--goal", choices=("pairs", "clusters"), default="pairs")
    parser.add_argument("--memory", default="")
    parser.add_argument("--bands", type=int, default=85, help="of six rows; 0: as chosen")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
