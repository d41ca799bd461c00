"""A source whose texts are split into tokens by a function that the user passes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow import Documents
from lookalike.flow.documents import TEXT, TOKENS
from lookalike.io.formats.json_line import Broken, tokens_of
from lookalike.io.python_rows import as_list
from lookalike.io.source import Batch, Lanes, Piece, Source
from lookalike.notices import Notice

if TYPE_CHECKING:
    from lookalike.io.file_source import FileSource
    from lookalike.io.memory_source import MemorySource

Tokenizer = Callable[[str], Iterable[Any]]


class TokenizedSource:
    """The rows of `origin` with an additional column: the tokens of each text, as `tokenizer` returns them.

    Engines read the additional column. It is not listed in `columns`, so that written rows have the columns of
    `origin`. The tokenizer runs in one thread, because Python code cannot run in several threads at once.
    """

    reader_bytes = 0
    in_memory = cheap_to_reread = False  # reading a row again calls the tokenizer again

    def __init__(self, origin: FileSource | MemorySource, tokenizer: Tokenizer) -> None:
        if not callable(tokenizer):
            raise InvalidOption("not-a-tokenizer", value=tokenizer)
        self.origin, self.tokenizer = origin, tokenizer
        self.name, self.id = origin.name, origin.id
        self.column = f"tokens of {origin.column}"
        self.files = getattr(origin, "files", ())
        self.opened: Mapping[str, Any] | None = None

    @property
    def columns(self) -> list[str]:
        return self.origin.columns

    @property
    def malformed(self) -> int:
        return self.origin.malformed

    @property
    def warnings(self) -> tuple[Notice, ...]:
        return self.origin.warnings

    def lanes(self, columns: Sequence[str], start: int = 0, stop: int | None = None) -> Lanes:
        return [map(Piece.of, self.read(columns, start, stop))]

    def total_rows(self) -> int | None:
        return self.origin.total_rows()

    def expected_rows(self, rows: int, bytes: int) -> int:
        return self.origin.expected_rows(rows, bytes)

    def read(self, columns: Sequence[str] | None = None, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
        wanted = self.columns if columns is None else list(columns)
        return self._read(wanted, start, stop)

    def _read(self, columns: Sequence[str], start: int, stop: int | None) -> Iterator[Batch]:
        texts = self.origin.column
        stored = [texts if name == self.column else name for name in columns]
        for batch in self.origin.read([*dict.fromkeys(stored)], start, stop):
            made = [
                self._tokens(batch.data.column(texts), batch.start) if name == self.column else batch.data.column(name)
                for name in columns
            ]
            yield Batch(batch.start, pa.record_batch(made, names=list(columns)))

    def _tokens(self, texts: pa.Array, start: int) -> pa.Array:
        if texts.type != TEXT:
            raise InvalidOption("tokenizer-of-tokens", column=self.origin.column, name=self.name)
        return pa.array([self._cut(text, start + i) for i, text in enumerate(texts.to_pylist())], TOKENS)

    def _cut(self, text: str | None, row: int) -> list[str | None] | None:
        if text is None:
            return None
        try:
            found = self.tokenizer(text)
        except Exception as error:  # the user's function may raise anything
            reason = Notice("tokenizer-raised", error=type(error).__name__, message=str(error))
            raise MalformedInput("tokenizer-failed", where=self._where(row), reason=reason) from error
        try:
            if isinstance(found, Mapping):  # such as the encoding of a tokenizer of Hugging Face
                raise Broken(Notice("dictionary-of-tokens", keys=[str(key) for key in found]))
            return tokens_of(as_list(list(found) if isinstance(found, bytes) else found))
        except Broken as broken:
            raise MalformedInput("tokenizer-failed", where=self._where(row), reason=broken.reason) from None

    def _where(self, row: int) -> Notice:
        return Notice("row", name=self.name, row=row)

    def documents(self, start: int = 0, stop: int | None = None) -> Iterator[Documents]:
        for batch in self.read([self.column], start, stop):
            yield Documents(batch.data.column(0), batch.start)

    def check_unchanged(self) -> None:
        self.origin.check_unchanged()

    def identity(self) -> str:
        """Returns a hash of the identity of `origin` and of the name of the tokenizer.

        Changes of its code are not detected.
        """
        both = f"{self.origin.identity()} {name_of(self.tokenizer)}"
        return hashlib.blake2b(both.encode(), digest_size=16).hexdigest()


def name_of(tokenizer: Tokenizer) -> str:
    """Returns the name of a function, or the name of the class of any other callable object.

    >>> name_of(str.split)
    'str.split'
    """
    return str(getattr(tokenizer, "__qualname__", None) or type(tokenizer).__qualname__)


def untokenized(source: Source) -> Source:
    """Returns the `origin` of a tokenized source; returns any other source unchanged."""
    return source.origin if isinstance(source, TokenizedSource) else source
