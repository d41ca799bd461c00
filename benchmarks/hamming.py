"""Pairs of bit strings within a Hamming distance: how long does the exact join take, and how long comparing every pair?

    python benchmarks/hamming.py [--rows 1000000] [--bits 64] [--threads 1]

A tenth of the rows are copies of others with a few bits turned. Every pair is compared for 40,000 rows, with the same
kernel and instructions, and the time is extrapolated to all rows. The pairs of those rows are checked.
"""

from __future__ import annotations

import argparse

import numpy as np
from common import measure
from common.measure import timed

import lookalike as la
from lookalike.kernel import Cpu

COMPARED = 40_000


def main(rows: int, bits: int, threads: int) -> None:
    rng = np.random.default_rng(1)
    words = rng.integers(0, 2**64, (rows, bits // 64), np.uint64)
    few = rows // 10
    words[-few:] = words[:few]
    for _ in range(3):
        words[np.arange(rows - few, rows), rng.integers(0, bits // 64, few)] ^= np.uint64(1) << rng.integers(
            0, 64, few
        ).astype(np.uint64)
    codes = words.view(np.uint8)
    some = np.ascontiguousarray(np.concatenate([words[: COMPARED // 2], words[-few : COMPARED // 2 - few or None]]))
    print(f"{measure.machine()}; {rows:,} rows of {bits} bits; {threads} threads\n")
    print("| distance | pairs | CPU s | s | every pair, CPU s (extrapolated) | ratio | how |")
    print("|---|---|---|---|---|---|---|")
    for distance in (1, 2, 3, 4, 6, 8):

        def join(x: object = codes, distance: int = distance) -> la.Pairs:
            return la.find_pairs(x, measure="hamming", distance=distance, recall=1.0, threads=threads)

        found, seconds, cpu = min((timed(join) for _ in range(3)), key=lambda one: one[2])
        most, none = np.full(len(some), distance, np.uint32), np.zeros((0, len(some)), np.uint32)
        every, _, brute = timed(lambda: Cpu(threads).pairs_of_bits(some, none, most))  # noqa: B023
        again = join(some.view(np.uint8))
        assert np.array_equal(again.left_rows, every.left) and np.array_equal(again.right_rows, every.right)
        brute *= (rows / len(some)) ** 2
        print(f"| {distance} | {len(found):,} | {cpu:.2f} | {seconds:.2f} | {brute:,.0f} | {brute / cpu:,.0f}× "
              f"| {found.how} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--bits", type=int, default=64)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    main(options.rows, options.bits, options.threads)
