"""Opens documents in files or in memory as a `Source`; writes tables and kept rows to files, whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.lazy import lazy

if TYPE_CHECKING:
    from lookalike.io.kept_rows import check_kept as check_kept
    from lookalike.io.kept_rows import write_kept as write_kept
    from lookalike.io.open import Paths as Paths
    from lookalike.io.open import open_source as open_source
    from lookalike.io.outputs import check_output as check_output
    from lookalike.io.sinks import staged as staged
    from lookalike.io.sinks import write_table as write_table
    from lookalike.io.source import Batch as Batch
    from lookalike.io.source import Source as Source


_HOMES = {
    "Batch": "source",
    "Paths": "open",
    "Source": "source",
    "check_kept": "kept_rows",
    "check_output": "outputs",
    "open_source": "open",
    "staged": "sinks",
    "write_kept": "kept_rows",
    "write_table": "sinks",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazy(__name__, _HOMES)
