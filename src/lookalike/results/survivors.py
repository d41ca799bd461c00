"""Clusters → survivors: which member of each cluster is kept. Explicit, total, and the same on every machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import InvalidOption

RULES = ("first", "last", "longest", "shortest")


@dataclass(frozen=True)
class Keep:
    """A survivor rule: `first`, `last`, `longest`, `shortest` (in characters) or `best:COLUMN` (highest value).

    Ties go to the earlier row; rows whose value is missing are kept only where all of a cluster's are.
    """

    rule: str
    column: str | None = None

    @classmethod
    def parse(cls, text: str | Keep) -> Keep:
        if isinstance(text, Keep):
            return text
        if text in RULES:
            return cls(text)
        rule, _, column = str(text).partition(":")
        if rule == "best" and column:
            return cls("best", column)
        raise InvalidOption(f"keep must be first, last, longest, shortest or best:COLUMN, got {text!r}")

    def __str__(self) -> str:
        return self.rule if self.column is None else f"{self.rule}:{self.column}"


def choose_survivors(
    labels: npt.NDArray[np.int64],
    keep: Keep,
    *,
    lengths: npt.NDArray[np.int64] | None = None,
    values: pa.Array | pa.ChunkedArray | None = None,
) -> npt.NDArray[np.int64]:
    """survivor[row] for every row: the member of row's cluster that the rule prefers.

    >>> choose_survivors(np.array([0, 0, 2, 0]), Keep("longest"), lengths=np.array([3, 9, 1, 9])).tolist()
    [1, 1, 2, 1]
    """
    rows = np.arange(len(labels), dtype=np.int64)
    order = np.lexsort((rows, _preference(keep, rows, lengths, values), labels))
    firsts = np.ones(len(labels), dtype=bool)
    firsts[1:] = labels[order][1:] != labels[order][:-1]
    survivors = np.empty(len(labels), dtype=np.int64)
    survivors[labels[order][firsts]] = order[firsts]  # indexed by label: each label is a row of its own
    return survivors[labels]


def _preference(
    keep: Keep,
    rows: npt.NDArray[np.int64],
    lengths: npt.NDArray[np.int64] | None,
    values: pa.Array | pa.ChunkedArray | None,
) -> npt.NDArray[np.int64]:
    """A number per row; the smallest of a cluster survives."""
    if keep.rule == "first":
        return rows
    if keep.rule == "last":
        return -rows
    if keep.rule == "best":
        if values is None or len(values) != len(rows):
            raise InvalidOption(f"keep={keep} needs the values of column {keep.column!r}")
        try:
            ranks = pc.rank(values, sort_keys="descending", tiebreaker="dense")
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
            raise InvalidOption(
                f"keep={keep}: values of type {values.type} have no order to choose the best by"
            ) from None
        return np.asarray(ranks.to_numpy(), dtype=np.int64)
    if lengths is None:
        raise InvalidOption(f"keep={keep} needs the lengths of the texts")
    return {"longest": -lengths, "shortest": lengths}[keep.rule]
