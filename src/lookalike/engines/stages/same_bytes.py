"""Compares the bytes of pairs of texts, so that nothing is called identical because of its hash alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from lookalike.engines.stages.arrows import groups_of_pairs, texts_of_pairs
from lookalike.flow.arrays import Mask, Rows, call_function, take
from lookalike.flow.progress import Progress
from lookalike.io.source import Source
from lookalike.storage.budget import Budget

PER_CHARACTER = 12
"""Peak bytes per character of a group of pairs: up to four bytes in the text, which is read, gathered and compared."""


def same_bytes(
    source: Source,
    removed: Rows,
    kept: Rows,
    lengths: Rows,
    memory: int | None,
    threads: int,
    progress: Progress | None = None,
) -> Mask:
    """Returns whether the two texts, or lists of tokens, of each pair of rows are equal.

    As many pairs are read at a time as fit into half of the free memory; larger pairs are read one at a time.
    """
    identical, most = np.zeros(len(removed), dtype=bool), Budget.of(memory).free() // 2 // PER_CHARACTER
    done = 0
    for some in _groups(removed, kept, lengths, most):
        texts, places, survivors = texts_of_pairs(source, removed[some], kept[some], memory, threads)
        identical[some] = _equal(take(texts, places), take(texts, survivors))
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
