"""Audits of simulated results: how often does the interval contain the true recall, and how wide is it?

    python benchmarks/audit_coverage.py [--samples 50 100 500 1000] [--seeds 200] [--only star clique]

A result is simulated as a graph: 20,000 documents, true pairs, and which of them were found. No texts are needed, so
that many kinds of corpora can be tried: single pairs, groups of very different sizes, one large group, and stars; with
pairs missed at random, by similarity, by document, or group by group. "coverage" is the share of intervals that contain
the true recall, and "width" is the mean width of the intervals.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.trust.intervals import Seen, Share, share_found
from lookalike.trust.sampling import Chances, ParetoSample, owned_halves
from lookalike.trust.tally import Missed

Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Miss = Callable[[Rows, Rows, int, np.random.Generator], Mask]
"""Decides which pairs of a group are missed: by their members, the size of the group, and at random."""

DOCUMENTS = 20_000
NO_TEXTS = pa.nulls(DOCUMENTS)


@dataclass(eq=False)
class Graph:
    """The true pairs of a corpus, and which of them were found."""

    name: str
    left: Rows
    right: Rows
    found: Mask

    def __post_init__(self) -> None:
        ends = np.concatenate([self.left, self.right])
        order = np.argsort(ends, kind="stable")
        self.others = np.concatenate([self.right, self.left])[order]
        self.hit = np.tile(self.found, 2)[order]
        self.starts = np.concatenate([[0], np.cumsum(np.bincount(ends, minlength=DOCUMENTS))])
        self.reported = np.bincount(ends[np.tile(self.found, 2)], minlength=DOCUMENTS)
        fewer = np.minimum(self.reported[self.left], self.reported[self.right])[self.found]
        self.fewer_others = float(np.mean(fewer - 1)) if len(fewer) else 0.0

    @property
    def recall(self) -> float:
        return float(self.found.mean())

    def audit(self, sample: int, seed: int) -> Share:
        """The share that an audit of this result measures."""
        by_partners = Chances(DOCUMENTS, sample, self.reported[self.reported > 0])
        every = by_partners.of(self.reported)
        drawn = ParetoSample(sample)
        drawn.add(np.random.default_rng(seed).random(DOCUMENTS), np.arange(DOCUMENTS), every, NO_TEXTS, None)
        rows, chances, _, _ = drawn.kept()
        partners = self.starts[rows + 1] - self.starts[rows]
        sampled = np.repeat(np.arange(len(rows)), partners)
        first = np.repeat(self.starts[rows] - np.concatenate([[0], np.cumsum(partners)[:-1]]), partners)
        place = np.arange(len(sampled)) + first
        others, missed = self.others[place], ~self.hit[place]
        halves = owned_halves(chances[sampled], every[others])
        misses = Missed(len(rows))
        misses.add(sampled, others, halves, chances[sampled], missed)
        owned = np.bincount(sampled, halves, len(rows)).astype(np.int64)
        seen = Seen(chances, owned, owned - misses.halves, partners, by_partners.least, len(sampled), self.fewer_others)
        return share_found(seen, misses.by_partners())


def at_random(share: float) -> Miss:
    return lambda left, right, size, rng: rng.random(len(left)) < share


def by_document(share: float) -> Miss:
    """Some documents miss all their partners."""

    def miss(left: Rows, right: Rows, size: int, rng: np.random.Generator) -> Mask:
        bad = rng.random(size) < share
        return bad[left] | bad[right]

    return miss


def by_similarity(bands: int, rows: int) -> Miss:
    """Copies with up to five of 40 tokens changed are found with the probability of the bands."""

    def miss(left: Rows, right: Rows, size: int, rng: np.random.Generator) -> Mask:
        edits = rng.integers(0, 6, size).astype(float)
        both = edits[left] + edits[right]
        return np.asarray(rng.random(len(left)) < (1 - ((40 - both) / (40 + both)) ** rows) ** bands)

    return miss


def whole_groups(share: float) -> Miss:
    return lambda left, right, size, rng: np.full(len(left), rng.random() < share)


def groups_of(size: int) -> Miss:
    return lambda left, right, own, rng: np.full(len(left), own == size)


def halves(left: Rows, right: Rows, size: int, rng: np.random.Generator) -> Mask:
    """Large groups are found in two halves."""
    return np.asarray((left % 2 != right % 2) & (size > 20))


def one_document(left: Rows, right: Rows, size: int, rng: np.random.Generator) -> Mask:
    """One document of the largest group misses all others."""
    return np.asarray((left == 0) & (size == 1000))


def groups(name: str, sizes: Sequence[int], miss: Miss) -> Graph:
    """A graph in which all members of a group are similar."""
    rng = np.random.default_rng(3)
    lefts, rights, found, start = [], [], [], 0
    for size in sizes:
        if start + size > DOCUMENTS:
            break
        if size > 1:
            left, right = np.triu_indices(size, 1)
            lefts.append(left + start)
            rights.append(right + start)
            found.append(~miss(left, right, size, rng))
        start += size
    return Graph(name, np.concatenate(lefts), np.concatenate(rights), np.concatenate(found))


def star(name: str, hubs: int, leaves: int, missed: Callable[[Rows, np.random.Generator], Mask]) -> Graph:
    """Documents that are similar to many others, which are not similar to one another; and 4,000 single pairs."""
    rng = np.random.default_rng(5)
    hub = np.repeat(np.arange(hubs), leaves)
    leaf = rng.integers(hubs, DOCUMENTS // 2, len(hub))
    left = np.arange(DOCUMENTS // 2, DOCUMENTS // 2 + 8000, 2)
    found = np.concatenate([~missed(hub, rng), rng.random(len(left)) > 0.01])
    return Graph(name, np.concatenate([hub, left]), np.concatenate([leaf, left + 1]), found)


def heavy_tailed(largest: int, shape: float, seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    sizes = np.minimum(2 + rng.pareto(shape, DOCUMENTS).astype(np.int64), largest)
    return [int(size) for size in np.where(rng.random(DOCUMENTS) < 0.4, 1, sizes)]


def graphs() -> Iterator[Graph]:
    pairs, clique = [2] * (DOCUMENTS // 5), [1000] + [2] * (DOCUMENTS // 10)
    for share in (0.1, 0.01, 0.001):
        yield groups(f"single pairs, {share} at random", pairs, at_random(share))
    yield groups("200 single pairs, 0.05 at random", [2] * 200, at_random(0.05))
    for share in (0.1, 0.001):
        yield groups(f"a group of 1,000, {share} at random", clique, at_random(share))
    yield groups("a group of 1,000, 0.005 of the documents", clique, by_document(0.005))
    yield groups("a group of 1,000, one document", clique, one_document)
    yield groups("a group of 1,000 in two halves", clique, halves)
    yield groups("a group of 1,000 missed", [1000] + [2] * 4000, groups_of(1000))
    yield groups("a group of 1,000, one of 100 missed", [1000, 100] + [2] * 1000, groups_of(100))
    kinds = {"200": heavy_tailed(200, 1.2, 7), "2,000": heavy_tailed(2000, 1.0, 9)}
    kinds["20, and one of 120"] = [120, *heavy_tailed(20, 1.2, 11)]
    for name, sizes in kinds.items():
        for share in (0.3, 0.01, 0.0005):
            yield groups(f"groups up to {name}, {share} at random", sizes, at_random(share))
        yield groups(f"groups up to {name}, 16 × 6 bands", sizes, by_similarity(16, 6))
        yield groups(f"groups up to {name}, 9 × 13 bands", sizes, by_similarity(9, 13))
        yield groups(f"groups up to {name}, 0.01 of the documents", sizes, by_document(0.01))
        yield groups(f"groups up to {name}, 0.02 of the groups", sizes, whole_groups(0.02))
        yield groups(f"groups up to {name}, 0.3 of the groups", sizes, whole_groups(0.3))
    yield groups("nothing missed", kinds["200"], at_random(0))
    yield groups("everything missed", kinds["200"], at_random(1))
    yield groups("0.99 missed", kinds["200"], at_random(0.99))
    yield groups("groups of 5, 0.02 at random", [5] * 2000, at_random(0.02))
    yield groups("groups of 5, 0.02 of the groups", [5] * 2000, whole_groups(0.02))
    yield groups("groups of 20, 0.02 of the groups", [20] * 500, whole_groups(0.02))
    yield star("a star of 1,000, missed", 1, 1000, lambda hub, rng: np.ones(len(hub), np.bool_))
    yield star("20 stars of 500, 0.05 at random", 20, 500, lambda hub, rng: rng.random(len(hub)) < 0.05)
    yield star("20 stars of 500, one missed", 20, 500, lambda hub, rng: hub == 0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=int, nargs="+", default=[50, 100, 500, 1000])
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--only", nargs="*", default=[""])
    options = parser.parse_args()
    print(f"{DOCUMENTS:,} documents, {options.seeds} seeds\n")
    print("| result | recall | " + " | ".join(f"{n:,}: coverage | width" for n in options.samples) + " |")
    print("|---|---|" + "---|---|" * len(options.samples))
    for graph in graphs():
        if not any(word in graph.name for word in options.only):
            continue
        cells = []
        for sample in options.samples:
            shares = [graph.audit(sample, seed) for seed in range(options.seeds)]
            slack = 1e-12  # of floating point, where all documents with pairs are in the sample
            held = [share.low - slack <= graph.recall <= share.high + slack for share in shares]
            cells += [f"{np.mean(held):.3f}", f"{np.mean([share.width for share in shares]):.4f}"]
        print(f"| {graph.name} | {graph.recall:.4f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
