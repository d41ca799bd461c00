"""Groups the lines of a CSV file into records for Python's CSV parser, and parses huge records.

Python's parser takes four bytes per character and does not free them. Therefore, a record of more than HUGE bytes is
parsed here, as bytes, with the same result.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from lookalike.io.files import File
from lookalike.io.formats.line_blocks import BOM, is_utf8
from lookalike.io.misread import not_in_utf8
from lookalike.notices import Notice
from lookalike.storage.foreign_errors import reading

HUGE = 1 << 20
"""Records with more bytes than this are huge."""

PIECE = 1 << 20
"""The number of bytes that are read at once."""


class HugeRecord(Exception):
    """Raised inside Python's CSV parser when the current record turns out to be huge."""


class RecordLines:
    """An iterator over the lines of a stream for csv.reader, which remembers the lines of the current record."""

    def __init__(self, stream: BinaryIO, file: File, offset: int, line: int) -> None:
        self.file = file
        self.offset, self.line = offset, line
        self.begun = line
        self.raw: list[bytes | bytearray] = []
        self.broken: Notice | None = None
        self._size = 0
        self._lines = _lines(stream, file)

    def begin(self) -> None:
        """Marks the beginning of a record."""
        self.begun, self.raw, self.broken, self._size = self.line, [], None, 0

    def __iter__(self) -> RecordLines:
        return self

    def __next__(self) -> str:
        raw = self.next_line()
        line = raw.removeprefix(BOM) if self.offset == len(raw) else raw
        self.raw.append(raw)
        if self._size > HUGE:
            raise HugeRecord
        try:
            return line.decode()
        except UnicodeDecodeError as error:
            self.broken = self.broken or _not_utf8(error, self.line - 1)
            return line.decode(errors="replace")

    def next_line(self) -> bytes:
        """Returns the next line of the current record."""
        raw = next(self._lines)
        self.offset += len(raw)
        self.line += 1
        self._size += len(raw)
        return raw


def huge_fields(record: RecordLines, delimiter: bytes, quote: bytes | None) -> list[bytes] | Notice:
    """Returns the fields of the record whose first lines are `record.raw`, or the reason why it is malformed."""
    data = bytearray().join(record.raw)
    record.raw.clear()
    fields: list[bytes] = []
    at = 0
    while True:
        if quote is not None and data.startswith(quote, at):
            end = _closing(record, data, at + 1, quote)
            if end is None:
                return Notice("unclosed-quote", lines=record.line - record.begun)
            fields.append(bytes(memoryview(data)[at + 1 : end]))
            if quote * 2 in fields[-1]:
                fields[-1] = fields[-1].replace(quote * 2, quote)
            at = end + 1
        else:
            ends = (data.find(mark, at) for mark in (delimiter, b"\n", b"\r"))
            end = min((end for end in ends if end >= 0), default=len(data))
            fields.append(bytes(memoryview(data)[at:end]))
            at = end
        if data.startswith(delimiter, at):
            at += len(delimiter)
        elif at == len(data) or data.startswith((b"\n", b"\r"), at):
            break
        else:
            reason = f"'{delimiter.decode()}' expected after '{(quote or b'').decode()}'"
            return Notice("broken-quoting", reason=reason)
    if record.file.budget is not None and len(data) > record.file.budget.longest:
        raise record.file.budget.too_long(len(data))
    record.raw.append(data)
    return fields if is_utf8(data) else _first_not_utf8(data, record.begun)


def _closing(record: RecordLines, data: bytearray, at: int, quote: bytes) -> int | None:
    """Returns the position of the mark that closes the quoted field; None if the file ends first.

    Adds lines to `data`.
    """
    while True:
        end = data.find(quote, at)
        if end >= 0 and data[end + 1 : end + 2] != quote:
            return end
        if end >= 0:
            at = end + 2
            continue
        at = len(data)
        budget = record.file.budget
        try:
            while quote not in (line := record.next_line()):
                data += line
                if budget is not None and len(data) > budget.longest:
                    raise budget.too_long(len(data) + _left(record, quote))
            data += line
        except StopIteration:
            return None


def _left(record: RecordLines, quote: bytes) -> int:
    """Returns the number of bytes up to the end of the line in which a quoted field ends."""
    size = 0
    for line in iter(record.next_line, None):
        size += len(line)
        if line.count(quote) % 2:
            break
    return size


def _first_not_utf8(data: bytearray, first: int) -> Notice:
    for number, line in enumerate(data.splitlines(keepends=True), first):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return _not_utf8(error, number)
    raise AssertionError("the record is in UTF-8")


def _not_utf8(error: UnicodeDecodeError, line: int) -> Notice:
    found = not_in_utf8(error)
    return Notice("not-utf8-line", **found.values, line=line) if found.code == "not-utf8" else found


def _lines(stream: BinaryIO, file: File) -> Iterator[bytes]:
    """Yields lines with their line ends: \\n, \\r\\n or, as in files of old spreadsheets, \\r."""
    pieces: list[bytes] = []  # pieces of the last line, which may be incomplete or end within \r\n
    size = 0
    while True:
        with reading(file.name):
            piece = stream.read(PIECE)
        if not piece:
            break
        pieces.append(piece)
        size += len(piece)
        if b"\n" not in piece and b"\r" not in piece:
            if file.budget is not None and size > file.budget.longest:
                pieces.clear()
                raise file.budget.too_long(size + _rest_of_line(stream, file))
            continue
        lines = b"".join(pieces).splitlines(keepends=True)
        pieces = [lines.pop()]
        size = len(pieces[0])
        lines.reverse()
        while lines:
            yield lines.pop()  # not kept here, because a line may be huge
    yield from b"".join(pieces).splitlines(keepends=True)


def _rest_of_line(stream: BinaryIO, file: File) -> int:
    """Returns the number of bytes up to the end of the line."""
    size = 0
    with reading(file.name):
        while piece := stream.read(PIECE):
            line = piece.splitlines(keepends=True)[0]
            size += len(line)
            if len(line) < len(piece) or line.endswith((b"\n", b"\r")):
                break
    return size
