"""rensa: its full R-MinHash (Rust, all cores), joined with NumPy."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from contenders import band_join, rensa_signatures, text_contender

BANDS, ROWS = 20, 5
ESTIMATE = 0.68  # see daft_pairs


def find(job: text_contender.Job) -> pa.Table:
    rows = [np.array(matrix.to_rows(), dtype=np.uint32) for matrix in rensa_signatures.signed(job, BANDS * ROWS)]
    return band_join.join(np.concatenate(rows), BANDS, ROWS, ESTIMATE)


if __name__ == "__main__":
    text_contender.main(find, f"{BANDS}×{ROWS}, estimate ≥ {ESTIMATE}")
