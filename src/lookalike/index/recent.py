"""The rows that were added one by one and are not in a segment yet, mirrored in memory.

There are a few thousand at most. Their keys are in dictionaries, so that a query takes as long as without them, and a
durable add writes one row of the catalogue instead of one per band.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from lookalike.corpus.segment import RECORD, Records
from lookalike.flow.arrays import Hashes, Mask, Rows
from lookalike.index.catalogue import RecentRow

ONE_BY_ONE = 8
"""Up to this many queries are looked up in dictionaries; more are looked up in sorted keys, with array operations."""


class Recent:
    """Recent rows. They ascend, but need not be consecutive."""

    def __init__(self, bands: int, record: np.dtype[np.void] = RECORD) -> None:
        self.rows = np.zeros(0, np.int64)
        self.ids: list[int | str] = []
        self.texts: list[bytes] = []
        self.nbytes = 0
        """The size of the texts."""
        self._count = 0
        self._rows = np.zeros(64, np.int64)
        self._keys = np.zeros((bands, 64), np.uint64)
        self._records = np.zeros(64, record)
        self._row_of: dict[int | str, int] = {}
        self._places: list[dict[int, list[int]]] = []
        """For each band, the places of the rows with a key."""
        self._placed = 0
        """The number of rows whose places are in these dictionaries."""
        self._sorted: list[tuple[Rows, Hashes]] | None = None

    def __len__(self) -> int:
        return self._count

    @property
    def bands(self) -> int:
        return len(self._keys)

    @property
    def last(self) -> int:
        return int(self._rows[self._count - 1]) if self._count else -1

    @property
    def keys(self) -> Hashes:
        """The keys of all rows, one row per row."""
        return np.ascontiguousarray(self._keys[:, : self._count].T)

    def keys_at(self, places: Rows) -> Hashes:
        return np.ascontiguousarray(self._keys[:, places].T)

    @property
    def all_records(self) -> Records:
        return self._records[: self._count]

    def extend(self, new: Sequence[RecentRow]) -> None:
        bands = self.bands
        self._reserve(self._count + len(new))
        for one in new:
            i = self._count
            self._rows[i] = one.row
            self._keys[:, i] = np.frombuffer(one.keys, "<u8", bands)
            self._records[i] = np.frombuffer(one.record, self._records.dtype)[0]
            self.ids.append(one.id)
            self.texts.append(one.text)
            self.nbytes += len(one.text)
            self._row_of[one.id] = one.row
            self._count += 1
        self.rows = self._rows[: self._count]
        self._sorted = None

    def drop_before(self, row: int) -> None:
        """Forgets the rows before this one."""
        dropped = int(np.searchsorted(self.rows, row))
        if not dropped:
            return
        for id, old in zip(self.ids[:dropped], self.rows[:dropped].tolist(), strict=True):
            if self._row_of[id] == old:
                del self._row_of[id]
        self.nbytes -= sum(map(len, self.texts[:dropped]))
        self.ids, self.texts = self.ids[dropped:], self.texts[dropped:]
        self._rows, self._records = self._rows[dropped:].copy(), self._records[dropped:].copy()
        self._keys = self._keys[:, dropped:].copy()
        self._count -= dropped
        self._reserve(64)
        self.rows = self._rows[: self._count]
        self._sorted, self._places, self._placed = None, [], 0

    def _reserve(self, count: int) -> None:
        """Makes room for at least this number of rows."""
        more = max(count, 2 * len(self._rows)) - len(self._rows)
        if count > len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros(more, np.int64)])
            self._records = np.concatenate([self._records, np.zeros(more, self._records.dtype)])
            self._keys = np.concatenate([self._keys, np.zeros((self.bands, more), np.uint64)], axis=1)

    def row_of(self, id: int | str) -> int:
        """Returns the last row with this id, or −1."""
        return self._row_of.get(id, -1)

    def find(self, keys: Hashes, left_out: Mask) -> tuple[Rows, Rows]:
        """Returns the queries and rows that share a key, each pair once, ordered by query and row."""
        if not self._count:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        if len(keys) <= ONE_BY_ONE:
            places = self._places_by_key()
            found = [
                (query, place)
                for query, row in enumerate(keys.tolist())
                if not left_out[query]
                for place in sorted({place for band, key in enumerate(row) for place in places[band].get(key, ())})
            ]
            pairs = np.array(found, np.int64).reshape(-1, 2)
            return pairs[:, 0], self.rows[pairs[:, 1]]
        in_bands = [self._in_band(band, keys[:, band], left_out) for band in range(len(self._keys))]
        packed: Rows = np.unique(np.concatenate([queries * self._count + at for queries, at in in_bands]))
        return packed // self._count, self.rows[packed % self._count]

    def bucket(self, band: int, key: int) -> Rows:
        rows: Rows = self.rows[(self._keys[band, : self._count] == np.uint64(key)) & self._filled()]
        return rows

    def records(self, places: Rows) -> Records:
        return self._records[places]

    def texts_at(self, places: Rows) -> pa.Array:
        texts = [self.texts[place] for place in places.tolist()]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(text) for text in texts], out=offsets[1:])
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(b"".join(texts))]
        return pa.Array.from_buffers(pa.large_string(), len(texts), buffers)

    def _places_by_key(self) -> list[dict[int, list[int]]]:
        """Returns the places of rows by key, for each band, after adding the rows that came since the last call."""
        if not self._places:
            self._places = [{} for _ in self._keys]
        if self._placed == self._count:  # a query notices every array operation
            return self._places
        new = slice(self._placed, self._count)
        filled = (np.flatnonzero(self._filled()[new]) + self._placed).tolist()
        for places, stored in zip(self._places, self._keys[:, filled].tolist(), strict=True):
            for place, key in zip(filled, stored, strict=True):
                places.setdefault(key, []).append(place)
        self._placed = self._count
        return self._places

    def _filled(self) -> Mask:
        mask: Mask = (self._records["flags"][: self._count] & 1) == 0
        return mask

    def _in_band(self, band: int, keys: Hashes, left_out: Mask) -> tuple[Rows, Rows]:
        if self._sorted is None:
            filled = np.flatnonzero(self._filled())
            self._sorted = []
            for stored in self._keys[:, : self._count]:
                order = filled[np.argsort(stored[filled], kind="stable")]
                self._sorted.append((order, stored[order]))
        order, stored = self._sorted[band]
        first, last = (np.searchsorted(stored, keys, side=side) for side in ("left", "right"))
        sizes = np.where(left_out, 0, last - first)
        queries = np.repeat(np.arange(len(keys)), sizes)
        within = np.arange(len(queries)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return queries, order[np.repeat(first, sizes) + within]
