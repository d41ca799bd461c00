"""Sets of words, of important words, and of shingles: which pairs does each find, with and without boilerplate?

    python benchmarks/weights.py [--documents 400] [--kinds shuffled 4-sites 40-sites]

Copies of one original (and the original) are related; all other pairs are not. The kind `shuffled` is `zipf` with as
many documents again, which contain the words of an earlier document in random order: they are not related to it. In
the kind `4-sites`, every document is a story inside the furniture of one of 4 web sites, which is twice as long as the
story; a related document is an edited copy of the story on another site. Every method is run at several thresholds;
the table shows the threshold with the best F-measure of pairs.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from common import corpus, measure, text_kinds

import lookalike as la

THRESHOLDS = ("0.1", "0.15", "0.2", "0.25", "0.3", "0.4", "0.5", "0.6", "0.7", "0.8", "0.9")
METHODS: dict[str, dict[str, Any]] = {
    "words": {"shingles": "words:1"},
    "words, weights": {"shingles": "words:1", "weights": "idf"},
    "words, without common ones (5%)": {"shingles": "words:1", "ignore_common": 0.05},
    "words:5": {"shingles": "words:5"},
    "words:5, weights": {"shingles": "words:5", "weights": "idf"},
    "words:5, without common ones (5%)": {"shingles": "words:5", "ignore_common": 0.05},
    "words:5, without common ones (0.5%)": {"shingles": "words:5", "ignore_common": 0.005},
}


STORY = 150
"""The number of words of a story. The furniture of a site is twice as long."""


def documents(kind: str, count: int) -> tuple[list[str], np.ndarray]:
    """Texts, and for each the row of its original."""
    if kind.endswith("sites"):
        return pages_of_sites(count, int(kind.partition("-")[0]))
    table = pq.read_table(corpus.write("zipf" if kind == "shuffled" else kind, count))
    texts = table["text"].to_pylist()
    roots = np.array([row if source is None else source for row, source in enumerate(table["copy_of"].to_pylist())])
    if kind == "shuffled":
        rng = np.random.default_rng(1)
        texts += [" ".join(rng.permutation(text.split()).tolist()) for text in texts]
        roots = np.concatenate([roots, np.arange(len(roots), 2 * len(roots))])
    return texts, roots


def pages_of_sites(count: int, sites: int) -> tuple[list[str], np.ndarray]:
    """Pages of several sites. One in ten has an edited copy of an earlier story, on another site."""
    kind, rng = text_kinds.KINDS["zipf"], np.random.default_rng(4)

    def words(number: int) -> np.ndarray:
        return np.concatenate([kind.original(rng) for _ in range(1 + number // 20)])[:number]

    furniture = [words(2 * STORY) for _ in range(sites)]
    stories: list[np.ndarray] = []
    roots, texts = np.arange(count), []
    for row in range(count):
        site = row % sites
        if row > sites and rng.random() < 0.1:
            source = int(rng.integers(row))
            source -= source % sites == site  # on another site
            roots[row] = roots[source]
            stories.append(kind.edited(stories[source], rng.uniform(0.7, 1), rng))
        else:
            stories.append(words(STORY))
        texts.append(kind.text(np.concatenate([furniture[site][:STORY], stories[row], furniture[site][STORY:]])))
    return texts, roots


def scores(texts: list[str], roots: np.ndarray, threshold: str, how: dict[str, Any]) -> tuple[float, float, float]:
    """Precision, recall and F-measure of the pairs."""
    found = la.find_pairs(texts, threshold=threshold, progress=False, **how)
    sizes = np.bincount(roots)
    right = np.count_nonzero(roots[found.left_rows] == roots[found.right_rows])
    related = int((sizes * (sizes - 1) // 2).sum())
    precision, recall = right / max(1, len(found)), right / related
    return precision, recall, 2 * precision * recall / max(1e-12, precision + recall)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--kinds", nargs="*", default=["shuffled", "4-sites", "40-sites"])
    asked = parser.parse_args()
    print(f"{measure.machine()}; {asked.documents:,} documents\n")
    print("| corpus | method | best threshold | precision | recall | F | CPU s, all thresholds |")
    print("|---|---|---|---|---|---|---|")
    for kind in asked.kinds:
        texts, roots = documents(kind, asked.documents)
        for name, how in METHODS.items():
            began = time.process_time()
            tried = {threshold: scores(texts, roots, threshold, how) for threshold in THRESHOLDS}
            best = max(tried, key=lambda threshold: tried[threshold][2])
            values = " | ".join(f"{value:.3f}" for value in tried[best])
            print(f"| {kind} | {name} | {best} | {values} | {time.process_time() - began:.1f} |", flush=True)


if __name__ == "__main__":
    main()
