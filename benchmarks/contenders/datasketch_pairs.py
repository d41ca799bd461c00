"""datasketch: MinHash with one process per core, MinHashLSH in a single process (it is a Python dictionary)."""

from __future__ import annotations

from functools import partial
from multiprocessing import Pool

import numpy as np
import pyarrow as pa
import xxhash
from contenders import text_contender
from datasketch import MinHash, MinHashLSH

BANDS, ROWS = 20, 5
ESTIMATE = 0.68  # see daft_pairs; its documentation recommends filtering the results by MinHash.jaccard
BATCH = 1_000


def sign(k: int, documents: list[str]) -> np.ndarray:
    sets = [text_contender.shingles(text, k) for text in documents]
    signed = MinHash.bulk(sets, num_perm=BANDS * ROWS, hashfunc=xxhash.xxh32_intdigest)
    return np.array([minhash.hashvalues for minhash in signed])


def find(job: text_contender.Job) -> pa.Table:
    documents = text_contender.read(job)
    batches = [documents[at : at + BATCH] for at in range(0, len(documents), BATCH)]
    with Pool() as pool:
        signatures = np.concatenate(list(pool.imap(partial(sign, job.k), batches)))
    index = MinHashLSH(num_perm=BANDS * ROWS, params=(BANDS, ROWS))
    left, right = [], []
    scheme = MinHash(num_perm=BANDS * ROWS)
    minhash = partial(MinHash, num_perm=BANDS * ROWS, permutations=scheme.permutations, scheme=scheme.scheme)
    for row, values in enumerate(signatures):
        signed = minhash(hashvalues=values)
        for other in index.query(signed):
            left.append(other)
            right.append(row)
        index.insert(row, signed, check_duplication=False)
    found = np.array([left, right], dtype=np.int64)
    similar = (signatures[found[0]] == signatures[found[1]]).mean(axis=1) >= ESTIMATE
    return pa.table({"left": found[0][similar], "right": found[1][similar]})


if __name__ == "__main__":
    text_contender.main(find, f"{BANDS}×{ROWS}, estimate ≥ {ESTIMATE}")
