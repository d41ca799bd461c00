"""The definition of the kernel's arithmetic on vectors, in plain NumPy. The kernel must return exactly these values.

A hash function is a coordinate of a random rotation, H·D₃·H·D₂·H·D₁ with random signs Dᵢ and the Hadamard matrix H.
Sums and differences are computed in a fixed order, so that all machines round alike. A rotation of n coordinates gives
n functions; if more functions are needed, several rotations are used.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt

from lookalike.families.darts import GOLDEN, mix

Floats = npt.NDArray[np.float32]
Keys = npt.NDArray[np.uint32]

LEAST = 512
"""The minimum number of coordinates of a rotation. With fewer, coordinates are mixed too little: with 64, one function
in 500 is 0 on two axes.
"""


def random(seed: int, what: int, index: int) -> int:
    """Returns random number `index` of the stream `what`: 1 for signs, 2 for shifts of lines, 3 for bit positions."""
    return mix(mix(seed + what * GOLDEN) + (index + 1) * GOLDEN)


def size_of(width: int) -> int:
    """Returns the number of coordinates of a rotation for vectors of this width, which are padded with zeros."""
    return max(LEAST, 1 << (width - 1).bit_length())


def hadamard(x: Floats) -> Floats:
    """Returns the product H·x for each row x, without the scale factor that would make it a rotation.

    >>> hadamard(np.array([[1, 2, 3, 5]], np.float32)).tolist()
    [[11.0, -3.0, -5.0, 1.0]]
    """
    rows, size = x.shape
    half = 1
    while half < size:
        pairs = x.reshape(rows, size // (2 * half), 2, half)
        x = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2).reshape(rows, size)
        half *= 2
    return x


def rotated(x: Floats, seed: int, rotation: int) -> Floats:
    """Rotates the vectors once, and multiplies them by size^1.5, where size is the number of coordinates."""
    size = size_of(x.shape[1])
    x = np.pad(x, ((0, 0), (0, size - x.shape[1])))
    for turn in range(3):
        first = (3 * rotation + turn) * size
        signs = [-1.0 if random(seed, 1, first + j) >> 63 else 1.0 for j in range(size)]
        x = hadamard(x * np.array(signs, np.float32))
    return x


def coordinates(x: Floats, functions: int, seed: int) -> Floats:
    """Returns the values of the first `functions` hash functions: the coordinates of successive rotations."""
    size = size_of(x.shape[1])
    blocks = [rotated(x, seed, rotation) for rotation in range(-(-functions // size))]
    return np.concatenate(blocks, axis=1)[:, :functions]


def hyperplane_keys(x: Floats, bands: int, rows: int, seed: int) -> Keys:
    """Returns the key of each vector in each band: the signs of `rows` coordinates, the first as the highest bit."""
    negative = np.signbit(coordinates(x, bands * rows, seed)).astype(np.uint32)
    key = np.zeros((len(x), bands), np.uint32)
    for row in range(rows):
        key = (key << np.uint32(1)) | negative[:, row::rows]
    return np.ascontiguousarray(key.T)


def line_keys(x: Floats, bands: int, rows: int, seed: int, width: float) -> Keys:
    """Returns the key of each vector in each band: a hash of its bins on `rows` lines."""
    functions = bands * rows
    scale = np.float32(1 / (size_of(x.shape[1]) * width))
    shifts = np.array([random(seed, 2, f) >> 40 for f in range(functions)], np.float32) * np.float32(2**-24)
    places = coordinates(x, functions, seed) * scale + shifts
    far = np.float32(2**30)
    bins = np.floor(np.clip(places, -far, far)).astype(np.int64).astype(np.uint32)
    key = np.zeros((len(x), bands), np.uint32)
    for row in range(rows):
        key = (key ^ bins[:, row::rows]) * np.uint32(0x9E3779B1)
        key ^= key >> np.uint32(15)
    return np.ascontiguousarray(key.T)


def bit_keys(bits: npt.NDArray[np.uint64], size: int, bands: int, rows: int, seed: int) -> Keys:
    """Returns the key of each vector in each band: `rows` random bits of it, the first as the highest bit."""
    places = [random(seed, 3, f) * size >> 64 for f in range(bands * rows)]
    drawn = np.stack([bits[:, p // 64] >> np.uint64(p % 64) & np.uint64(1) for p in places], axis=1).astype(np.uint32)
    key = np.zeros((len(bits), bands), np.uint32)
    for row in range(rows):
        key = (key << np.uint32(1)) | drawn[:, row::rows]
    return np.ascontiguousarray(key.T)


def pairs_in_blocks(bits: npt.NDArray[np.bool_], distance: int, count: int) -> set[tuple[int, int]]:
    """Finds all pairs of rows that differ in at most `distance` places, by the pigeonhole principle.

    The places are cut into `count` blocks. Rows that differ in at most `distance` places differ in at most that many
    blocks, so they agree in some count − distance blocks. Only rows that agree in such a combination are compared.

    >>> pairs_in_blocks(np.array([[0, 0, 1, 1], [0, 1, 1, 1], [1, 1, 0, 0]], bool), 1, 2)
    {(0, 1)}
    """
    blocks = np.array_split(np.arange(bits.shape[1]), count)
    found = set()
    for chosen in combinations(blocks, count - distance):
        buckets: dict[bytes, list[int]] = {}
        for row, places in enumerate(bits[:, np.concatenate(chosen)]):
            buckets.setdefault(places.tobytes(), []).append(row)
        for rows in buckets.values():
            found |= {(a, b) for a, b in combinations(rows, 2) if np.count_nonzero(bits[a] != bits[b]) <= distance}
    return found


def eight_sums(terms: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Returns the sum of each row, computed in a fixed order: term j is added to partial sum j mod 8.

    The partial sums are then added as ((0+4) + (2+6)) + ((1+5) + (3+7)).
    """
    sums = np.zeros((len(terms), 8))
    for start in range(0, terms.shape[1], 8):
        here = terms[:, start : start + 8]
        sums[:, : here.shape[1]] += here
    s = [sums[:, k] for k in range(8)]
    return np.asarray(((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7])))
