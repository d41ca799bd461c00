"""Keeps short signatures of new documents in place of their texts, for an index without texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.engines.stages.first_pass import KeepsTexts
from lookalike.flow import Documents
from lookalike.index.short_signatures import Short, short_signatures
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan


@dataclass(frozen=True, eq=False)
class Kept:
    """What remains of some documents."""

    signatures: Short
    empty: Any
    """What the store kept of the empty texts."""

    @property
    def nbytes(self) -> int:
        return int(self.signatures.nbytes + getattr(self.empty, "nbytes", 0))


@dataclass(eq=False)
class Shortened:
    """Signs documents in workers, and gives the store an empty text for each."""

    store: KeepsTexts
    kernel: Kernel
    plan: ResolvedPlan
    _signatures: list[Short] = field(default_factory=list)

    def keep(self, documents: Documents) -> Kept:
        signatures = short_signatures(self.kernel, documents, self.plan)
        return Kept(signatures, self.store.keep(without_text(documents)))

    def place(self, kept: Kept, start: int) -> None:
        self._signatures.append(kept.signatures)
        self.store.place(kept.empty, start)

    def taken(self) -> Short:
        """Returns the signatures of the documents that were placed since the last call."""
        signatures = np.concatenate(self._signatures)
        self._signatures.clear()
        return signatures


def without_text(documents: Documents) -> Documents:
    """Returns as many empty texts."""
    offsets = pa.py_buffer(np.zeros(len(documents) + 1, np.int64))
    texts = pa.Array.from_buffers(pa.large_string(), len(documents), [None, offsets, pa.py_buffer(b"")])
    return Documents(texts, documents.start)
