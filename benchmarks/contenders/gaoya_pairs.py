"""gaoya: MinHashStringIndex (Rust, all cores). Inserts all documents, then queries all."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from contenders import text_contender
from gaoya.minhash import MinHashStringIndex

BANDS, ROWS = 20, 5
ESTIMATE = 0.68  # see daft_pairs


def find(job: text_contender.Job) -> pa.Table:
    documents = text_contender.read(job)
    index = MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=ESTIMATE,
        num_bands=BANDS,
        band_size=ROWS,
        analyzer="word",
        ngram_range=(job.k, job.k),
        id_container="smallvec",
    )
    index.par_bulk_insert_docs(list(range(len(documents))), documents)
    partners = index.par_bulk_query(documents)
    left = np.repeat(np.arange(len(partners)), [len(found) for found in partners])
    right = np.fromiter((row for found in partners for row in found), dtype=np.int64, count=len(left))
    once = left < right
    return pa.table({"left": left[once], "right": right[once]})


if __name__ == "__main__":
    text_contender.main(find, f"{BANDS}×{ROWS}, estimate ≥ {ESTIMATE}")
