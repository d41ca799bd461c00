"""A source's rows in order, decoded by several threads where the source can be entered at several rows."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from lookalike.io.read_ahead import side_by_side
from lookalike.io.source import Batch, Source

WAITING = 4
"""Batches of a lane that may wait: a thread that has read them goes on only when they are used."""


def batches(
    source: Source, columns: Sequence[str], start: int = 0, stop: int | None = None, threads: int = 1
) -> Generator[Batch, None, None]:
    """As `source.read`, ahead of their use. Which batches there are may depend on the threads; the rows do not."""
    cuts = [row for row in source.starts() if start < row and (stop is None or row < stop)] if threads > 1 else []
    lanes = (source.read(columns, low, high) for low, high in zip([start, *cuts], [*cuts, stop], strict=True))
    return side_by_side(lanes, min(threads, len(cuts) + 1), WAITING, weigh=lambda batch: int(batch.data.nbytes))
