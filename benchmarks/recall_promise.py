"""Is a pair exactly at the threshold found with the promised probability, whatever the sizes of its sets?

    python benchmarks/recall_promise.py [--pairs 1000000] [--thresholds 0.5 0.8 0.9 0.95] [--recalls 0.5 0.9 0.99 0.999]
    python benchmarks/recall_promise.py --sketches classic --pairs 100000

Draws pairs of random sets whose union has n elements, and whose intersection has exactly the share t of them, signs
them with the kernel, and counts the pairs with an equal band, for the bands that `choose_bands` chooses. Every
thousandth part of the pairs has a seed of its own. "formula" is 1 − (1 − tʳ)ᵇ, "evenly spread" is
the probability if exactly the share t of all slots agrees. The standard error follows the table.

Two slots are equal if the smallest value of the union comes from an element of the intersection. So only the
intersection and the other elements are signed, n elements per pair instead of up to 2n; `--whole` signs both sets.
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction

import numpy as np
import numpy.typing as npt
from common import measure

from lookalike.errors import InvalidOption
from lookalike.families.amplify import Banded, choose_bands
from lookalike.families.chance import even_hit
from lookalike.flow import Shingles
from lookalike.kernel import default

UNIONS = (5, 10, 20, 30, 40, 50, 60, 80, 100, 120, 160, 200, 300, 500, 1000)
HASHES = 128
PARTS = 1000
"""The pairs are drawn in at most this many parts, each with a seed of its own."""

Agreement = npt.NDArray[np.bool_]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=1_000_000)
    parser.add_argument("--thresholds", nargs="*", default=["0.5", "0.8", "0.9", "0.95"])
    parser.add_argument("--recalls", nargs="*", type=float, default=[0.5, 0.9, 0.95, 0.99, 0.999])
    parser.add_argument("--unions", nargs="*", type=int, default=list(UNIONS))
    parser.add_argument("--sketches", nargs="*", default=["fast", "classic"])
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--whole", action="store_true", help="sign both sets of each pair")
    asked = parser.parse_args()
    print(f"{measure.machine()}; {asked.pairs:,} pairs per row\n")
    for sketch in asked.sketches:
        for threshold in asked.thresholds:
            table(sketch, Fraction(threshold), asked)


def table(sketch: str, threshold: Fraction, asked: argparse.Namespace) -> None:
    chosen: dict[float, Banded] = {}
    for recall in asked.recalls:
        try:
            chosen[recall] = choose_bands(float(threshold), recall, HASHES)
        except InvalidOption:
            continue
    print(f"| {sketch}, threshold {float(threshold)}: union | " + " | ".join(map(str, chosen)) + " | CPU s |")
    print("|---|" + "---|" * (len(chosen) + 1))
    print("| bands × rows | " + " | ".join(f"{one.bands} × {one.rows}" for one in chosen.values()) + " | |")
    formula = [one.collision_probability(float(threshold)) for one in chosen.values()]
    print("| formula | " + " | ".join(f"{value:.5f}" for value in formula) + " | |")
    even = [even_hit(float(threshold), one.bands, one.rows, HASHES) for one in chosen.values()]
    print("| evenly spread | " + " | ".join(f"{value:.5f}" for value in even) + " | |")
    least = dict.fromkeys(chosen, (2.0, 0))
    for union in asked.unions:
        if union % threshold.denominator:
            continue
        began = time.process_time()
        found = recalls(sketch, union, threshold, list(chosen.values()), asked)
        for recall, share in zip(chosen, found, strict=True):
            least[recall] = min(least[recall], (share, union))
        marks = (f"{share:.5f}{' (!)' * (share < recall)}" for recall, share in zip(chosen, found, strict=True))
        print(f"| {union:,} | " + " | ".join(marks) + f" | {time.process_time() - began:.0f} |", flush=True)
    print("| least | " + " | ".join(f"{share:.5f} at {union:,}" for share, union in least.values()) + " | |")
    errors = (np.sqrt(share * (1 - share) / asked.pairs) for share, _ in least.values())
    print("| standard error | " + " | ".join(f"{error:.5f}" for error in errors) + " | |\n", flush=True)


def recalls(
    sketch: str, union: int, threshold: Fraction, bandings: list[Banded], asked: argparse.Namespace
) -> list[float]:
    """The share of pairs that each banding finds."""
    hits = np.zeros(len(bandings), np.int64)
    parts = min(PARTS, asked.pairs)
    for seed in range(parts):
        pairs = asked.pairs * (seed + 1) // parts - asked.pairs * seed // parts
        agree = agreement(sketch, union, int(union * threshold), pairs, seed, asked.threads, whole=asked.whole)
        hits += [np.count_nonzero(equal_band(agree, banded)) for banded in bandings]
    return [float(hit) / asked.pairs for hit in hits]


def agreement(
    sketch: str, union: int, common: int, pairs: int, seed: int, threads: int = 1, *, whole: bool = False
) -> Agreement:
    """Which slots are equal, for random pairs of sets with so many elements in their union and intersection."""
    elements = np.random.default_rng((seed, union, common)).integers(0, 2**64, (pairs, union), np.uint64)
    if whole:
        half = (union - common) // 2
        one = np.concatenate([elements[:, :common], elements[:, common : common + half]], axis=1)
        two = np.concatenate([elements[:, :common], elements[:, common + half :]], axis=1)
        return np.asarray(signed(one, sketch, seed, threads) == signed(two, sketch, seed, threads))
    inside, outside = elements[:, :common], elements[:, common:]
    return np.asarray(signed(inside, sketch, seed, threads) < signed(outside, sketch, seed, threads))


def signed(elements: npt.NDArray[np.uint64], sketch: str, seed: int, threads: int) -> npt.NDArray[np.uint64]:
    rows, size = elements.shape
    sets = Shingles(np.arange(rows + 1, dtype=np.int64) * size, np.sort(elements, axis=1).ravel())
    return default(threads).sign(sets, sketch=sketch, hashes=HASHES, seed=seed)


def equal_band(agree: Agreement, banded: Banded) -> Agreement:
    """Whether all slots of at least one band are equal."""
    slots = agree[:, : banded.bands * banded.rows]
    whole = np.asarray(slots.reshape(len(agree), banded.bands, banded.rows).all(axis=2))
    return np.asarray(whole.any(axis=1))


if __name__ == "__main__":
    main()
