"""Adds lists of tokens to a store as packed texts (`corpus/token_lists.py`), and reads them again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from lookalike.corpus.token_lists import packed_texts, unpacked
from lookalike.engines.stages.arrows import StoredTexts
from lookalike.engines.stages.first_pass import KeepsTexts
from lookalike.flow import Documents
from lookalike.flow.arrays import Rows
from lookalike.index.store import Store
from lookalike.io.source import Piece
from lookalike.work.text_store import TextLanes


def texts_at(store: Store, rows: Rows) -> pa.Array:
    """Returns the texts or lists of rows."""
    return unpacked(store.texts_of(rows))


@dataclass(frozen=True, eq=False)
class Packed:
    """What the store kept of some documents."""

    kept: Any
    has_tokens: bool

    @property
    def nbytes(self) -> int:
        return int(getattr(self.kept, "nbytes", 0))


@dataclass(frozen=True, eq=False)
class Packing:
    """Gives a store packed texts in place of lists."""

    store: KeepsTexts
    check: Callable[[bool], None]
    """Called with whether documents are lists of tokens, in row order."""

    def keep(self, documents: Documents) -> Packed:
        return Packed(self.store.keep(Documents(packed_texts(documents), documents.start)), documents.has_tokens)

    def place(self, kept: Packed, start: int) -> None:
        self.check(kept.has_tokens)
        self.store.place(kept.kept, start)


class Unpacked:
    """Texts of a part, of which packed ones are lists again."""

    def __init__(self, texts: StoredTexts) -> None:
        self.texts, self.ahead = texts, texts.ahead

    def documents(self, start: int, stop: int) -> Iterator[Documents]:
        return map(_unpacked, self.texts.documents(start, stop))

    def lanes(self, start: int, stop: int) -> TextLanes:
        return map(self._pieces, self.texts.lanes(start, stop))

    def _pieces(self, lane: Iterable[Piece[Documents]]) -> Iterator[Piece[Documents]]:
        for piece in lane:
            yield Piece(_then_unpacked(piece.load), piece.nbytes, piece.start)


def _then_unpacked(load: Callable[[], Documents]) -> Callable[[], Documents]:
    return lambda: _unpacked(load())


def _unpacked(documents: Documents) -> Documents:
    return Documents(unpacked(documents.texts), documents.start)
