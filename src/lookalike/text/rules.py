"""Normalises texts, finds their tokens and hashes them, as specified in section 1 of docs/reference/format.md.

The native module does the work. If it cannot be loaded, `text/definitions.py` does, which is slower.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.flow import Shingling
from lookalike.kernel import _native
from lookalike.kernel.cpu import rules_of, utf8
from lookalike.kernel.loading import why_not_loaded

NATIVE = why_not_loaded is None
if not NATIVE:
    from lookalike.text import definitions  # with its Unicode tables, which few runs need


class Spans(NamedTuple):
    """The tokens of a text: their starts and ends in the original text (in code points), and their hashes."""

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.uint64]


def normalize(text: str, shingling: Shingling) -> str:
    """Normalises a text according to the shingling's options `normalize` and `case`."""
    data = utf8(text)
    if not NATIVE:
        return definitions.normalize(text, shingling)
    return _native.normalize(data, rules_of(shingling)).decode()


def token_spans(text: str, shingling: Shingling) -> Spans:
    """Returns the positions of the tokens in the original text, and their hashes."""
    data = utf8(text)
    if not NATIVE:
        starts, ends, hashes = definitions.token_spans(text, shingling)
        return Spans(np.array(starts, np.int64), np.array(ends, np.int64), np.array(hashes, np.uint64))
    return Spans(*_native.token_spans(data, rules_of(shingling)))


def hash_bytes(data: bytes, key: int = 0) -> int:
    """Returns the 64-bit hash of a byte string. `key` is that of a shingling."""
    return _native.hash_bytes(data, key) if NATIVE else definitions.hash_bytes(data, key)


def hash128(data: bytes, key_a: int = 0, key_b: int = 0) -> tuple[int, int]:
    """Returns the 128-bit hash of a byte string, as two numbers."""
    return _native.hash128(data, key_a, key_b) if NATIVE else definitions.hash128(data, (key_a, key_b))


def mix(x: int) -> int:
    """Scrambles a 64-bit number. Different numbers always give different results."""
    return _native.mix(x) if NATIVE else definitions.mix(x)
