"""Shingles: what does each kind make `dedupe` remove wrongly, and what does it miss?

    python benchmarks/shingles.py --data DATA [--repository FOLDER:SUFFIX …] [--corpus NAME …] [--shingles KIND …]

Each corpus has a truth: texts with the same label are the same thing. A simulated `dedupe --linkage star` takes the
texts in input order, and removes a text if a text that was kept is similar to it (all pairs are found: recall=1).

    wrong     removed texts whose kept text has another label
    missed    kept texts, although a text with the same label was kept before

The truth is imperfect in both directions: packages that share a description count as wrong, and notices of one licence
with different wordings as missed. Compare kinds on the same corpus only.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
from common.labelled_texts import corpora

import lookalike as la

KINDS = "auto chars:5 chars:9 words:1 words:2 words:3 words:5 symbols:3 symbols:5".split()
THRESHOLDS = (0.7, 0.8, 0.9)


def removed_and_missed(labels: list[str], pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """The number of texts that star linkage removes wrongly, and the number that it should have removed."""
    similar = defaultdict(list)
    for left, right in pairs:
        similar[right].append(left)
    kept: set[int] = set()
    seen: set[str] = set()
    wrong = missed = 0
    for row, label in enumerate(labels):
        survivors = [other for other in similar[row] if other in kept]
        if survivors:
            wrong += labels[min(survivors)] != label
            continue
        kept.add(row)
        missed += label in seen
        seen.add(label)
    return wrong, missed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path("data"), help="a folder with text/ and records/")
    parser.add_argument("--repository", nargs="*", default=[], help="git repositories, as FOLDER:SUFFIX")
    parser.add_argument("--corpus", nargs="*", default=[], help="only corpora whose names contain one of these")
    parser.add_argument("--shingles", nargs="*", default=KINDS)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name, read in corpora(arguments.data, arguments.repository):
        if arguments.corpus and not any(part in name for part in arguments.corpus):
            continue
        texts, labels = read()
        repeated = len(labels) - len(set(labels))
        print(f"\n{name}: {len(texts):,} texts, median {np.median([len(t) for t in texts]):,.0f} characters, ", end="")
        print(
            f"{repeated:,} repeat a label\n\n| shingles |", " | ".join(f"wrong, missed at {t}" for t in THRESHOLDS), "|"
        )
        print("|---|" + "---|" * len(THRESHOLDS))
        for kind in arguments.shingles:
            found = la.find_pairs(texts, shingles=kind, threshold=min(THRESHOLDS), recall=1.0)
            cells = []
            for threshold in THRESHOLDS:
                pairs = [pair[:2] for pair in found if pair[2] >= threshold - 1e-12]
                cells.append("{:,}, {:,}".format(*removed_and_missed(labels, pairs)))
            shown = f"auto: {found.summary.shingles}" if kind == "auto" else kind
            print(f"| {shown} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
