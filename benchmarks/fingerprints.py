"""Fingerprints: what is found among real and generated prints that are not aligned, and do aligned ones meet theory?

    python benchmarks/fingerprints.py [--templates FOLDER …] [--prints 2500 5000 10000] [--fingers 4000]
                                      [--gallery 200000]

Real prints: each folder has templates of one sensor. Prints of the same finger have the same name up to the last "_".
Prints that are not aligned: two generated prints of each finger, in any position and rotation, in which minutiae are
missing, false or moved (`Scans`), written as templates and read again.

Rates on a grid: two prints of each finger, and prints of neighbouring fingers in the list, are compared with 1,024
triples, which are drawn again for every hundred fingers. "z" is the difference between the measured and the expected
rate, in standard errors. Search on a grid: one print of each of 1,000 fingers against a gallery that contains another
print of each.
"""

from __future__ import annotations

import argparse
import resource
from functools import partial

import numpy as np
from common import measure

from lookalike.apps.fingerprints import (
    AlignedMatches,
    Grid,
    Model,
    Print,
    PrintMatches,
    Scans,
    Triples,
    book_rate,
    match,
    match_prints,
    read_prints,
    read_template,
    write_template,
)
from lookalike.flow import Shingles

CASES = {
    "as in MMDS, 100 × 100 squares": Model(Grid(100, 100)),
    "20 × 20 squares": Model(Grid(20, 20)),
    "jitter of a tenth of a square": Model(Grid(20, 20), jitter=0.1),
    "jitter of a quarter": Model(Grid(20, 20), jitter=0.25),
    "jitter, 10 % missing, spurious 0.02": Model(Grid(20, 20), minutia=0.2, missing=0.1, jitter=0.1, spurious=0.02),
    "spurious 0.05": Model(Grid(20, 20), spurious=0.05),
    "jitter of a quarter, margin of a quarter": Model(Grid(20, 20, margin=0.25), jitter=0.25),
}


def candidate_rates(model: Model, fingers: int) -> list[tuple[float, float]]:
    """Measured and expected shares of candidates: among pairs of prints of one finger, and of two fingers.

    The model gives the expected shares. It has no formula for grids with a margin; there, they are computed from the
    squares that the prints of each pair have in common.
    """
    drawn = model.fingers(fingers, 2, seed=3)
    found: list[list[np.ndarray]] = [[], []]
    chances: list[list[np.ndarray]] = [[], []]
    for start in range(0, fingers, 100):
        triples = Triples(model.grid.squares, seed=start)
        some = drawn[start : start + 100]
        left, right = (model.grid.sets([finger[i] for finger in some]) for i in (0, 1))
        for shift in (0, 1):
            shared = [len(np.intersect1d(left[i], right[i - shift])) for i in range(len(left))]
            chances[shift].append(triples.chance(np.array(shared)))
            both = bucket_table(triples, left) & np.roll(bucket_table(triples, right), shift, axis=0)
            found[shift].append(both.any(axis=1))
    expected = [float(np.concatenate(some).mean()) for some in chances]
    if not model.grid.margin:
        triples = Triples(model.grid.squares)
        expected = [model.same(triples), model.different(triples)]
    return list(zip((float(np.concatenate(some).mean()) for some in found), expected, strict=True))


def bucket_table(triples: Triples, sets: Shingles) -> np.ndarray:
    """A boolean matrix: whether each print (row) falls into the bucket of each triple (column)."""
    buckets = triples.buckets(sets)
    table = np.zeros((len(sets), triples.count), np.bool_)
    table[np.repeat(np.arange(len(sets)), buckets.sizes), buckets.values.astype(np.int64)] = True
    return table


def rates(fingers: int) -> None:
    print(f"\nMMDS: {book_rate(0.16):.4f} found, {book_rate(0.04):.4f} false candidates; {fingers:,} pairs per row\n")
    print("| prints | found | expected | z | false candidates | expected | z |\n|---|---|---|---|---|---|---|")
    for name, model in CASES.items():
        cells = []
        for rate, expected in candidate_rates(model, fingers):
            error = (expected * (1 - expected) / fingers) ** 0.5
            cells += [f"{rate:.4f}", f"{expected:.4f}", f"{(rate - expected) / error:+.1f}"]
        print(f"| {name} | {' | '.join(cells)} |")


def search(gallery: int) -> None:
    model = Model(Grid(20, 20), minutia=0.15, missing=0.1, jitter=0.1)
    drawn = model.fingers(gallery, 2, seed=5)
    queries: list[Print] = [finger[0] for finger in drawn[:1000]]
    known = [finger[1] for finger in drawn]
    for groups in (1, 2):
        triples = Triples(model.grid.squares, groups=groups)
        found, wall, cpu = measure.timed(partial(match, queries, known, grid=model.grid, triples=triples, threads=2))
        right = len({int(i) for i, j in zip(found.left_rows, found.right_rows, strict=True) if i == j})
        first = np.unique(found.left_rows, return_index=True)[1]
        best = sum(int(found.left_rows[i] == found.right_rows[i]) for i in first)
        print(
            f"{groups} group(s): {len(queries):,} prints against {gallery:,}: {right:,} found, {best:,} ranked first, "
            f"{len(found) / found.compared:.4f} of all pairs are candidates; {wall:.1f} s, {cpu:.1f} s of CPU time"
        )


RANKED = 8
"""How many of the first prints in the answer are looked at."""


def real(folders: list[str]) -> None:
    """Candidates, ranks and matches of real prints of several sensors."""
    print("| prints | candidates of one finger | of two | one of the first 8 | found | false | CPU |")
    print("|---|---|---|---|---|---|---|")
    for number, folder in enumerate(folders):
        prints = read_prints([folder])
        fingers = np.unique([one.name.rpartition("_")[0] for one in prints], return_inverse=True)[1]
        same = int((np.bincount(fingers) * (np.bincount(fingers) - 1) // 2).sum())
        others = len(prints) * (len(prints) - 1) // 2 - same
        every = match_prints(prints, threshold=0, threads=2)
        found, _, cpu = measure.timed(partial(match_prints, prints, threads=2))
        right = fingers[every.left_rows] == fingers[every.right_rows]
        matched = fingers[found.left_rows] == fingers[found.right_rows]
        print(
            f"| {len(prints)} of sensor {number + 1} | {right.sum() / same:.3f} | {(~right).sum() / others:.4f} "
            f"| {ranked(every, fingers):.4f} | {matched.sum():,} of {same:,} ({matched.sum() / same:.3f}) "
            f"| {(~matched).sum():,} of {others:,} | {cpu:.2f} s |"
        )


def ranked(found: AlignedMatches | PrintMatches, fingers: np.ndarray) -> float:
    """The share of prints that have one of their own finger among the most similar ones."""
    partners: list[list[int]] = [[] for _ in fingers]
    for left, right in zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True):
        partners[left].append(right)
        partners[right].append(left)
    hits = [any(fingers[row] == fingers[other] for other in best[:RANKED]) for row, best in enumerate(partners)]
    return float(np.mean(hits))


def growth(sizes: list[int]) -> None:
    """Time and recall for growing numbers of prints that are not aligned."""
    print("| prints | candidates | found | false | wall | CPU | memory |\n|---|---|---|---|---|---|---|")
    drawn = [one for finger in Scans().fingers(max(sizes) // 2, 2, seed=1) for one in finger]
    files = [write_template([one], width=1000, height=1000) for one in drawn]
    prints = [read_template(file, one.name)[0] for file, one in zip(files, drawn, strict=True)]
    for size in sorted(sizes):
        found, wall, cpu = measure.timed(partial(match_prints, prints[:size], threads=2))
        right = int((found.left_rows // 2 == found.right_rows // 2).sum())
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(
            f"| {size:,} | {found.candidates:,} ({found.candidates / found.compared:.4f}) "
            f"| {right:,} of {size // 2:,} ({right / (size // 2):.3f}) | {len(found) - right:,} "
            f"| {wall:.1f} s | {cpu:.1f} s | {memory:,.0f} MiB |"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--templates", nargs="*", default=[])
    parser.add_argument("--prints", type=int, nargs="*", default=[2500, 5000, 10_000])
    parser.add_argument("--fingers", type=int, default=4000)
    parser.add_argument("--gallery", type=int, default=200_000)
    options = parser.parse_args()
    print(f"\n{measure.machine()}\n")
    if options.templates:
        real(options.templates)
        print()
    if options.prints:
        growth(options.prints)
    if options.fingers:
        rates(options.fingers)
        print()
    if options.gallery:
        search(options.gallery)
