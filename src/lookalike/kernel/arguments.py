"""Converts Python values to arguments of the native module: contiguous arrays, Arrow buffers, shingling rules."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow import Auto, Documents, Shingles, Shingling, Stopwords, Tokens
from lookalike.flow.arrays import Hashes, Rows
from lookalike.kernel import _native

Scalar = TypeVar("Scalar", bound=np.generic)


@lru_cache(maxsize=64)
def rules_of(shingling: Shingling) -> _native.Rules:
    if isinstance(shingling, Auto):
        raise InvalidOption("shingles-not-resolved")
    options = (shingling.normalize, shingling.case, getattr(shingling, "whitespace", "fold"), shingling.bag)
    words = np.empty(0, np.uint64)
    if isinstance(shingling, Stopwords):
        plain = _native.Rules("words", 1, *options, 64, words)
        hashes = {_native.hash_bytes(_native.normalize(utf8(word), plain)) for word in shingling.words}
        words = np.array(sorted(hashes), np.uint64)
    length = getattr(shingling, "k", 3)
    return _native.Rules(
        shingling.kind,
        length,
        *options,
        shingling.bits,
        words,
        np.frombuffer(shingling.ignored, "<u8").astype(np.uint64),
    )


def columns_of(documents: Documents, shingling: Shingling) -> tuple[Any, Any, Any, Any, int]:
    """The documents' Arrow buffers as arrays: data, string offsets, list offsets, token validity.

    The last value is the position of the first bit of the validity.
    """
    texts = documents.texts
    if not documents.has_tokens:
        _, offsets, data = texts.buffers()
        return np.frombuffer(data or b"", np.uint8), _offsets(offsets, texts), None, None, 0
    if not isinstance(shingling, Tokens | Auto):
        raise InvalidOption("tokens-not-cut", shingles=str(shingling))
    tokens = texts.values
    validity, offsets, data = tokens.buffers()
    valid = None if validity is None or not tokens.null_count else np.frombuffer(validity, np.uint8)
    return (
        np.frombuffer(data or b"", np.uint8),
        _offsets(offsets, tokens),
        _offsets(texts.buffers()[1], texts),
        valid,
        tokens.offset,
    )


def plain(array: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
    """The array itself, or a contiguous and aligned copy if necessary."""
    return np.require(array, requirements=("C", "A"))


def sets_of(shingles: Shingles) -> tuple[Rows, Hashes]:
    return plain(shingles.offsets), plain(shingles.values)


def optional_sets(shingles: Shingles | None) -> tuple[Rows | None, Hashes | None]:
    return (None, None) if shingles is None else sets_of(shingles)


def utf8(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise MalformedInput("lone-surrogate", reason=str(error)) from None


def _offsets(buffer: Any, array: Any) -> Rows:
    if len(array) == 0:  # the buffer of an empty Arrow array may be missing
        return np.zeros(1, np.int64)
    return plain(np.frombuffer(buffer, np.int64, count=len(array) + 1, offset=8 * array.offset))
