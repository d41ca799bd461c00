"""Finds the shingles that occur in more than a share s of all documents: exactly, in two passes and little memory.

The first pass keeps a shingle only while it can still be common. A shingle that is first kept after n₀ documents was in
at most s · n₀ of them, since it was not common then. If it occurs in c of the n − n₀ documents after that, and c is at
most s · (n − n₀), it occurs in at most s · n of all n documents, and is dropped. The number of shingles kept is a few
times the number that can be common, which is the mean size of a set divided by s. The second pass counts the shingles
that were not kept from the start.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from lookalike.flow import Documents, Shingles
from lookalike.flow.arrays import Hashes
from lookalike.flow.progress import Progress
from lookalike.io.source import Source

BLOCK = 1 << 22
"""The number of shingles that are counted at a time."""

BITS = 20
"""The number of leading bits by which shingles are counted first. Those with rare leading bits are not sorted."""

Counts = npt.NDArray[np.int64]


def common_shingles(
    source: Source,
    share: Fraction,
    sets: Callable[[Documents], Shingles],
    progress: Progress | None = None,
    block: int = BLOCK,
) -> bytes:
    """Finds the shingles that are in more than `share` of all documents, in the format of `Shingling.ignored`."""
    values, counts, since = np.zeros(0, np.uint64), np.zeros(0, np.int64), np.zeros(0, np.int64)
    rows = 0
    for documents, shingles in _blocks(source, sets, block):
        least = share.numerator * documents // share.denominator  # new shingles with this count or less are dropped
        new, more = _counted(shingles, values, least)
        known = np.searchsorted(values, new)
        held = np.zeros(len(new), bool)
        held[known < len(values)] = values[known[known < len(values)]] == new[known < len(values)]
        counts[known[held]] += more[held]
        values = np.concatenate([values, new[~held]])
        counts = np.concatenate([counts, more[~held]])
        since = np.concatenate([since, np.full(np.count_nonzero(~held), rows)])
        rows += documents
        kept = counts * share.denominator > share.numerator * (rows - since)
        order = np.flatnonzero(kept)[np.argsort(values[kept])]
        values, counts, since = values[order], counts[order], since[order]
        if progress:
            progress("common shingles", rows, source.total_rows())
    unsure = values[since > 0]
    if len(unsure):
        exact = np.zeros(len(unsure), np.int64)
        for _, shingles in _blocks(source, sets, block):
            new, more = _counted(shingles, unsure, len(shingles))
            here = np.isin(new, unsure)
            exact[np.searchsorted(unsure, new[here])] += more[here]
        counts[since > 0] = exact
    return values[counts * share.denominator > share.numerator * rows].astype("<u8").tobytes()


def _blocks(source: Source, sets: Callable[[Documents], Shingles], block: int) -> Iterator[tuple[int, Hashes]]:
    """Yields, for each block of documents, the number of documents and all their shingles."""
    rows, size, some = 0, 0, [np.zeros(0, np.uint64)]
    for documents in source.documents():
        cut = sets(documents)
        rows, size = rows + len(documents), size + len(cut.values)
        some.append(cut.values)
        if size >= block:
            yield rows, np.concatenate(some)
            rows, size, some = 0, 0, [np.zeros(0, np.uint64)]
    if rows:
        yield rows, np.concatenate(some)


def _counted(shingles: Hashes, known: Hashes, least: int) -> tuple[Hashes, Counts]:
    """Counts the known shingles that occur, and other shingles that occur more than `least` times."""
    shift = np.uint64(64 - BITS)
    heads = (shingles >> shift).astype(np.int64)
    wanted = np.bincount(heads, minlength=1 << BITS) > least
    wanted[(known >> shift).astype(np.int64)] = True
    values, counts = np.unique(shingles[wanted[heads]], return_counts=True)
    chosen = (counts > least) | np.isin(values, known)
    return values[chosen], counts[chosen].astype(np.int64)
