"""The text rules on one text: normalise it, find its tokens, hash them. Section 1 of docs/reference/format.md.

They are computed by the native module; `text/unicode` has the same rules in plain Python.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.flow import Shingling
from lookalike.kernel import _native
from lookalike.kernel.arguments import rules_of, utf8


class Spans(NamedTuple):
    """Tokens of a text: where they start and end (code points of the original text), and their hashes."""

    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]
    hashes: npt.NDArray[np.uint64]


def normalize(text: str, shingling: Shingling) -> str:
    """The text in the normalised form of the shingling's `normalize` and `case`."""
    return _native.normalize(utf8(text), rules_of(shingling)).decode()


def token_spans(text: str, shingling: Shingling) -> Spans:
    """The tokens of a text, each with its position in the original text (in code points)."""
    return Spans(*_native.token_spans(utf8(text), rules_of(shingling)))


def hash_bytes(data: bytes) -> int:
    """Bytes → 64 bits."""
    return _native.hash_bytes(data)


def mix(x: int) -> int:
    """64 bits → 64 bits, one to one."""
    return _native.mix(x)
