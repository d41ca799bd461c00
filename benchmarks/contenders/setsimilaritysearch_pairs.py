"""SetSimilaritySearch: all pairs of sets at a Jaccard threshold. The time excludes reading."""

from __future__ import annotations

import itertools
import json
import sys
import time

import numpy as np
from SetSimilaritySearch import all_pairs


def main(path: str, threshold: str) -> None:
    with np.load(path) as arrays:
        offsets, values = arrays["offsets"].tolist(), arrays["values"].tolist()
    rows = [values[begin:end] for begin, end in itertools.pairwise(offsets) if end > begin]
    began = time.perf_counter()
    count = sum(1 for _ in all_pairs(rows, similarity_func_name="jaccard", similarity_threshold=float(threshold)))
    print(json.dumps({"pairs": count, "seconds": time.perf_counter() - began}))


if __name__ == "__main__":
    main(*sys.argv[1:])
