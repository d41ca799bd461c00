"""Streams that convert a file while it is read: from another encoding to UTF-8, or from a JSON array to JSON Lines."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import BinaryIO

from lookalike.errors import MalformedInput
from lookalike.io.misread import not_in_utf8
from lookalike.notices import Notice

BLOCK = 1 << 20
MARGIN = 16
"""If the parser fails within this many characters of the end of a block, the value may continue in the next block."""


class Converted:
    """A stream of the bytes that an iterator yields in pieces."""

    def __init__(self, stored: BinaryIO, pieces: Iterator[bytes]) -> None:
        self._stored = stored
        self._pieces = pieces
        self._rest = b""

    def read(self, size: int = -1) -> bytes:
        found, length = [self._rest], len(self._rest)
        while size < 0 or length < size:
            piece = next(self._pieces, None)
            if piece is None:
                break
            found.append(piece)
            length += len(piece)
        whole = b"".join(found)
        end = len(whole) if size < 0 else size
        self._rest = whole[end:]
        return whole[:end]

    def close(self) -> None:
        self._stored.close()

    def __enter__(self) -> Converted:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def in_utf8(stored: BinaryIO, encoding: str, name: str) -> Converted:
    """Converts a stream from the encoding to UTF-8."""
    return Converted(stored, _transcoded(stored, encoding, name))


def _transcoded(stored: BinaryIO, encoding: str, name: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)()
    block = b"start"
    while block:
        block = stored.read(BLOCK)
        try:
            yield decoder.decode(block, not block).encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            raise MalformedInput("not-in-encoding", name=name, encoding=encoding, reason=str(error)) from None


BEFORE_TEXT, AFTER_TEXT = b'{"text": ', b"}"
"""An element of an array of texts becomes an object with one column."""


def as_lines(stored: BinaryIO, name: str, texts: bool = False) -> Converted:
    """Converts a JSON array to JSON Lines: each element becomes one line, with its text unchanged.

    With `texts`, the elements are texts, which become the column `text`.
    """
    lines = _elements(stored, name)
    if texts:
        lines = (b"%s%s%s\n" % (BEFORE_TEXT, line[:-1], AFTER_TEXT) for line in lines)
    return Converted(stored, lines)


def text_in(line: bytes) -> bytes:
    """Returns the element of an array of texts that was converted to this line."""
    return line.rstrip(b"\r\n").removeprefix(BEFORE_TEXT).removesuffix(AFTER_TEXT)


def _elements(stored: BinaryIO, name: str) -> Iterator[bytes]:
    """Yields the elements of an array, each on one line. Line ends are removed, because no value can contain one."""
    text = _Text(stored, name)
    text.skip(" \t\r\n\ufeff")
    text.skip("[", most=1)
    number = 0
    while True:
        text.skip(" \t\r\n")
        if number and text.next() == ",":
            text.skip(",", most=1)
            text.skip(" \t\r\n")
            if text.next() == "]":
                raise text.error(number, "expected a value after ','")
        elif text.next() != "]" and number:
            raise text.error(number, "expected ',' or ']'")
        if text.next() == "]":
            text.skip("]", most=1)
            text.skip(" \t\r\n")
            if text.next():
                raise text.error(number, "expected nothing after ']'")
            return
        yield text.element(number).replace("\r", " ").replace("\n", " ").encode() + b"\n"
        number += 1


class _Text:
    """The part of a stream that has been read as text and not yet used."""

    def __init__(self, stored: BinaryIO, name: str) -> None:
        self._stored, self._name = stored, name
        self._bytes = codecs.getincrementaldecoder("utf-8")()
        self._json = json.JSONDecoder()
        self._text, self._at, self._ended = "", 0, False

    def next(self) -> str:
        """Returns the next character; empty at the end."""
        while self._at == len(self._text) and not self._ended:
            self._more()
        return self._text[self._at : self._at + 1]

    def skip(self, characters: str, most: int | None = None) -> None:
        skipped = 0
        while (most is None or skipped < most) and (found := self.next()) and found in characters:
            self._at += 1
            skipped += 1

    def element(self, number: int) -> str:
        """Returns the text of the value that begins at the current position."""
        while True:
            try:
                _, end = self._json.raw_decode(self._text, self._at)
                if end < len(self._text) or self._ended:
                    found, self._at = self._text[self._at : end], end
                    return found
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated string") or error.pos >= len(self._text) - MARGIN
                if self._ended or not cut:
                    raise self.error(number, error.msg) from None
            except RecursionError:
                raise self.error(number, "nested too deeply") from None
            self._more()

    def _more(self) -> None:
        """Reads at least a block, and at least as much as was read but not yet used.

        A long value is thus parsed only a few times.
        """
        waiting = self._text[self._at :]
        block = self._stored.read(max(BLOCK, len(waiting)))
        self._ended = not block
        try:
            self._text, self._at = waiting + self._bytes.decode(block, self._ended), 0
        except UnicodeDecodeError as error:
            raise MalformedInput("text-not-utf8", name=self._name, reason=not_in_utf8(error)) from None

    def error(self, number: int, reason: str) -> MalformedInput:
        where = Notice("element", name=self._name, element=number)
        return MalformedInput("malformed-array", where=where, reason=reason)
