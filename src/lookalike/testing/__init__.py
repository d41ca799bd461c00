"""Checks for your own engine, kernel, family or backend of an index. A check raises AssertionError for a mistake.

    >>> from lookalike.engines.reference.engine import Reference
    >>> check_engine(Reference(), cases=CASES[:1])

    >>> from lookalike.kernel import Cpu
    >>> check_kernel(Cpu(threads=2))

    >>> from lookalike.families.hyperplanes import Hyperplanes
    >>> check_family(Hyperplanes().and_(2), draws=10_000)

    >>> import tempfile
    >>> from pathlib import Path
    >>> from lookalike.index.embedded import Embedded
    >>> def create(plan, *, contain=False):
    ...     folder = Path(tempfile.mkdtemp()) / "x.index"
    ...     Embedded.create(folder, plan, contain=contain)
    ...     return lambda: Embedded(folder, Cpu())
    >>> check_index(create)

An implementation is complete when its check passes.
"""

from __future__ import annotations

from lookalike.testing.engines import CASES, Case, Rows, check_engine, corpus
from lookalike.testing.families import check_family
from lookalike.testing.indexes import check_index
from lookalike.testing.kernels import check_kernel

__all__ = ["CASES", "Case", "Rows", "check_engine", "check_family", "check_index", "check_kernel", "corpus"]
