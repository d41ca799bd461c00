"""Audits: how often does the interval contain the true recall, how wide is it, and what does an audit cost?

    python benchmarks/audit.py [--documents 20000] [--seeds 200] [--sample 1000] [--only "9 × 13"]

The corpus consists of 20,000 texts of about 300 words. 40 % of originals have no near-copies; the others have 1 to 199
(heavy-tailed family sizes), with target similarities of 0.7 to 1. An exact join finds all true pairs. Every plan is run
once and audited once per seed. "coverage" is the share of intervals that contain the true value.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from common import measure, text_kinds

import lookalike as la
from lookalike.trust.intervals import Share

PLANS: dict[str, dict[str, Any]] = {
    "recall 0.99 (16 × 6)": {},
    "20 × 9": {"bands": 20, "rows": 9, "hashes": 180},
    "9 × 13": {"bands": 9, "rows": 13},
    "9 × 13, unchecked": {"bands": 9, "rows": 13, "verify": "none"},
}


def corpus(documents: int, seed: int = 1) -> pa.Table:
    """Texts with families of near-copies, in random order."""
    rng, kind = np.random.default_rng(seed), text_kinds.KINDS["zipf"]
    texts: list[str] = []
    while len(texts) < documents:
        original = kind.original(rng)
        size = 1 if rng.random() < 0.4 else min(2 + int(rng.pareto(1.2)), 200)
        texts += [
            kind.text(original if i == 0 else kind.edited(original, rng.uniform(0.7, 1), rng)) for i in range(size)
        ]
    return pa.table({"text": [texts[i] for i in rng.permutation(documents)]})


def row(name: str, true: float, shares: Sequence[Share], seconds: float) -> str:
    coverage = np.mean([share.low <= true <= share.high for share in shares])
    widths, pairs = [share.width for share in shares], np.mean([share.of for share in shares])
    numbers = f"{true:.4f} | {coverage:.3f} | {np.mean(widths):.4f} | {max(widths):.4f} | {pairs:,.0f} | {seconds:.2f}"
    return f"| {name} | {numbers} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--sample", type=int, default=1000)
    parser.add_argument("--only", nargs="*", choices=PLANS)
    options = parser.parse_args()
    texts = corpus(options.documents)
    exact = la.find_pairs(texts, threshold=0.8, recall=1, shingles="words:5")
    true = set(zip(exact.left_rows.tolist(), exact.right_rows.tolist(), strict=True))
    print(f"{measure.machine()}; {options.documents:,} documents, {len(true):,} true pairs, {options.seeds} seeds\n")
    print("| plan | measured | true | coverage | mean width | greatest | pairs | CPU s per audit |")
    print("|---|---|---|---|---|---|---|---|")
    for name, plan in ((name, PLANS[name]) for name in options.only or PLANS):
        found = la.find_pairs(texts, threshold=0.8, shingles="words:5", **plan)
        listed = set(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True))
        labels = found.clusters().labels
        began = time.process_time()
        audits = [la.audit(found, texts, sample=options.sample, seed=seed) for seed in range(options.seeds)]
        seconds = (time.process_time() - began) / options.seeds
        values = {
            "pair_recall": len(true & listed) / len(true),
            "cluster_recall": float(np.mean(labels[exact.left_rows] == labels[exact.right_rows])),
            "precision": len(true & listed) / len(listed),
        }
        for measured, value in values.items():
            shares = [getattr(audit, measured) for audit in audits]
            print(row(f"{name} | {measured.replace('_', ' ')}", value, shares, seconds), flush=True)


if __name__ == "__main__":
    main()
