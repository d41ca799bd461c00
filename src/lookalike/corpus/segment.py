"""A segment: the rows that one step added to an index, in files that never change.

    NAME.rows    the records of the rows, in input order
    NAME.keys    the postings: by band and key, the positions of the rows. After the bands of the plan, one contains the
                 ids and, if the index finds passages, another one contains chosen shingles (index/passages.py)
    NAME.texts   the texts, in compressed blocks
    NAME.ids     the ids, in compressed blocks, if they are strings

A row has a number, which it keeps for life, and a position, which is its place in the segment. docs/reference/
index-format.md describes the files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.corpus.tailed_file import TailedFile
from lookalike.corpus.text_blocks import BlockCache, TextBlocks
from lookalike.errors import MalformedInput
from lookalike.flow.arrays import Hashes, Mask, Rows, take, to_arrow
from lookalike.kernel.protocol import Kernel
from lookalike.kernel.stored import Hits

RECORD = np.dtype(
    [
        ("words", "<u8", 2),
        ("bytes", "<u8", 2),
        ("id", "<i8"),
        ("length", "<u4"),
        ("size", "<u4"),
        ("flags", "<u4"),
    ]
)
"""The record of a row: its hashes, its id, its lengths in characters and bytes, and its flags.

The id is 0 if ids are strings.
"""


PAYLOAD = 4092
"""The bytes of a page that contain entries."""

MOST_SLOTS = PAYLOAD - RECORD.itemsize
"""The maximum number of slots of a short signature: a record does not span two pages."""


def record_type(slots: int) -> np.dtype[np.void]:
    """Returns the type of records with a short signature of that many slots, or without one."""
    if not slots:
        return RECORD
    return np.dtype(
        [(name, *RECORD.descr[i][1:]) for i, name in enumerate(RECORD.names or ())] + [("signature", "u1", slots)]
    )


Records = npt.NDArray[np.void]
"""Rows of `record_type`."""

PAGE = 4096
"""The size of a page in bytes, of which the last four are a check."""

MOST_OFFSET = (1 << 32) - 1
"""The greatest number of a row, counted from the first row of its segment."""

KEPT_PAGES = 4096
"""Pages of postings stay in memory after they were read if a segment has at most this many: 16 MiB, some 80,000 rows.

An index has few large segments, of which a query reads one page per band, but several small ones. Without this, a query
would take much longer after many single adds than before.
"""

SUFFIXES = (".rows", ".keys", ".texts", ".ids")


def files_of(folder: Path, name: str) -> list[Path]:
    """Returns the paths that a segment of this name may have."""
    return [folder / f"{name}{suffix}" for suffix in SUFFIXES]


class Segment:
    """A segment, open for reading. Several threads may use it. The files may be removed while it is open."""

    def __init__(self, folder: Path, name: str, kernel: Kernel, cache: BlockCache | None = None) -> None:
        self.name, self.kernel = name, kernel
        self._rows = TailedFile(folder / f"{name}.rows")
        facts = self._rows.facts
        self.first, self.count, self.bands = int(facts["first"]), int(facts["rows"]), int(facts["bands"])
        self.text_ids = facts["ids"] == "str"
        self.record = record_type(int(facts.get("slots", 0)))
        self.offsets: npt.NDArray[np.uint32] | None = self._rows.arrays.get("offsets")
        """The number of each row, counted from `first`; None if they are consecutive."""
        self._keys = TailedFile(folder / f"{name}.keys")
        self.counts: Hashes = self._keys.arrays["counts"]
        self.firsts: Hashes = self._keys.arrays["firsts"]
        with damage(self._keys.name):
            self.postings = kernel.postings(self._keys.descriptor, self.counts, self.firsts, KEPT_PAGES)
        self.texts = TextBlocks(folder / f"{name}.texts", cache)
        self.ids = TextBlocks(folder / f"{name}.ids", cache) if self.text_ids else None

    def __len__(self) -> int:
        return self.count

    @property
    def end(self) -> int:
        """The number after that of the last row."""
        return self.first + (self.count if self.offsets is None else int(self.offsets[-1]) + 1)

    @property
    def has_passages(self) -> bool:
        """True if a band contains chosen shingles."""
        return len(self.counts) > self.bands + 1

    @property
    def nbytes(self) -> int:
        """The size of the files."""
        files = [self._rows, self._keys, self.texts.file] + ([self.ids.file] if self.ids is not None else [])
        return sum(file.size for file in files)

    def rows_at(self, positions: Rows) -> Rows:
        """Returns the row numbers at these positions."""
        return self.first + (positions if self.offsets is None else self.offsets[positions].astype(np.int64))

    def positions_of(self, rows: Rows) -> Rows:
        """Returns the positions of these rows, or −1 for rows that the segment does not have."""
        places = rows - self.first
        if self.offsets is None:
            return np.where((places >= 0) & (places < self.count), places, -1)
        wanted = np.clip(places, 0, MOST_OFFSET).astype(np.uint32)  # another type would convert all offsets each time
        found = np.minimum(np.searchsorted(self.offsets, wanted), self.count - 1)
        return np.where(self.offsets[found] == places, found, -1)

    def find(
        self,
        keys: Hashes,
        left_out: Mask | None = None,
        *,
        band: int = 0,
        start: int = 0,
        most: int = 1 << 22,
        cap: int = 0,
    ) -> Hits:
        """Looks up the keys of the bands from `band` on. The hits contain positions."""
        try:  # a context manager would take as long as the rest of this function
            return self.postings.find(keys, left_out, band=band, start=start, most=most, cap=cap)
        except (RuntimeError, OSError) as error:
            raise damaged(self._keys.name, error) from None

    def find_ids(self, keys: Hashes) -> Hits:
        """Looks up the keys of ids (`id_keys`). Strings with equal keys may differ."""
        with damage(self._keys.name):
            return self.postings.find(keys[:, None], band=self.bands, most=1 << 62)

    def find_passages(self, shingles: Hashes, *, start: int = 0, most: int = 1 << 22) -> Hits:
        """Looks up chosen shingles, each of which is a query."""
        with damage(self._keys.name):
            return self.postings.find(shingles[:, None], band=self.bands + 1, start=start, most=most)

    def records(self, positions: Rows) -> Records:
        with damage(self._rows.name):
            raw = self.kernel.read_records(self._rows.descriptor, self.count, self.record.itemsize, positions)
        return raw.reshape(-1).view(self.record)

    def will_need(self, positions: Rows) -> None:
        """Lets the system start to fetch the records and texts at these positions, all at the same time."""
        per_page = (PAGE - 4) // self.record.itemsize
        for position in positions.tolist():
            self._rows.will_need(PAGE, position // per_page * PAGE)
            self.texts.will_need(position)

    def ids_at(self, positions: Rows, records: Records | None = None) -> pa.Array:
        """Returns the ids at these positions, which may have been read already as `records`."""
        if self.ids is not None:
            return self.ids.take(positions)
        records = self.records(positions) if records is None else records
        return to_arrow(records["id"])

    def texts_at(self, positions: Rows) -> pa.Array:
        """Returns the texts at these positions, in this order."""
        return self.texts.take(positions, self.kernel.threads)

    def read_band(self, band: int, first: int, last: int) -> tuple[Hashes, npt.NDArray[np.uint32]]:
        """Returns the keys and positions in pages `first` … `last` - 1 of a band."""
        with damage(self._keys.name):
            return self.postings.read(band, first, last)

    def keys_of(self, positions: Rows) -> Hashes:
        """Returns the keys of all bands at these positions. It reads all postings: they are ordered by key."""
        places = np.full(self.count, -1, np.int64)
        places[positions] = np.arange(len(positions))
        found = np.zeros((len(positions), self.bands), np.uint64)
        for band, pages in enumerate(self.postings.pages[: self.bands]):
            for page in range(0, pages, 1024):
                keys, stored = self.read_band(band, page, min(page + 1024, pages))
                wanted = places[stored]
                found[wanted[wanted >= 0], band] = keys[wanted >= 0]
        return found

    def verify(self) -> Iterator[int]:
        """Reads everything and checks it; yields the number of steps done. Raises MalformedInput for damage."""
        done = 0
        for band, pages in enumerate(self.postings.pages):
            for page in range(0, pages, 1024):
                self.read_band(band, page, min(page + 1024, pages))
                yield (done := done + 1)
        for position in range(0, self.count, 1 << 16):
            self.records(np.arange(position, min(position + (1 << 16), self.count)))
            yield (done := done + 1)
        for blocks in (self.texts, self.ids):
            for _ in () if blocks is None else blocks.verify():
                yield (done := done + 1)

    def close(self) -> None:
        for file in (self._rows, self._keys, self.texts, self.ids):
            if file is not None:
                file.close()


@contextmanager
def damage(name: str) -> Iterator[None]:
    """Wraps calls of the kernel that read a file, and names the file if it is damaged or cannot be read."""
    try:
        yield
    except (RuntimeError, OSError) as error:
        raise damaged(name, error) from None


def damaged(name: str, error: Exception) -> MalformedInput:
    return MalformedInput("damaged-segment", name=name, reason=str(error))


def id_keys(ids: pa.Array, kernel: Kernel) -> Hashes:
    """Returns the key of each id, by which it is found: an integer itself, or half of the hash of a string."""
    from lookalike.flow import Chars, Documents

    if pa.types.is_integer(ids.type):
        numbers: Hashes = np.from_dlpack(ids).view(np.uint64)
        return numbers
    return np.ascontiguousarray(kernel.hash_texts(Documents(ids), Chars(), raw=True).bytes[:, 0])


def picked(parts: list[tuple[Rows, pa.Array]], count: int, empty: pa.DataType) -> pa.Array:
    """Combines arrays, each with the places of its values in the result."""
    if not parts:
        return pa.nulls(0, empty)
    if len(parts) == 1 and len(parts[0][0]) == count and (np.diff(parts[0][0]) == 1).all():
        return parts[0][1]
    order = np.argsort(np.concatenate([places for places, _ in parts]), kind="stable")
    return take(pa.concat_arrays([values for _, values in parts]), order)
