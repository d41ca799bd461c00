"""Texts in compressed blocks of about 64 KiB. A text is found by its position, and lies in one block.

A block is the lengths of its texts in bytes (32 bits each) and then the texts, compressed together with zstd.
"""

from __future__ import annotations

import itertools
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.corpus.tailed_file import TailedFile, TailedWriter
from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow import Documents
from lookalike.flow.arrays import Rows
from lookalike.io.workers import mapped

BLOCK = 64 << 10
"""The bytes of text after which a block ends. Larger blocks compress better, but reading one text takes longer."""

LEVEL = 1
"""The zstd level. Higher levels gain 2 % on prose, and cost more time than signing."""

CACHED = 8 << 20
"""The bytes of decompressed blocks that a reader keeps, of all files of an index."""

TABLE = np.dtype([("first", "<u4"), ("size", "<u4"), ("raw", "<u4"), ("crc", "<u4"), ("place", "<u8")])
"""The block table: the position of the first text, the sizes of the block, its CRC-32, and its place in the file."""

BlockTable = npt.NDArray[np.void]
"""Entries of type TABLE."""

RUNS = 16
"""The number of runs of texts that a thread reads at a time. A run lies in one block."""

_numbers = itertools.count()
"""Distinguishes open files in a cache. Their names do not: a name is used again if an add fails."""


Buffer: TypeAlias = bytes | memoryview | pa.Buffer


class Packed(NamedTuple):
    """The texts of consecutive rows, as compressed blocks."""

    blocks: list[pa.Buffer]
    counts: list[int]
    """The number of texts in each block."""
    raw: list[int]
    """The size of each block before compression."""


def pack_texts(texts: pa.Array) -> Packed:
    """Compresses texts (`large_string`). It releases the GIL most of the time."""
    codec = pa.Codec("zstd", compression_level=LEVEL)
    packed = Packed([], [], [])
    _, places, data = texts.buffers()
    if not len(texts):
        return packed
    offsets = np.frombuffer(places, np.int64, len(texts) + 1, 8 * texts.offset)
    content = np.frombuffer(data or b"", np.uint8)
    start = 0
    while start < len(texts):
        stop = int(np.searchsorted(offsets, offsets[start] + BLOCK, side="left"))
        stop = min(max(stop, start + 1), len(texts))
        if int(offsets[stop] - offsets[start]) >= 1 << 31:
            raise InvalidOption("document-too-large-for-index", size=int(offsets[stop] - offsets[start]))
        lengths = np.diff(offsets[start : stop + 1]).astype("<u4")
        raw = np.concatenate([lengths.view(np.uint8), content[offsets[start] : offsets[stop]]])
        packed.blocks.append(codec.compress(raw))
        packed.counts.append(stop - start)
        packed.raw.append(len(raw))
        start = stop
    return packed


class TextBlocksWriter:
    """Appends packed texts to a file."""

    def __init__(self, path: Path, *, paced: bool = False) -> None:
        self.file = TailedWriter(path, paced=paced)
        self.count = 0
        self._table: list[tuple[int, int, int, int, int]] = []

    def add(self, packed: Packed) -> None:
        for block, count, raw in zip(*packed, strict=True):
            self.copy(block, count, raw, zlib.crc32(block))

    def copy(self, block: pa.Buffer | bytes, count: int, raw: int, crc: int) -> None:
        """Appends a block that is already compressed."""
        self._table.append((self.count, len(block), raw, crc, self.file.write(memoryview(block))))
        self.count += count

    def table(self) -> BlockTable:
        """Returns the entries of the blocks that are written."""
        return np.array(self._table, TABLE)

    def finish(self) -> None:
        self.file.finish({"texts": self.count}, blocks=self.table())


def unpacked_block(codec: pa.Codec, data: Buffer, entry: np.void, *, name: str, number: int) -> pa.Buffer:
    """Decompresses a block. Raises MalformedInput if its bytes do not match its entry."""
    if zlib.crc32(data) != entry["crc"]:
        raise MalformedInput("damaged-segment", name=name, reason=f"block {number} is damaged")
    return codec.decompress(data, decompressed_size=int(entry["raw"]))


class BlockCache:
    """The decompressed blocks that were read last, with the offsets of their texts. Several threads may use it."""

    def __init__(self) -> None:
        self._blocks: OrderedDict[tuple[int, int], tuple[Rows, pa.Buffer]] = OrderedDict()
        self._size = 0
        self._lock = Lock()

    def __contains__(self, key: tuple[int, int]) -> bool:
        return key in self._blocks

    def get(self, key: tuple[int, int]) -> tuple[Rows, pa.Buffer] | None:
        """Returns the block of a file with this number, if it is here."""
        with self._lock:
            found = self._blocks.get(key)
            if found is not None:
                self._blocks.move_to_end(key)
            return found

    def put(self, key: tuple[int, int], block: tuple[Rows, pa.Buffer]) -> None:
        """Adds a block, and forgets those that were read longest ago if there is no room."""
        with self._lock:
            if key not in self._blocks:
                self._blocks[key] = block
                self._size += block[1].size
            while self._size > CACHED and len(self._blocks) > 1:
                _, (_, raw) = self._blocks.popitem(last=False)
                self._size -= raw.size


class TextBlocks:
    """The texts of a file, by position. Several threads may read them."""

    def __init__(self, path: Path, cache: BlockCache | None = None) -> None:
        self.file = TailedFile(path)
        self.count = int(self.file.facts["texts"])
        self.table = self.file.arrays["blocks"]
        self._firsts = self.table["first"].astype(np.int64)
        """The position of the first text of each block, in the type that it is searched for."""
        self._codec = pa.Codec("zstd")
        self._cache = BlockCache() if cache is None else cache
        self._number = next(_numbers)

    def __len__(self) -> int:
        return self.count

    def take(self, positions: Rows, threads: int = 1) -> pa.Array:
        """Returns the texts at these positions, in this order."""
        places = np.zeros(len(positions) + 1, np.int64)
        blocks = np.searchsorted(self._firsts, positions, side="right") - 1
        within = positions - self._firsts[blocks]
        starts = np.flatnonzero((np.diff(blocks, prepend=-1) != 0) | (np.diff(positions, prepend=-1) != 1))
        runs = list(pairwise([*starts.tolist(), len(positions)]))

        def run(start: int, stop: int) -> bytes:
            """Returns texts that follow one another in a block, and not the whole block, so that it can be freed."""
            offsets, raw = self._block(int(blocks[start]))
            i, count = int(within[start]), stop - start
            places[start + 1 : stop + 1] = np.diff(offsets[i : i + count + 1])
            return bytes(memoryview(raw)[int(offsets[i]) : int(offsets[i + count])])

        some = [runs[at : at + RUNS] for at in range(0, len(runs), RUNS)]
        if threads > 1 and len(some) > 1:
            data = b"".join(mapped(lambda part: b"".join(run(*one) for one in part), some, threads))
        else:
            data = b"".join(run(*one) for one in runs)
        buffers = [None, pa.py_buffer(np.cumsum(places)), pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.large_string(), len(positions), buffers)

    def will_need(self, position: int) -> None:
        """Lets the system start to fetch the block of a text that will be read soon."""
        block = int(np.searchsorted(self._firsts, position, side="right")) - 1
        if (self._number, block) not in self._cache:
            self.file.will_need(int(self.table["size"][block]), int(self.table["place"][block]))

    def blocks_of(self, start: int, stop: int) -> range:
        """Returns the numbers of the blocks that contain the texts at positions `start` … `stop - 1`."""
        if start >= stop:
            return range(0)
        first, last = np.searchsorted(self._firsts, [start, stop - 1], side="right") - 1
        return range(int(first), int(last) + 1)

    def documents(self, block: int) -> Documents:
        """Returns all texts of a block. `start` is the position of the first one."""
        offsets, raw = self._load(block)
        count = len(offsets) - 1
        return Documents(
            pa.Array.from_buffers(pa.large_string(), count, [None, pa.py_buffer(offsets), raw]),
            int(self.table["first"][block]),
        )

    def compressed(self, block: int) -> bytes:
        """Returns the bytes of a block as they are in the file."""
        entry = self.table[block]
        data = self.file.read(int(entry["size"]), int(entry["place"]))
        if zlib.crc32(data) != entry["crc"]:
            raise MalformedInput("damaged-segment", name=self.file.name, reason=f"block {block} is damaged")
        return data

    def count_of(self, block: int) -> int:
        """Returns the number of texts in a block."""
        stop = self.table["first"][block + 1] if block + 1 < len(self.table) else self.count
        return int(stop) - int(self.table["first"][block])

    def verify(self) -> Iterator[int]:
        """Checks each block, and yields its number."""
        for block in range(len(self.table)):
            self._load(block)
            yield block

    def close(self) -> None:
        self.file.close()

    def _block(self, block: int) -> tuple[Rows, pa.Buffer]:
        key = self._number, block
        found = self._cache.get(key)
        if found is None:
            found = self._load(block)
            self._cache.put(key, found)
        return found

    def _load(self, block: int) -> tuple[Rows, pa.Buffer]:
        """Returns the offsets of the texts in the raw block, and the block."""
        entry, count = self.table[block], self.count_of(block)
        data = self.file.read(int(entry["size"]), int(entry["place"]))
        raw = unpacked_block(self._codec, data, entry, name=self.file.name, number=block)
        offsets = np.empty(count + 1, np.int64)
        offsets[0] = 4 * count
        lengths = np.frombuffer(raw, "<u4", count)
        np.cumsum(lengths, out=offsets[1:])
        offsets[1:] += 4 * count
        return offsets, raw
