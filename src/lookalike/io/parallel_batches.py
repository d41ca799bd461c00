"""Reads the rows of a source in order, with several threads if reading can start at several rows."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from lookalike.io.read_ahead import side_by_side
from lookalike.io.source import Batch, Source

WAITING = 4
"""The most batches that wait in each lane. The thread of a full lane pauses until a batch is consumed."""


def batches(
    source: Source, columns: Sequence[str], start: int = 0, stop: int | None = None, threads: int = 1
) -> Generator[Batch, None, None]:
    """Like `source.read`, but reads ahead. The size of batches may depend on the number of threads; the rows do not."""
    cuts = [row for row in source.starts() if start < row and (stop is None or row < stop)] if threads > 1 else []
    lanes = (source.read(columns, low, high) for low, high in zip([start, *cuts], [*cuts, stop], strict=True))
    return side_by_side(lanes, min(threads, len(cuts) + 1), WAITING, weigh=lambda batch: int(batch.data.nbytes))
