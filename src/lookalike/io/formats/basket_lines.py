"""Reads basket files, which have one basket per line, as blocks of lines (for counting) or as rows of lists.

Items are separated by white space, or by a separator with optional white space around it. There is no quoting: an item
that starts with a quotation mark is malformed, because a separator between the quotation marks would cut it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import BinaryIO

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import to_arrow
from lookalike.flow.baskets import ITEMS, Lines
from lookalike.flow.documents import TEXT
from lookalike.io.file_source import no_such_column
from lookalike.io.files import File, format_of, size_of
from lookalike.io.formats.line_blocks import Block, BlockScan, ended, is_utf8, read_blocks
from lookalike.io.misread import not_in_utf8
from lookalike.io.scan import Chunk, Malformed, OnError
from lookalike.notices import Notice

SEPARATORS = {"csv": ",", "tsv": "\t"}


def separator_of(files: Sequence[File]) -> str | None:
    """Returns the separator between items, according to the suffixes of the files; None means white space."""
    named = {SEPARATORS.get(format_of(file.relative) or ""): file.name for file in files}
    if len(named) > 1:
        one, other, *_ = sorted(named.values())
        raise InvalidOption("basket-files-of-two-kinds", first=one, other=other)
    return next(iter(named), None)


class BasketFiles:
    """Basket files for counting, read in blocks of whole lines. An empty line is an empty basket."""

    integers = None

    def __init__(
        self,
        name: str,
        files: Sequence[File],
        separator: str | None,
        on_error: OnError,
        warnings: Sequence[Notice] = (),
    ) -> None:
        self.name = name
        self.warnings = warnings
        self.files = files
        self.separator = separator
        self.on_error = on_error
        self.malformed = Malformed()
        self.bytes = size_of(files)

    def blocks(self, size: int) -> Iterator[Lines]:
        self.malformed = Malformed()
        for file in self.files:
            for block in read_blocks(file, size=size):
                yield Lines(self._whole(block, file), self.separator)

    def _whole(self, block: Block, file: File) -> bytes:
        if is_plain(block.data, self.separator):
            return block.data
        before = self.malformed.count
        good = list(good_lines(block, file, self.separator, self.malformed))
        if self.malformed.count > before and self.on_error == "fail":
            raise self.malformed.error()
        return b"".join(good)

    def identity(self) -> str:
        digest = hashlib.blake2b(digest_size=16)
        for file in self.files:
            digest.update(file.stamp().encode("utf-8", "surrogateescape") + b"\n")
        return digest.hexdigest()


class BasketsFormat:
    """The format `baskets`: one row per line, with one column that contains the list of items."""

    name = "baskets"
    cheap_to_reread = False
    reader_bytes = 0
    warnings: Sequence[Notice] = ()

    def __init__(self, files: Sequence[File], name: str, separator: str | None) -> None:
        self.files = files
        self.scans = [BasketsScan(file, separator) for file in files]
        self.separator = separator
        self._name = name

    def columns(self) -> list[str]:
        return [ITEMS]

    def prepare(self, columns: Sequence[str]) -> None:
        for column in columns:
            if column != ITEMS:
                raise no_such_column(column, self.columns(), self._name)


class BasketsScan(BlockScan):
    """A scan of one basket file."""

    def __init__(self, file: File, separator: str | None) -> None:
        super().__init__(file)
        self.separator = separator

    def parse(self, block: Block, columns: Sequence[str]) -> Chunk:
        malformed, data = Malformed(), block.data
        if not is_plain(data, self.separator):
            data = b"".join(good_lines(block, self.file, self.separator, malformed))
        rows = pa.RecordBatch.from_arrays([split_lines(data, self.separator)] * len(columns), list(columns))
        return Chunk(block.at, rows, malformed, block.next)

    def copy(
        self,
        keep: npt.NDArray[np.bool_],
        sink: BinaryIO,
        *,
        head: bool = True,
        end_lines: bool = False,
        threads: int = 1,
    ) -> int:
        row = 0
        for block in read_blocks(self.file):
            for line in good_lines(block, self.file, self.separator, Malformed()):
                if row < len(keep) and keep[row]:
                    sink.write(ended(line) if end_lines else line)
                row += 1
        return row


def split_lines(data: bytes, separator: str | None) -> pa.Array:
    """Splits whole lines of UTF-8 into lists of items, one list per line.

    >>> split_lines(b"milk, rye bread\\n\\n eggs ,,milk\\r\\n", ",").to_pylist()
    [['milk', 'rye bread'], [], ['eggs', 'milk']]
    >>> split_lines(b"1 2  3", None).to_pylist()
    [['1', '2', '3']]
    """
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()  # the text after the last line end is empty
    if separator is None:
        baskets = [line.split() for line in lines]
    else:
        between = separator.encode()
        baskets = [[item for part in line.split(between) if (item := part.strip())] for line in lines]
    ends = np.zeros(len(baskets) + 1, np.int64)
    np.cumsum([len(basket) for basket in baskets], out=ends[1:])
    items = pa.array(list(chain.from_iterable(baskets)), pa.large_binary()).view(TEXT)
    return pa.LargeListArray.from_arrays(to_arrow(ends), items)


def is_plain(data: bytes, separator: str | None) -> bool:
    """True if no line can be malformed: the data is UTF-8 and, if there is a separator, has no quotation marks."""
    return is_utf8(data) and not (separator is not None and b'"' in data)


def good_lines(block: Block, file: File, separator: str | None, malformed: Malformed) -> Iterator[bytes]:
    """Yields the lines of a block, with their line ends. Malformed lines are skipped and added to `malformed`."""
    for number, line in block.lines():
        reason = _fault(line, separator)
        if reason is None:
            yield line
        else:
            malformed.add(Notice("line", name=file.name, line=number), reason)


def _fault(line: bytes, separator: str | None) -> Notice | None:
    try:
        line.decode()
    except UnicodeDecodeError as error:
        return not_in_utf8(error)
    fields = () if separator is None else line.split(separator.encode())
    if any(field.strip().startswith(b'"') for field in fields):
        return Notice("quoted-item")
    return None
