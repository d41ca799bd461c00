"""A corpus with known pairs: families of edited copies, of very different sizes, and unrelated documents."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

import lookalike as la


def families(documents: int, seed: int = 1, *, alone: float = 0.4, largest: int = 60) -> pa.Table:
    """Lists of 40 tokens, in random order; members of a family differ from the first in 0 to 5 tokens."""
    rng = np.random.default_rng(seed)
    rows: list[list[int]] = []
    while len(rows) < documents:
        base = rng.integers(0, 10**9, 40)
        size = 1 if rng.random() < alone else min(2 + int(rng.pareto(1.2)), largest)
        for _ in range(size):
            copy = base.copy()
            changed = rng.choice(40, rng.integers(0, 6), replace=False)
            copy[changed] = rng.integers(0, 10**9, len(changed))
            rows.append(copy.tolist())
    order = rng.permutation(documents)
    return pa.table({"id": [f"d{row}" for row in range(documents)], "text": [[*map(str, rows[i])] for i in order]})


def true_shares(corpus: pa.Table, result: la.Pairs | la.Clusters) -> tuple[float, float]:
    """The shares of true pairs that the result lists, and whose documents are in one cluster."""
    true = la.join(corpus, threshold=0.8)
    known = set(zip(true.left_rows.tolist(), true.right_rows.tolist(), strict=True))
    clusters = result if isinstance(result, la.Clusters) else result.clusters()
    together = clusters.labels[true.left_rows] == clusters.labels[true.right_rows]
    listed = known
    if isinstance(result, la.Pairs):
        listed = known & set(zip(result.left_rows.tolist(), result.right_rows.tolist(), strict=True))
    return len(listed) / len(known), float(np.mean(together))
