"""Pairs the columns of two tables: by name or, for columns whose names differ, by kind and values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.apps.resolve.columns import normalized
from lookalike.apps.resolve.kinds import SAMPLE, guess_kind
from lookalike.apps.resolve.placeholders import present
from lookalike.io.records import Records

COMMON = 0.1
"""Columns of different names are paired if at least this share of the words of one appears in the other."""


def partner(name: str, table: Records) -> str | None:
    """Returns the column of `table` with this name, ignoring case, punctuation and any prefix up to # or /, or None."""
    if name in table.columns:
        return name
    return next((other for other in table.columns if _bare(other) == _bare(name)), None)


def _bare(name: str) -> str:
    """Returns a column name for comparison: in lower case, without punctuation and any prefix up to # or /.

    >>> _bare("http://x.org/a.owl#Phone Number") == _bare("phone_number")
    True
    """
    return re.sub(r"[\W_]+", "", re.split(r"[#/]", name)[-1]).casefold()


def partners_by_values(
    left: Records, right: Records, left_names: Sequence[str], right_names: Sequence[str]
) -> Mapping[str, str]:
    """Pairs columns of the same kind whose words are largely the same, the most similar first.

    Ids are never paired, because equal ids of two tables say nothing about their records.

    >>> shop = Records("shop", {"full_name": pa.array(["Ann Smith", "Bob Jones"])}, 2)
    >>> bank = Records("bank", {"town": pa.array(["Leeds", "York"]), "Name": pa.array(["Bob Jones", "Cy Dean"])}, 2)
    >>> partners_by_values(shop, bank, ["full_name"], ["town", "Name"])
    {'full_name': 'Name'}
    """
    ones, others = (
        {name: _described(table, name) for name in names} for table, names in ((left, left_names), (right, right_names))
    )
    found = []
    for name, (kind, words) in ones.items():
        for other, (other_kind, other_words) in others.items():
            if kind == other_kind != "id":
                found.append((-_common(words, other_words), name, other))
    pairs: dict[str, str] = {}
    for common, name, other in sorted(found):
        if -common >= COMMON and name not in pairs and other not in pairs.values():
            pairs[name] = other
    return pairs


def _described(table: Records, name: str) -> tuple[str, pa.Array]:
    """Returns the kind of a column and the words of a sample of its values, with repetition."""
    texts = present(table.columns[name])
    kind = guess_kind(name, texts, [texts])
    there = texts.drop_null()
    sample = normalized(there[:: max(1, len(there) // SAMPLE)]).drop_null()
    if kind in ("name", "address", "text"):
        sample = pc.list_flatten(pc.split_pattern(sample, " "))
    return kind, sample


def _common(words: pa.Array, others: pa.Array) -> float:
    """Returns the larger of the shares of the words of either column that appear in the other."""
    if not len(words) or not len(others):
        return 0.0
    shares = (
        pc.mean(pc.is_in(one, value_set=pc.unique(two))).as_py() for one, two in ((words, others), (others, words))
    )
    return float(np.max([*shares]))
