"""Documents: consecutive rows of texts or of token lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.errors import MalformedInput
from lookalike.flow.arrays import Rows, call_function, cast, large_strings, to_numpy

TEXT = pa.large_string()
TOKENS = pa.large_list(pa.large_string())


@dataclass(frozen=True, eq=False)
class Documents:
    """Consecutive rows of a source: `start` … `start + len - 1`.

    `texts` is an Arrow array of `large_string` (texts) or of `large_list<large_string>` (token lists). Other types are
    converted, so that kernels handle only these two layouts. Missing texts become empty texts.
    """

    texts: pa.Array
    start: int = 0
    has_tokens: bool = field(init=False, repr=False)
    """True if the rows are lists of tokens rather than texts."""

    def __post_init__(self) -> None:
        if not isinstance(self.texts, pa.Array) or self.texts.type != TEXT or self.texts.null_count:
            object.__setattr__(self, "texts", _in_our_types(self.texts))
        object.__setattr__(self, "has_tokens", self.texts.type == TOKENS)

    @classmethod
    def from_texts(cls, texts: Iterable[str | None] | Iterable[Collection[Any] | None], start: int = 0) -> Documents:
        """Creates documents from strings, or from lists (or sets) of tokens."""
        rows = [text if text is None or isinstance(text, str) else list(text) for text in texts]
        try:
            if any(isinstance(row, list) for row in rows):
                lists = [None if row is None else [None if t is None else str(t) for t in row] for row in rows]
                return cls(pa.array(lists, TOKENS), start)
            if len(rows) == 1 and isinstance(rows[0], str):  # the only text of a query, which need not load pandas
                return cls(large_strings([rows[0]]), start)
            return cls(pa.array(rows, TEXT), start)
        except UnicodeEncodeError as error:
            raise MalformedInput("lone-surrogate", reason=str(error)) from None

    def __len__(self) -> int:
        return len(self.texts)

    def sizes(self) -> Rows:
        """Returns the size of each document in bytes. The size of a list includes 8 bytes per token."""
        if not self.has_tokens:
            return to_numpy(call_function("binary_length", [self.texts]))
        lists = np.frombuffer(self.texts.buffers()[1], np.int64, len(self.texts) + 1, 8 * self.texts.offset)
        tokens = self.texts.values
        strings = np.frombuffer(tokens.buffers()[1] or bytes(8), np.int64, len(tokens) + 1, 8 * tokens.offset)
        return np.diff(strings[lists] + 8 * lists)

    def to_pylist(self) -> list[Any]:
        return list(self.texts.to_pylist())


def _in_our_types(texts: pa.Array) -> pa.Array:
    """Converts an Arrow array of texts or lists to TEXT or TOKENS. Missing rows become empty."""
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    kind = texts.type
    if pa.types.is_dictionary(kind):
        texts, kind = texts.dictionary_decode(), kind.value_type
    if pa.types.is_null(kind):
        texts = pa.array([""] * len(texts), TEXT)
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        texts = cast(texts, TOKENS)
        if texts.null_count:
            texts = pa.array([row or [] for row in texts.to_pylist()], TOKENS)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        texts = cast(texts, TEXT)
        if texts.null_count:
            texts = texts.fill_null("")
    else:
        raise MalformedInput("neither-texts-nor-tokens", type=str(kind))
    return texts
