"""datasketch: WeightedMinHash of dense vectors, one after the other, and of a sparse matrix ("experimental").

    python contenders/datasketch_weighted.py SETS.npz HASHES

SETS has arrays offsets, values, weights (of all sets) and vocabulary (how many elements there are). Prints seconds of
CPU time for each way, and the mean of the estimates for each pair of neighbouring sets.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np
import scipy.sparse
from datasketch import WeightedMinHashGenerator

CHUNK = 50  # sets of one sparse matrix: it keeps several numbers for every weight and hash


def main(path: str, hashes: int) -> None:
    data = np.load(path)
    offsets, values, weights = data["offsets"], data["values"], data["weights"]
    shape = (len(offsets) - 1, int(data["vocabulary"]))
    matrix = scipy.sparse.csr_matrix((weights, values, offsets), shape=shape)
    vectors = [np.asarray(row.todense()).ravel() for row in matrix]
    generator = WeightedMinHashGenerator(shape[1], sample_size=hashes)  # its random numbers are not counted
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
