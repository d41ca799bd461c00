"""datasketch: near-duplicate pairs with MinHash and MinHashLSH, as its documentation shows them."""

from __future__ import annotations

import pyarrow.parquet as pq
from datasketch import MinHash, MinHashLSH


def near_duplicates(path: str) -> list[tuple[int, int]]:
    texts = pq.read_table(path, columns=["text"])["text"].to_pylist()
    words = (text.lower().split() for text in texts)
    shingles = ([" ".join(run).encode() for run in zip(*(w[i:] for i in range(5)), strict=False)] for w in words)
    lsh = MinHashLSH(threshold=0.8, num_perm=128)
    minhashes: list[MinHash] = []
    pairs = []
    for row, minhash in enumerate(MinHash.generator(shingles, num_perm=128)):
        pairs += [(other, row) for other in lsh.query(minhash) if minhash.jaccard(minhashes[other]) >= 0.8]
        lsh.insert(row, minhash)
        minhashes.append(minhash)
    return pairs
