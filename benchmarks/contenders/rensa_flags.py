"""rensa: its full R-MinHash and its own index (Rust, all cores). Flags documents that share a band."""

from __future__ import annotations

import pyarrow as pa
from contenders import rensa_signatures, text_contender
from rensa import RMinHashLSH

BANDS, ROWS = 20, 5  # with 16 × 6, as in lookalike, the recall was slightly lower than lookalike's


def find(job: text_contender.Job) -> pa.Table:
    index = RMinHashLSH(threshold=0.8, num_perm=BANDS * ROWS, num_bands=BANDS)
    matrices, at = [], 0
    for matrix in rensa_signatures.signed(job, BANDS * ROWS):
        index.insert_matrix(matrix, at)
        matrices.append(matrix)
        at += matrix.len()
    flags = [flag for matrix in matrices for flag in index.query_duplicate_flags_matrix(matrix)]
    return pa.table({"flag": flags})


if __name__ == "__main__":
    text_contender.main(find, f"{BANDS}×{ROWS}, unchecked")
