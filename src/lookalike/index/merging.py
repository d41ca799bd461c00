"""Keeps lookups in an embedded index quick: turns recent rows into segments, and merges segments."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment_writer import SegmentWriter
from lookalike.corpus.text_blocks import pack_texts

if TYPE_CHECKING:
    from lookalike.index.embedded import Embedded

FOLDED = 4096
"""The number of recent rows that become a segment."""

FOLDED_BYTES = 16 << 20
"""The number of bytes of their texts at which they become a segment earlier."""


def is_fold_due(store: Embedded) -> bool:
    return len(store.recent) >= FOLDED or store.recent.nbytes >= FOLDED_BYTES


def write_recent(store: Embedded, folder: Path, name: str) -> None:
    """Writes the recent rows to a segment."""
    recent = store.recent
    rows, records, keys = recent.rows, recent.all_records.copy(), recent.keys
    ids = pa.array(recent.ids, store.id_type)
    writer = SegmentWriter(folder, name, store.kernel, int(rows[0]), text_ids=store.ids == "str")
    writer.add_texts(pack_texts(recent.texts_at(np.arange(len(recent)))))
    writer.add_ids(ids)
    offsets = (rows - rows[0]).astype(np.uint32)
    is_whole = bool(offsets[-1] == len(offsets) - 1)
    writer.finish(records, keys, ids, None if is_whole else offsets)
