"""The rows of a source in order, decoded by several threads if the source can be read from several rows."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from lookalike.io.read_ahead import side_by_side
from lookalike.io.source import Batch, Source

WAITING = 4
"""Batches that may wait in each lane. A thread continues only when one of them is used."""


def batches(
    source: Source, columns: Sequence[str], start: int = 0, stop: int | None = None, threads: int = 1
) -> Generator[Batch, None, None]:
    """Like `source.read`, but reads ahead. The batches may depend on the threads; the rows do not."""
    cuts = [row for row in source.starts() if start < row and (stop is None or row < stop)] if threads > 1 else []
    lanes = (source.read(columns, low, high) for low, high in zip([start, *cuts], [*cuts, stop], strict=True))
    return side_by_side(lanes, min(threads, len(cuts) + 1), WAITING, weigh=lambda batch: int(batch.data.nbytes))
