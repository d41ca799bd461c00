"""Corpus: what is under review, an index or a saved result. Both look the same to the rest of the review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.choosing.decision_lines import Document
from lookalike.engines.stages.arrows import KernelArrows
from lookalike.errors import LookalikeError, ServiceError
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.progress import Progress
from lookalike.io.open import open_source
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.planning.resolve import ResolvedPlan
from lookalike.service.review.groups import Groups

Similarities = npt.NDArray[np.float64]

SHOWN = 100_000
"""The maximum number of characters of a text that are shown or compared."""

Name = int | str
"""The id of a document."""


@dataclass(frozen=True)
class Known:
    """Figures of all clusters that need no texts. NaN stands for what is not known."""

    least: Similarities
    density: Similarities
    similarities: Similarities
    """Similarities that the run has measured, for histograms."""
    of: str
    """What they are similarities of: removed documents and the ones kept, pairs, or members of clusters."""


NOTHING = Known(np.zeros(0), np.zeros(0), np.zeros(0), "members")


class Corpus(Protocol):
    """Documents with clusters. Rows are numbers that never change their document, except if the input is changed."""

    kind: str
    """What is under review: index, or the class of the saved result."""
    name: str
    identity: str
    """Distinguishes this corpus from others in cursors."""

    @property
    def documents(self) -> int: ...

    @property
    def plan(self) -> ResolvedPlan | None: ...

    @property
    def missing(self) -> Notice | None:
        """Why the texts cannot be read; None if they can."""
        ...

    at_once: int
    """The number of documents that may be compared at a time."""

    def groups(self, progress: Progress) -> Groups:
        """Returns the clusters as they are now."""
        ...

    def known(self, groups: Groups) -> Known:
        """Returns what is known about the clusters without reading texts."""
        ...

    def sample(self, size: int) -> Rows:
        """Returns the rows of some documents: at most `size` of them, ascending, the same ones each time."""
        ...

    def search(self, text: str, top: int, progress: Progress) -> tuple[list[tuple[int, float]], int]:
        """Returns the documents that are most similar to a text, as (row, similarity), and how many were read."""
        ...

    def kept_by_run(self, groups: Groups) -> Mask:
        """Returns a mask of the rows that the run kept or, if it removed none, of one row per cluster."""
        ...

    def rows_kept(self, kept: Mask) -> pa.RecordBatchReader:
        """Returns the rows of a mask with all their columns."""
        ...

    def failed(self, error: LookalikeError) -> None:
        """Notes that the texts could not be read."""
        ...

    def close(self) -> None: ...

    @property
    def changed(self) -> bool:
        """True if there are other documents than when the groups were computed."""
        ...

    def ids(self, rows: Rows) -> list[Name]: ...

    def names(self, rows: Rows) -> pa.Array:
        """Returns the ids of rows as strings."""
        ...

    def texts(self, rows: Rows) -> dict[int, Any]:
        """Returns the texts (or lists of tokens) by row. Raises ServiceError if they cannot be read."""
        ...

    def blocks(self, rows: Rows) -> Iterator[tuple[Rows, pa.Array]]:
        """Yields the texts of ascending rows in blocks that fit in memory."""
        ...

    def compared(self, rows: Rows, left: Rows, right: Rows) -> Similarities:
        """Returns the similarities of pairs of ascending rows. `left` and `right` are positions in `rows`."""
        ...

    def rows_of(self, documents: Sequence[Document]) -> dict[str, list[int]]:
        """Returns the rows that have the ids of these documents, by id."""
        ...


def readable(corpus: Corpus) -> None:
    """Raises ServiceError if the texts cannot be read."""
    if corpus.missing is not None:
        raise ServiceError("texts-not-available", reason=corpus.missing)


def similarities(plan: ResolvedPlan, texts: Sequence[Any] | pa.Array, left: Rows, right: Rows) -> Similarities:
    """Returns the exact similarities of pairs of texts, which are named by their positions."""
    if not len(left):
        return np.zeros(0)
    source = open_source({"text": texts})
    return KernelArrows(default()).measure(plan, source, left.astype(np.int64), right.astype(np.int64))


def in_words(text: Any) -> str:
    """Returns a document as one text: tokens are separated by spaces, and null tokens are left out."""
    return text if isinstance(text, str) else " ".join(token for token in text or () if token is not None)


def spread(rows: Rows, size: int) -> Rows:
    """Returns at most `size` of the rows, chosen at random, the same ones each time."""
    if len(rows) <= size:
        return rows
    return np.sort(np.random.default_rng(1).choice(rows, size, replace=False))
