"""The survivor rule, which chooses the member of each cluster that is kept."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Rows

RULES = ("first", "last", "longest", "shortest")


@dataclass(frozen=True)
class Keep:
    """A survivor rule: `first`, `last`, `longest`, `shortest` (in characters) or `best:COLUMN` (highest value).

    Text values are compared as numbers if all of them are numbers, as in CSV. Ties go to the earlier row. A row whose
    value is missing survives only if all values of its cluster are missing.
    """

    rule: str
    column: str | None = None
    reference: int = 0
    """The number of reference rows, which come first. If a cluster contains any of them, one of them represents it."""

    @classmethod
    def parse(cls, text: str | Keep) -> Keep:
        if isinstance(text, Keep):
            return text
        if text in RULES:
            return cls(text)
        rule, _, column = text.partition(":") if isinstance(text, str) else ("", "", "")
        if rule == "best" and column:
            return cls("best", column)
        raise InvalidOption("not-one-of", option="keep", allowed=(*RULES, "best:COLUMN"), value=text)

    def __str__(self) -> str:
        return self.rule if self.column is None else f"{self.rule}:{self.column}"


def choose_survivors(
    labels: Rows,
    keep: Keep,
    *,
    lengths: Rows | None = None,
    values: pa.Array | pa.ChunkedArray | None = None,
) -> Rows:
    """Returns, for each row, the member of its cluster that the rule keeps.

    >>> choose_survivors(np.array([0, 0, 2, 0]), Keep("longest"), lengths=np.array([3, 9, 1, 9])).tolist()
    [1, 1, 2, 1]
    """
    if keep.rule == "first":
        return labels  # a label is the first row of its cluster
    rows = np.arange(len(labels), dtype=np.int64)
    order = np.lexsort((rows, preference(keep, len(rows), lengths=lengths, values=values), labels))
    firsts = np.ones(len(labels), dtype=bool)
    firsts[1:] = labels[order][1:] != labels[order][:-1]
    survivors = np.empty(len(labels), dtype=np.int64)
    survivors[labels[order][firsts]] = order[firsts]  # indexed by label, which is a row
    return survivors[labels]


def preference(
    keep: Keep,
    rows: int,
    *,
    lengths: Rows | None = None,
    values: pa.Array | pa.ChunkedArray | None = None,
) -> Rows:
    """Returns a sort key for each row.

    In each cluster, the row with the smallest key survives; ties go to the earlier row.
    """
    numbers = _by_rule(keep, rows, lengths, values)
    if not keep.reference:
        return numbers
    order = np.lexsort((numbers, np.arange(rows) >= keep.reference))  # stable: ties stay in input order
    ranks = np.empty(rows, dtype=np.int64)
    ranks[order] = np.arange(rows)
    return ranks


def _by_rule(
    keep: Keep,
    rows: int,
    lengths: Rows | None,
    values: pa.Array | pa.ChunkedArray | None,
) -> Rows:
    """Returns the sort keys of `preference`, without regard to the reference."""
    if keep.rule in ("first", "last"):
        return np.arange(rows, dtype=np.int64) * (1 if keep.rule == "first" else -1)
    if keep.rule == "best":
        if values is None or len(values) != rows:
            raise InvalidOption("keep-without-values", keep=str(keep), column=keep.column)
        if values.null_count == len(values):
            return np.arange(rows, dtype=np.int64)
        import pyarrow.compute as pc  # not imported at the top: see flow/arrays.py

        try:
            ranks = pc.rank(_comparable(values), sort_keys="descending", tiebreaker="dense")
        except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
            raise InvalidOption("keep-without-order", keep=str(keep), type=str(values.type)) from None
        return np.asarray(ranks.to_numpy(), dtype=np.int64)
    if lengths is None:
        raise InvalidOption("keep-without-lengths", keep=str(keep))
    return {"longest": -lengths, "shortest": lengths}[keep.rule]


def _comparable(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Converts texts to numbers if all are finite numbers, so that 10 exceeds 9; returns other values unchanged."""
    if pa.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if not (pa.types.is_string(values.type) or pa.types.is_large_string(values.type)):
        return values
    import pyarrow.compute as pc

    texts = pc.replace_substring_regex(pc.utf8_trim_whitespace(values), r"^\+([0-9.])", r"\1")
    texts = pc.if_else(pc.equal(texts, ""), None, texts)  # an empty field in CSV is missing
    for kind in (pa.int64(), pa.float64()):  # integers first, because large integers may be equal as floats
        with suppress(pa.ArrowInvalid):
            numbers = texts.cast(kind)
            if numbers.null_count < len(numbers) and pc.all(pc.is_finite(numbers)).as_py():
                return numbers
    return values
