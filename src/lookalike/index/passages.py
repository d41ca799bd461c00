"""Passages: the shingles by which an index finds short texts in long documents (winnowing).

Of each run of consecutive shingles, the least one stands for all of them (Schleimer, Wilkerson and Aiken, "Winnowing:
local algorithms for document fingerprinting", 2003). If a document and a query share a whole run, they share its least
shingle, wherever the run is. So an index with `contain=True` stores the chosen shingles of its documents, about two of
each `run + 1`, and a query looks up all of its own. `engines/reference/definitions.py` has the definition.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lookalike.engines.stages.first_pass import KeepsTexts
from lookalike.flow import Documents, Shingles, Shingling
from lookalike.index.store import Store
from lookalike.kernel.protocol import Kernel
from lookalike.planning.resolve import ResolvedPlan

RUN, RUN_OF_CHARS = 8, 32
"""The shingles of a run: 12 words for words:5, which is shorter than most sentences, and 36 characters for chars:5.

A shorter run finds shorter passages, and needs more space: 12 bytes for two of `run + 1` shingles.
"""


def run_of(shingling: Shingling) -> int:
    """Returns the number of consecutive shingles that a query must share with a document to find it for sure."""
    return RUN_OF_CHARS if shingling.kind == "chars" else RUN


def chosen(kernel: Kernel, documents: Documents, plan: ResolvedPlan) -> Shingles:
    """Returns the shingles that stand for the passages of each document."""
    return kernel.winnow(documents, plan.shingles, run_of(plan.shingles))


def asked(kernel: Kernel, documents: Documents, plan: ResolvedPlan) -> Shingles:
    """Returns the shingles that each query looks up: all of them, so that passages shorter than a run may be found."""
    return kernel.winnow(documents, plan.shingles, 1)


def described(store: Store) -> dict[str, Any]:
    """Returns what `info` says about passages. `passage` is the number of shingles of a run, once it is decided."""
    plan = store.resolved if store.contain else None
    return {"contain": store.contain, "passage": None if plan is None else run_of(plan.shingles)}


def joined(parts: list[Shingles]) -> Shingles:
    """Combines the shingles of consecutive documents."""
    sizes = np.concatenate([np.zeros(0, np.int64), *(part.sizes for part in parts)])
    values = np.concatenate([np.zeros(0, np.uint64), *(part.values for part in parts)])
    return Shingles(np.append(0, np.cumsum(sizes)), values)


@dataclass(frozen=True, eq=False)
class Kept:
    """Chosen shingles of some documents, and what the store kept of them."""

    passages: Shingles
    kept: Any

    @property
    def nbytes(self) -> int:
        return int(self.passages.values.nbytes + getattr(self.kept, "nbytes", 0))


@dataclass(eq=False)
class Winnowed:
    """Chooses the shingles of documents in workers, and gives the documents to the store."""

    store: KeepsTexts
    kernel: Kernel
    plan: ResolvedPlan
    _passages: list[Shingles] = field(default_factory=list)

    def keep(self, documents: Documents) -> Kept:
        return Kept(chosen(self.kernel, documents, self.plan), self.store.keep(documents))

    def place(self, kept: Kept, start: int) -> None:
        self._passages.append(kept.passages)
        self.store.place(kept.kept, start)

    def taken(self) -> Shingles:
        """Returns the chosen shingles of the documents that were placed since the last call."""
        passages = joined(self._passages)
        self._passages.clear()
        return passages
