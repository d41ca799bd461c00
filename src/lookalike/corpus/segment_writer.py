"""Writes a segment: first the texts and ids, piece by piece, then the records and the sorted postings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.corpus.segment import PAYLOAD, Records, id_keys, record_type
from lookalike.corpus.tailed_file import TailedWriter
from lookalike.corpus.text_blocks import Packed, TextBlocksWriter, pack_texts
from lookalike.flow import Shingles
from lookalike.flow.arrays import Hashes
from lookalike.flow.sketches import EMPTY, Sketches
from lookalike.io.workers import mapped
from lookalike.kernel.protocol import Kernel
from lookalike.kernel.stored import PostingPages

PAGES = 1024
"""The number of pages of records that are packed at a time."""


def records_of(sketches: Sketches, ids: pa.Array, signatures: npt.NDArray[np.uint8] | None = None) -> Records:
    """Returns the records of rows, with short signatures if they are given."""
    records = np.zeros(len(sketches.flags), record_type(0 if signatures is None else signatures.shape[1]))
    if signatures is not None:
        records["signature"] = signatures
    records["words"], records["bytes"] = sketches.words, sketches.bytes
    if pa.types.is_integer(ids.type):
        records["id"] = np.from_dlpack(ids)
    records["length"], records["size"], records["flags"] = sketches.lengths, sketches.sizes, sketches.flags
    return records


class SegmentWriter:
    """Writes the files of a new segment. `finish` makes them durable, except for their names in the folder."""

    def __init__(self, folder: Path, name: str, kernel: Kernel, first: int, *, text_ids: bool) -> None:
        self.folder, self.name, self.kernel, self.first = folder, name, kernel, first
        self._keys: TailedWriter | None = None
        self._rows: TailedWriter | None = None
        self.texts = TextBlocksWriter(folder / f"{name}.texts")
        self.ids = TextBlocksWriter(folder / f"{name}.ids") if text_ids else None

    def add_texts(self, texts: Packed) -> None:
        """Appends texts, which workers have compressed."""
        self.texts.add(texts)

    def add_ids(self, ids: pa.Array) -> None:
        """Appends ids. Integers are part of the records."""
        if self.ids is not None:
            self.ids.add(pack_texts(ids))

    def finish(
        self,
        records: Records,
        keys: Hashes,
        ids: pa.Array,
        offsets: npt.NDArray[np.uint32] | None = None,
        passages: Shingles | None = None,
    ) -> None:
        """Writes the records and postings of all rows. `offsets` number them from `first` on (default: 0, 1, 2 …).

        `passages` are their chosen shingles, if the index finds passages.
        """
        empty = (records["flags"] & EMPTY) > 0
        left_out = empty if empty.any() else None

        def sort(band: int) -> PostingPages:
            if band == keys.shape[1]:
                return self.kernel.posting_pages(id_keys(ids, self.kernel)[:, None], 0)
            if band > keys.shape[1]:
                assert passages is not None
                positions = np.repeat(np.arange(len(passages), dtype=np.uint32), passages.sizes)
                return self.kernel.posting_pages(passages.values[:, None], 0, positions)
            return self.kernel.posting_pages(keys, band, None, left_out)

        every = range(keys.shape[1] + 1 + (passages is not None))
        self.finish_with(records, mapped(sort, every, self.kernel.threads), keys.shape[1], offsets)

    def finish_with(
        self,
        records: Records,
        postings: Iterator[PostingPages],
        bands: int,
        offsets: npt.NDArray[np.uint32] | None = None,
    ) -> None:
        """Writes the records, and all postings in order: those of the bands of the plan, and further ones.

        `offsets` number the rows from `first` on.
        """
        file = self._keys = TailedWriter(self.folder / f"{self.name}.keys")
        counts, firsts = list[int](), []
        for made in postings:
            file.write(made.pages)
            firsts.append(made.firsts)
            counts.append(made.count)
        arrays = {"counts": np.array(counts, np.uint64), "firsts": np.concatenate(firsts)}
        finishing: list[Callable[[], None]] = [partial(file.finish, {}, **arrays)]
        rows = self._rows = TailedWriter(self.folder / f"{self.name}.rows")
        width = records.dtype.itemsize
        raw = records.view(np.uint8).reshape(-1, width)
        for start in range(0, len(raw), at_once := PAGES * (PAYLOAD // width)):
            rows.write(self.kernel.record_pages(raw[start : start + at_once]))
        facts = {
            "first": self.first,
            "rows": len(records),
            "bands": bands,
            "ids": "int" if self.ids is None else "str",
        } | ({"slots": records["signature"].shape[1]} if "signature" in (records.dtype.names or ()) else {})
        more = {} if offsets is None else {"offsets": offsets}
        finishing += [partial(rows.finish, facts, **more), self.texts.finish]
        finishing += [] if self.ids is None else [self.ids.finish]
        for _ in mapped(lambda finish: finish(), finishing, 2):  # the disk serves several files at a time
            pass

    def close(self) -> None:
        """Closes the files without finishing them."""
        ids = None if self.ids is None else self.ids.file
        for file in (self.texts.file, ids, self._keys, self._rows):
            if file is not None:
                file.close()
