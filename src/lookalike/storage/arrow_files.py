"""Opens files for Arrow by any name that the system allows.

Arrow encodes names as UTF-8, and fails if that is not possible. Names that are passed as bytes are used unchanged.
"""

from __future__ import annotations

import os

import pyarrow as pa


def open_arrow(path: str | os.PathLike[str]) -> pa.NativeFile:
    """Opens a file for Arrow to read from."""
    return pa.OSFile(os.fsencode(path))


def map_arrow(path: str | os.PathLike[str]) -> pa.NativeFile:
    """Maps a file into memory for Arrow to read from."""
    return pa.memory_map(os.fsencode(path))
