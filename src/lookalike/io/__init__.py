"""Anything that holds documents → a `Source`; tables and kept rows → files, whole or not at all."""

from lookalike.io.kept import check_kept_writable, write_kept
from lookalike.io.open import Paths, open_source
from lookalike.io.sinks import check_writable, write_table
from lookalike.io.source import Batch, Source

__all__ = [
    "Batch",
    "Paths",
    "Source",
    "check_kept_writable",
    "check_writable",
    "open_source",
    "write_kept",
    "write_table",
]
