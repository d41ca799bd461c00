"""Writes the records and postings of a segment piece by piece, for segments that do not fit into memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.corpus.segment import PAYLOAD, Records
from lookalike.corpus.tailed_file import TailedWriter
from lookalike.flow.arrays import Hashes
from lookalike.kernel.protocol import Kernel

POSTINGS_PER_PAGE = PAYLOAD // 12

Positions = npt.NDArray[np.uint32]


class RecordsWriter:
    """Appends records to a `.rows` file."""

    def __init__(self, path: Path, kernel: Kernel, record: np.dtype[np.void]) -> None:
        self.file, self.kernel, self.count = TailedWriter(path, paced=True), kernel, 0
        self._rest: Records = np.zeros(0, record)

    def add(self, records: Records) -> None:
        self.count += len(records)
        every = np.concatenate([self._rest, records])
        whole = len(every) - len(every) % (PAYLOAD // every.itemsize)
        self._write(every[:whole])
        self._rest = every[whole:]

    def finish(self, facts: dict[str, Any], offsets: npt.NDArray[np.uint32] | None) -> None:
        """Makes the file durable. `facts` need not contain the number of rows."""
        self._write(self._rest)
        self.file.finish(facts | {"rows": self.count}, **({} if offsets is None else {"offsets": offsets}))

    def _write(self, records: Records) -> None:
        if len(records):
            raw = np.ascontiguousarray(records).view(np.uint8).reshape(-1, records.itemsize)
            self.file.write(self.kernel.record_pages(raw))


class PostingsWriter:
    """Appends sorted postings to a `.keys` file, band by band."""

    def __init__(self, path: Path, kernel: Kernel) -> None:
        self.file, self.kernel = TailedWriter(path, paced=True), kernel
        self.counts: list[int] = []
        self._firsts: list[Hashes] = []
        self._start_band()

    def _start_band(self) -> None:
        self._count, self._keys, self._positions = 0, np.zeros(0, np.uint64), np.zeros(0, np.uint32)

    def add(self, keys: Hashes, positions: Positions) -> None:
        """Appends postings to the band. They are ordered by key and position, also across calls."""
        self._count += len(keys)
        keys = np.concatenate([self._keys, keys])
        positions = np.concatenate([self._positions, positions])
        whole = len(keys) - len(keys) % POSTINGS_PER_PAGE
        self._write(keys[:whole], positions[:whole])
        self._keys, self._positions = keys[whole:], positions[whole:]

    def end_band(self) -> None:
        self._write(self._keys, self._positions)
        self.counts.append(self._count)
        self._start_band()

    def finish(self) -> None:
        """Makes the file durable."""
        firsts = np.concatenate(self._firsts) if self._firsts else np.zeros(0, np.uint64)
        self.file.finish({}, counts=np.array(self.counts, np.uint64), firsts=firsts)

    def _write(self, keys: Hashes, positions: Positions) -> None:
        if len(keys):
            made = self.kernel.posting_pages(np.ascontiguousarray(keys)[:, None], 0, positions)
            self.file.write(made.pages)
            self._firsts.append(made.firsts)
