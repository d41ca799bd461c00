"""datasketch: WeightedMinHash of dense vectors, one at a time, and of a sparse matrix (experimental).

    python contenders/datasketch_weighted.py SETS.npz HASHES

SETS contains the arrays offsets, values and weights of all sets, and the size of the vocabulary. Prints the CPU seconds
of both methods, and the mean estimated similarity of pairs of neighbouring sets.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import scipy.sparse
from datasketch import WeightedMinHashGenerator

CHUNK = 50  # sets per sparse matrix: the method stores several numbers per weight and hash


def main(path: str, hashes: int) -> None:
    data = np.load(path)
    offsets, values, weights = data["offsets"], data["values"], data["weights"]
    shape = (len(offsets) - 1, int(data["vocabulary"]))
    matrix = scipy.sparse.csr_matrix((weights, values, offsets), shape=shape)
    vectors = [np.asarray(row.todense()).ravel() for row in matrix]
    generator = WeightedMinHashGenerator(shape[1], sample_size=hashes)  # not timed: it creates the random numbers
    began = time.process_time()
    signed = [generator.minhash(vector) for vector in vectors]
    dense = time.process_time() - began
    began = time.process_time()
    for start in range(0, shape[0], CHUNK):
        generator.minhash_many(matrix[start : start + CHUNK])
    sparse = time.process_time() - began
    estimate = float(np.mean([a.jaccard(b) for a, b in zip(signed[::2], signed[1::2], strict=True)]))
    print(json.dumps({"dense": dense, "sparse": sparse, "estimate": estimate}))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
