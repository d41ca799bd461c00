"""The documents of an index as a source of rows, which is read piece by piece."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.arrays import Rows
from lookalike.index.packing import texts_at
from lookalike.index.store import Store
from lookalike.io.source import Batch, Lanes, Piece
from lookalike.notices import Notice

AT_ONCE = 8 << 20
"""The number of bytes of texts that are read at a time, about."""

MOST_ROWS = 8192
"""The maximum number of rows of a batch."""

ID, TEXT = "id", "text"


class StoredSource:
    """A `Source` over rows of a store, in this order. The store must not change while the source is used."""

    column, id = TEXT, ID
    malformed = 0
    warnings: tuple[Notice, ...] = ()
    in_memory = False
    cheap_to_reread = True
    reader_bytes = AT_ONCE

    def __init__(self, store: Store, rows: Rows) -> None:
        self.store, self.rows, self.name = store, rows, store.name
        self.columns = [ID, TEXT]

    def total_rows(self) -> int:
        return len(self.rows)

    def expected_rows(self, rows: int, bytes: int) -> int:
        return len(self.rows)

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        stop = len(self.rows) if stop is None else min(stop, len(self.rows))
        read: dict[str, Callable[[Rows], pa.Array]] = {ID: self.store.ids_of, TEXT: partial(texts_at, self.store)}
        names = self.columns if columns is None else list(columns)
        while start < stop:
            rows = self.rows[start : min(start + MOST_ROWS, stop)]
            if TEXT in names:
                sizes = np.cumsum(self.store.records(rows)["size"], dtype=np.int64)
                rows = rows[: max(1, int(np.searchsorted(sizes, AT_ONCE)))]
            yield Batch(start, pa.record_batch([read[name](rows) for name in names], names=names))
            start += len(rows)

    def lanes(self, columns: Sequence[str], start: int = 0, stop: int | None = None) -> Lanes:
        return [map(Piece.of, self.read(columns, start, stop))]

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        for batch in self.read([TEXT], start, stop):
            yield Documents(batch.data.column(0), batch.start)

    def identity(self) -> str:
        """Returns a hash of the rows, whose texts never change, and of the name of the store."""
        hashed = hashlib.blake2b(self.name.encode(), digest_size=16)
        hashed.update(self.rows.astype("<i8").tobytes())
        return hashed.hexdigest()

    def check_unchanged(self) -> None:
        """Does nothing: a row never changes."""

    def __reduce__(self) -> str:
        raise InvalidOption("index-on-one-machine")
