"""Larger than memory: do runs over millions of documents stay within a memory budget, and what is their recall?

    python benchmarks/larger_than_memory.py [--documents 1000000] [--memory 512MiB] [--goal pairs] [--bands 85]
    python benchmarks/larger_than_memory.py --documents 10000000 --memory 2GiB    # 15 minutes: the published figures

Runs the command line as a user would, and measures its memory from outside. Fails if the peak exceeds the budget, if
nothing was spilled although the keys alone exceed the budget, or if less than 99 % of the planted pairs were found.
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

from lookalike.flow.byte_sizes import bytes_of
from lookalike.notices.readable import in_words

THRESHOLD = 0.8


@dataclass(frozen=True)
class RunCost:
    """Seconds, peak bytes and printed messages of a run."""

    wall: float
    cpu: float
    peak: int
    messages: str

    @property
    def spilled(self) -> bool:
        return "spilled to files" in " ".join(self.messages.split())  # lines are wrapped


def run(path: Path, out: Path, options: argparse.Namespace) -> RunCost:
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
    messages = child.stderr.read()
    _, status, used = os.wait4(child.pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)}\n{messages}")
    return RunCost(time.perf_counter() - began, _cpu(used), used.ru_maxrss * 1024, messages)


def _cpu(used: resource.struct_rusage) -> float:
    return used.ru_utime + used.ru_stime


def recall(path: Path, out: Path, goal: str) -> list[tuple[str, int, float]]:
    """Number and recall of planted pairs, for all pairs that reach the threshold and for those just above it."""
    planted = pq.read_table(path, columns=["copy_of", "similarity"])
    similarity = planted["similarity"].to_numpy(zero_copy_only=False)
    rows = np.flatnonzero(similarity >= THRESHOLD)
    sources = planted["copy_of"].to_numpy(zero_copy_only=False)[rows].astype(np.int64)
    found = pq.read_table(out)
    if goal == "pairs":
        pairs = np.unique(found["left"].to_numpy() * len(similarity) + found["right"].to_numpy())
        wanted = sources * len(similarity) + rows
        found_pair = pairs[np.minimum(np.searchsorted(pairs, wanted), len(pairs) - 1)] == wanted
    else:
        cluster = found["cluster"].to_numpy()
        found_pair = cluster[rows] == cluster[sources]
    groups = {"all": similarity[rows] <= 1, "0.80 … 0.85": similarity[rows] <= 0.85}
    return [
        (name, int(chosen.sum()), float(found_pair[chosen].mean())) for name, chosen in groups.items() if chosen.any()
    ]


def main() -> None:
    options = parsed()
    path = large_corpus.write(options.kind, options.documents)
    out = path.with_name(f"out-scale-{options.kind}-{options.documents}.parquet")
    print(f"{options.goal} of {options.documents:,} documents ({options.kind}), budget {options.memory or 'none'}")
    print(measure.machine(), flush=True)
    cost = run(path, out, options)
    print(cost.messages)
    budget = bytes_of(options.memory) if options.memory else None
    keys = 8 * (options.bands or 16) * options.documents
    print("| documents | keys | limit | peak | wall s | CPU s | CPU µs per document |\n|---|---|---|---|---|---|---|")
    print(
        f"| {options.documents:,} | {in_words(keys)} | {options.memory or 'none'} | {in_words(cost.peak)} | "
        f"{cost.wall:.0f} | {cost.cpu:.0f} | {1e6 * cost.cpu / options.documents:.1f} |\n"
    )
    for name, count, share in recall(path, out, options.goal):
        print(f"recall, {name}: {share:.5f} of {count:,} planted pairs")
        assert share >= 0.99, f"recall is {share:.5f}"
    if budget is not None:
        assert cost.peak <= budget, (
            f"the peak was {in_words(cost.peak)}, {in_words(cost.peak - budget)} above the budget"
        )
        assert cost.spilled or keys < budget, "nothing was spilled"


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=large_corpus.KINDS, default="plain")
    parser.add_argument("--goal", choices=("pairs", "clusters"), default="pairs")
    parser.add_argument("--memory", default="")
    parser.add_argument("--bands", type=int, default=85, help="number of bands of six rows; 0: chosen by the plan")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--work", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
