"""Contracts for your own engine, kernel and family: AssertionError where it is not what it should be.

    >>> from lookalike.engines.reference.engine import Reference
    >>> check_engine(Reference(), cases=CASES[:1])

    >>> from lookalike.kernel import Cpu
    >>> check_kernel(Cpu(threads=2))

    >>> from lookalike.families import Hyperplanes
    >>> check_family(Hyperplanes().and_(2), draws=10_000)

Each is done when its check passes.
"""

from __future__ import annotations

from lookalike.testing.engines import CASES, Case, Rows, check_engine, corpus
from lookalike.testing.families import check_family
from lookalike.testing.kernels import check_kernel

__all__ = ["CASES", "Case", "Rows", "check_engine", "check_family", "check_kernel", "corpus"]
