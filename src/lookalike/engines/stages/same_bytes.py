"""Compares the bytes of pairs of texts, so that nothing is called identical because of its hash alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from lookalike.engines.stages.arrows import Texts, groups_of_pairs
from lookalike.flow.arrays import Mask, Rows, call_function, take
from lookalike.flow.progress import Progress
from lookalike.storage.budget import Budget

PER_CHARACTER = 12
"""Peak bytes per character of a group of pairs: up to four bytes in the text, which is read, gathered and compared."""


def same_bytes(
    texts: Texts, removed: Rows, kept: Rows, lengths: Rows, memory: int | None, progress: Progress | None = None
) -> Mask:
    """Returns whether the two texts, or lists of tokens, of each pair of rows are equal.

    As many pairs are read at a time as fit into half of the free memory; larger pairs are read one at a time.
    """
    identical, most = np.zeros(len(removed), dtype=bool), Budget.of(memory).free() // 2 // PER_CHARACTER
    done = 0
    for some in _groups(removed, kept, lengths, most):
        used = np.zeros(max(removed[some].max(), kept[some].max()) + 1, dtype=bool)
        used[removed[some]] = used[kept[some]] = True
        rows = np.flatnonzero(used)
        found = []
        for documents in texts.documents(int(rows[0]), int(rows[-1]) + 1):
            low, high = np.searchsorted(rows, [documents.start, documents.start + len(documents)])
            if low < high:
                found.append(take(documents.texts, rows[low:high] - documents.start))
        gathered = pa.concat_arrays(found)
        one, other = (take(gathered, np.searchsorted(rows, ends[some])) for ends in (removed, kept))
        identical[some] = _equal(one, other)
        done += len(some)
        if progress is not None:
            progress("keep", done, len(removed))
    return identical


def _groups(removed: Rows, kept: Rows, lengths: Rows, most: int) -> Iterator[Rows]:
    yield from groups_of_pairs(removed, kept, lengths, most)
    for pair in np.flatnonzero(lengths[removed] + lengths[kept] > most):
        yield np.array([pair])


def _equal(one: pa.Array, other: pa.Array) -> Mask:
    if pa.types.is_large_list(one.type) or pa.types.is_list(one.type):
        return np.array([a == b for a, b in zip(one.to_pylist(), other.to_pylist(), strict=True)], dtype=bool)
    return np.asarray(call_function("equal", [one, other]).to_numpy(zero_copy_only=False), dtype=bool)
