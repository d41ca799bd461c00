"""Finds candidates: pairs of thumbnails whose descriptors have a large cosine, in some rotation and some crop.

Every thumbnail, in 4 rotations and 16 crops, is compared with all others by blocked matrix products. The search is
exact: it finds all pairs of vectors whose cosine is at least `COSINE`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.apps.images.descriptors import CROPS, DIMENSIONS, LENGTH, Vectors, channels_of, describe, describe_crops
from lookalike.apps.images.thumbnails import GROUNDS, OPAQUE, Pixels, Thumbnails
from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress, silent

COSINE = 0.94
"""The minimum cosine of candidates. 99 % of the cropped copies of rendered pictures reach it in some crop."""

BRIGHTER = (1.15, 1.35)
"""The factors by which pictures are made brighter, to find those in which light areas have become white."""

BLOCK = 256
"""The number of thumbnails whose descriptors are multiplied at a time."""

WIDE = 16_384
"""The maximum number of columns of a product, so that a product takes at most 16 MiB."""

NO_ROWS = np.zeros((0, 5), np.int64)


class Candidates(NamedTuple):
    """Pairs of rows of thumbnails: the source, after quarter turns anticlockwise and in a crop, is like the target."""

    source: Rows
    target: Rows
    turns: Rows
    crop: Rows
    """The place of the crop in `CROPS`."""
    cosine: Rows
    """The product of the two vectors: their cosine times LENGTH²."""


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
        yield 0, describe(channels_of(np.clip(pixels * np.float32(factor), 0, 255)))


def find_candidates(thumbnails: Thumbnails, progress: Progress = silent) -> Candidates:
    """Finds the pairs of thumbnails of different pictures that may be copies, each once per rotation.

    Plain thumbnails are not compared.
    """
    rows = np.flatnonzero(thumbnails.detailed)
    table, found = table_of(thumbnails, rows), [NO_ROWS]
    for start in range(0, len(rows), BLOCK):
        progress("compare", start, len(rows))
        found.append(_block(thumbnails, rows[start : start + BLOCK], rows, table))
    progress("compare", len(rows), len(rows))
    return _each_once(np.concatenate(found))


def _block(thumbnails: Thumbnails, sources: Rows, targets: Rows, table: Vectors) -> npt.NDArray[np.int64]:
    """Returns the candidates of some sources: source, target, turns, crop and cosine, with the best crop of each."""
    least, found = np.float32(COSINE * LENGTH * LENGTH), [NO_ROWS]
    pixels = thumbnails.pixels[sources]
    for turns in range(4):
        here = [NO_ROWS]
        for crop, vectors in probes_of(np.rot90(pixels, turns, axes=(1, 2))):
            for first in range(0, len(table), WIDE):
                product = vectors @ table[first : first + WIDE].T
                left, right = np.divmod(np.flatnonzero(product >= least), product.shape[1])
                cosine = product[left, right].astype(np.int64)
                same = np.full(len(left), turns), np.full(len(left), crop)
                here.append(np.column_stack([sources[left], targets[first + right], *same, cosine]))
        found.append(_best(_comparable(thumbnails, np.concatenate(here)), slice(0, 2)))
    return np.concatenate(found)


def _comparable(thumbnails: Thumbnails, found: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Leaves out pairs within one picture, and pairs of transparent pictures on different grounds."""
    source, target = found[:, 0], found[:, 1]
    one, two = thumbnails.ground[source], thumbnails.ground[target]
    opaque = GROUNDS.index(OPAQUE)
    comparable = (one == two) | (one == opaque) | (two == opaque)
    return np.asarray(found[comparable & (thumbnails.picture[source] != thumbnails.picture[target])])


def _best(found: npt.NDArray[np.int64], key: slice) -> npt.NDArray[np.int64]:
    """Returns the row with the greatest cosine (and then the first crop) for each value of the key."""
    columns = found[:, key]
    order = np.lexsort((found[:, 3], -found[:, 4], *columns.T[::-1]))
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
    best = _best(np.column_stack([key, found[:, 3] + len(CROPS) * backwards, found[:, 4], found]), slice(0, 3))
    return Candidates(*best[:, 5:].T)
