"""The native functions that read large pages of Parquet files. `lookalike.kernel` provides them: it may import `io`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt


class Unpacker(Protocol):
    """Decompresses a block of Snappy or LZ4 piece by piece, which Arrow does only in one piece."""

    def feed(self, data: bytes) -> bytes: ...


@dataclass(frozen=True)
class PageTools:
    """The native functions."""

    unpacker: Callable[[str, int], Unpacker]
    """Makes an `Unpacker` from the name of the format, and the size of the block after decompression."""
    plain_values: Callable[[bytes, int], tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8], int]]
    """The first strings that are complete in some data, at most as many as given: their offsets, their contents, and
    the number of bytes read."""


tools: PageTools | None = None
"""None without the native module. Then Arrow reads all pages."""
