"""The native edge of frequent pairs: blocks of baskets in, counts out. The passes themselves are compiled classes."""

from __future__ import annotations

import numpy as np

from lookalike.flow.baskets import Lines, Lists
from lookalike.kernel._native import FirstPass, PairPass, rank_pairs


def take(counting: FirstPass | PairPass, block: Lines | Lists, threads: int) -> None:
    """Gives a pass another block of baskets."""
    if isinstance(block, Lines):
        counting.take_text(block.data, ord(block.separator or "\0"), threads)
        return
    lists = block.lists
    strings = lists.values
    _, offsets, data = strings.buffers()
    ends = np.zeros(1, np.int64)
    if len(lists):
        ends = np.frombuffer(lists.buffers()[1], np.int64, len(lists) + 1, 8 * lists.offset)
    text = np.empty(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    places = np.zeros(1, np.int64)
    if len(strings):
        places = np.frombuffer(offsets, np.int64, len(strings) + 1, 8 * strings.offset)
    counting.take_lists(text, places, ends, threads)


__all__ = ["FirstPass", "PairPass", "rank_pairs", "take"]
