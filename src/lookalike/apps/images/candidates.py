"""Finds candidates: pairs of thumbnails whose codes differ in few bits, in some rotation and some crop.

Every thumbnail is described in 49 crops and 2 brighter versions, and each of these in 4 rotations. Their codes are
joined with the codes of all thumbnails as they are. The join is exact: it divides the codes into blocks of bits, of
which some must be equal, so it looks at few pairs, and its time grows little faster than the number of pictures.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.apps.images.codes import Codes, code, codes_of_turns, differing_bits
from lookalike.apps.images.descriptors import (
    CROPS,
    CUTS,
    DIMENSIONS,
    LENGTH,
    Vectors,
    channels_of,
    describe,
    describe_crop,
    describe_crops,
)  # fmt: skip
from lookalike.apps.images.thumbnails import GROUNDS, OPAQUE, Pixels, Thumbnails, turned
from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress, silent
from lookalike.kernel import default

DISTANCE = 13
"""The maximum number of bits, of 128, in which the codes of candidates differ. Descriptors with a cosine of 0.98 differ
in 8 bits, on average, and with a cosine of 0.95 in 13."""

COSINE = 0.92
"""The minimum cosine of the descriptors of candidates, which is computed for the pairs of similar codes."""

BRIGHTER = (1.15, 1.35)
"""The factors by which pictures are made brighter, to find those in which light areas have become white."""

BLOCK = 256
"""The number of thumbnails that are described at a time."""

JOINED = 64 * BLOCK
"""The number of thumbnails whose codes are joined with all others at a time: 53 MiB of codes."""

NO_ROWS = np.zeros((0, 5), np.int64)


class Candidates(NamedTuple):
    """Pairs of rows of thumbnails: the source, after quarter turns anticlockwise and in a crop, is like the target."""

    source: Rows
    target: Rows
    turns: Rows
    crop: Rows
    """The place of the crop in `CROPS`."""
    differing: Rows
    """The number of bits in which the codes differ."""


def table_of(stored: Thumbnails, rows: Rows) -> Vectors:
    """Returns the descriptors of these thumbnails."""
    parts = [describe(channels_of(stored.pixels[rows[i : i + BLOCK]])) for i in range(0, len(rows), BLOCK)]
    return np.concatenate([np.zeros((0, DIMENSIONS), np.float32), *parts])


def probes_of(pixels: Pixels) -> Iterator[tuple[int, Vectors]]:
    """Yields the descriptors by which copies of thumbnails are found: in each crop, and as they are but brighter.

    A factor alone does not change a descriptor. But if a picture is made brighter, light areas become white.
    """
    yield from enumerate(describe_crops(channels_of(pixels)))
    for factor in BRIGHTER:
        yield 0, describe(_brighter(pixels, factor))


def _probe(pixels: Pixels, view: int) -> Vectors:
    """Returns one of the descriptors that `probes_of` yields."""
    if view < len(CROPS):
        return describe_crop(channels_of(pixels), view)
    return describe(_brighter(pixels, BRIGHTER[view - len(CROPS)]))


def _brighter(pixels: Pixels, factor: float) -> Vectors:
    return channels_of(np.clip(pixels * np.float32(factor), 0, 255))


def find_candidates(thumbnails: Thumbnails, threads: int, progress: Progress = silent) -> Candidates:
    """Finds the pairs of thumbnails of different pictures that may be copies, each once per rotation.

    Plain thumbnails are not compared.
    """
    rows = np.flatnonzero(thumbnails.detailed)
    table = table_of(thumbnails, rows)
    stored = code(table)
    found = [NO_ROWS]
    for start in range(0, len(rows), JOINED):
        progress("compare", start, len(rows))
        sources = rows[start : start + JOINED]
        some = _joined(thumbnails, sources, rows, stored, threads)
        found.append(_similar(thumbnails, some, rows, table, threads))
    progress("compare", len(rows), len(rows))
    return _each_once(np.concatenate(found))


def _joined(thumbnails: Thumbnails, sources: Rows, targets: Rows, stored: Codes, threads: int) -> npt.NDArray[np.int64]:
    """Returns the pairs of these sources: source, target, turns, view and the number of differing bits."""
    parts = []
    for start in range(0, len(sources), BLOCK):
        probes = probes_of(thumbnails.pixels[sources[start : start + BLOCK]])
        parts.append(np.stack([codes_of_turns(vectors) for _, vectors in probes], 1))
    codes = np.concatenate(parts)  # source × view × turns × 2 words
    probed = np.ascontiguousarray(codes.reshape(-1, 2))
    near = default(threads).pairs_within(probed, stored, DISTANCE)
    source, view, turns = np.unravel_index(near.left, codes.shape[:3])
    differing = differing_bits(probed, stored, near.left, near.right, threads)
    columns = sources[source], targets[near.right], turns, _TURNED_VIEWS[turns, view], differing
    return _best(_comparable(thumbnails, np.column_stack(columns).astype(np.int64)), slice(0, 3))


def _similar(
    thumbnails: Thumbnails, found: npt.NDArray[np.int64], targets: Rows, table: Vectors, threads: int
) -> npt.NDArray[np.int64]:
    """Keeps pairs whose descriptors have a large cosine."""
    place, least = np.searchsorted(targets, found[:, 1]), COSINE * LENGTH * LENGTH
    order = np.argsort(found[:, 3], kind="stable")
    views = np.split(order, np.flatnonzero(np.diff(found[order, 3])) + 1)
    blocks = [some[i : i + BLOCK] for some in views for i in range(0, len(some), BLOCK)]

    def compared(some: Rows) -> Rows:
        sources = turned(thumbnails.pixels[found[some, 0]], found[some, 2])
        products = np.einsum("pd,pd->p", _probe(sources, int(found[some[0], 3])), table[place[some]])
        return np.asarray(some[products >= least])

    with ThreadPoolExecutor(threads) as pool:
        kept = np.sort(np.concatenate([np.zeros(0, np.int64), *pool.map(compared, blocks)]))
    return np.asarray(found[kept])


def _turned_views() -> npt.NDArray[np.int64]:
    """Returns, per number of quarter turns and view, the view of the turned picture that is the turned view."""
    brighter = [len(CROPS) + number for number in range(len(BRIGHTER))]
    table = [list(range(len(CROPS)))]
    reverse = [CUTS.index((end, start)) for start, end in CUTS]
    for _ in range(3):
        earlier = [CROPS[crop] for crop in table[-1]]
        table.append([CROPS.index((down, reverse[across])) for across, down in earlier])
    return np.array([crops + brighter for crops in table])


_TURNED_VIEWS = _turned_views()


def _comparable(thumbnails: Thumbnails, found: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Leaves out pairs within one picture, and pairs of transparent pictures on different grounds."""
    source, target = found[:, 0], found[:, 1]
    one, two = thumbnails.ground[source], thumbnails.ground[target]
    opaque = GROUNDS.index(OPAQUE)
    comparable = (one == two) | (one == opaque) | (two == opaque)
    return np.asarray(found[comparable & (thumbnails.picture[source] != thumbnails.picture[target])])


def _best(found: npt.NDArray[np.int64], key: slice) -> npt.NDArray[np.int64]:
    """Returns the row with the fewest differing bits (and then the first crop) for each value of the key."""
    columns = found[:, key]
    order = np.lexsort((found[:, 3], found[:, 4], *columns.T[::-1]))
    found, columns = found[order], columns[order]
    first = np.ones(len(found), bool)
    first[1:] = (columns[1:] != columns[:-1]).any(axis=1)
    return found[first]


def _each_once(found: npt.NDArray[np.int64]) -> Candidates:
    """Keeps the better direction of each pair: a crop is like a part of its original, but not the other way round."""
    source, target, turns = found[:, 0], found[:, 1], found[:, 2]
    backwards = source > target
    key = np.column_stack(
        [np.minimum(source, target), np.maximum(source, target), np.where(backwards, -turns % 4, turns)]
    )
    best = _best(np.column_stack([key, found[:, 3] + 2 * len(CROPS) * backwards, found[:, 4], found]), slice(0, 3))
    source, target, turns, view, differing = best[:, 5:].T
    return Candidates(source, target, turns, np.where(view < len(CROPS), view, 0), differing)
