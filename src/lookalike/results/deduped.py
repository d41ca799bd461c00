"""Deduped: what was kept, what was removed, and why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import BrokenInvariant
from lookalike.results import Clusters, Summary


@dataclass(frozen=True, eq=False)
class Deduped:
    """One survivor of every cluster, and a row of `removed` for everything that went.

    `removed` has the columns id, kept (the id of the survivor), similarity (to it, exact; under connected clusters it
    may lie below the threshold, through a chain of similar documents) and cluster. Where it was deduplicated against a
    reference it has also kept_in: "against" or "input", where the survivor is; `clusters` then has the rows of the
    reference first, and `kept_rows` are still those of the input.
    """

    clusters: Clusters
    kept_rows: npt.NDArray[np.int64]
    removed: pa.Table
    read_kept: Callable[[], pa.Table]
    reference: int = 0
    """Documents that were only compared with."""

    def __post_init__(self) -> None:
        kept, removed, read = len(self.kept_rows), self.removed.num_rows, self.read
        if kept + removed != read:
            raise BrokenInvariant("rows-lost", kept=kept, removed=removed, read=read)

    def __len__(self) -> int:
        return len(self.kept_rows)

    def __repr__(self) -> str:
        return f"Deduped(kept {len(self):,}, removed {self.removed.num_rows:,}, of {self.read:,} documents)"

    @property
    def read(self) -> int:
        """Documents of the input."""
        return len(self.clusters.labels) - self.reference

    @property
    def summary(self) -> Summary:
        return self.clusters.summary

    @property
    def kept(self) -> pa.Table:
        """The kept rows with all their columns, in input order; read from the source when asked for."""
        return self.read_kept()

    def to_arrow(self) -> pa.Table:
        return self.kept

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.kept.__arrow_c_stream__(requested_schema)
