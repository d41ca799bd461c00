"""Guesses the kind of a column from its values: date, number, code, phone number, name, text …"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve.dates import is_date

Kind = Literal["name", "address", "text", "date", "number", "code", "codes", "phone", "id", "function"]
"""The kinds of columns. Columns of kind `id` are not compared. Those of kind `function` are compared by a function that
the user passes.
"""
KINDS: tuple[str, ...] = get_args(Kind)
NAMED: tuple[str, ...] = tuple(kind for kind in KINDS if kind not in ("id", "function"))
"""The kinds that users can name."""
IDENTIFYING = ("code", "phone")
"""Kinds of fields in which a single value can identify an entity."""

SAMPLE = 5000
"""The approximate number of values examined, evenly spread over the column."""
MOST = 0.9
"""The minimum share of values that must look like a kind. The others may be errors."""

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d\.?0?")
_NUMBER = re.compile(r"[-+]?[$€£¥]? ?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)? ?[$€£¥%]?")
_PHONE = re.compile(r"\+?[\d\s()./-]{7,}(?:x\d+)?")
_MAIL = re.compile(r"[^\s@]+@[^\s@]+\.[^\s@]+")
_ID_NAME = re.compile(
    r"(?:^|[\s_.-])(?:id|ids|key|uuid|guid|index|idx|row)$|^(?:id|rec)[\s_.-]|(?<=[a-z])ID$|^\s*$"
    r"|(?:^|[\s_.-])(?:account|case|client|contact|customer|employee|entry|member|patient|person|record|row|staff|student|user)"
    r"[\s_.-]?(?:id|no|nr|num|number|code|key|#)\.?$",
    re.I,
)


def guess_kind(name: str, texts: pa.Array, parts: list[pa.Array]) -> Kind:
    """Guesses the kind of a column.

    `parts` are its values in each table, since ids need only be unique within a table.
    """
    values = _sample(texts)
    if not values:
        return "text"
    if _share(values, is_date) >= MOST:
        return "date"
    if is_id(name, texts, parts):
        return "id"
    if _share(values, lambda value: bool(_YEAR.fullmatch(value))) >= MOST:
        return "number"
    if _share(values, lambda value: bool(_NUMBER.fullmatch(value)) and any(map(str.isdigit, value))) >= MOST:
        decimal = _share(values, lambda value: not value.isdigit())
        return "number" if decimal > 1 - MOST else "code"
    if _share(values, lambda value: bool(_PHONE.fullmatch(value)) and 7 <= sum(map(str.isdigit, value)) <= 15) >= MOST:
        return "phone"
    if _share(values, lambda value: bool(_MAIL.fullmatch(value))) >= MOST:
        return "code"
    words = float(np.mean([len(value.split()) for value in values]))
    digits = _share(values, lambda value: any(map(str.isdigit, value)))
    if words <= 1.2 and digits > 0.5:
        return "code"
    if words > 6:
        return "text"
    if digits > 0.5:
        return "address"
    return "name" if words <= 3 else "text"


def _sample(texts: pa.Array) -> list[str]:
    there = texts.drop_null()
    step = max(1, len(there) // SAMPLE)
    return [value for text in there[::step].to_pylist() if (value := text.strip())]


def _share(values: list[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, values)) / len(values)


def is_id(name: str, texts: pa.Array, parts: list[pa.Array]) -> bool:
    """True if the values only number the records: complete, unique, single words, and consecutive or named like ids."""
    if not len(texts) or texts.null_count:
        return False
    if any(len(part.unique()) < len(part) for part in parts):
        return False
    values = _sample(texts)
    if any(len(value.split()) > 1 for value in values):
        return False
    if all(_counts_up(part) for part in parts):
        return True
    return len(texts.unique()) == len(texts) and bool(_ID_NAME.search(name.strip()))


def _counts_up(texts: pa.Array) -> bool:
    """True if the values are whole numbers that are strictly ascending or have few gaps."""
    values = texts.to_pylist()
    if not all(value.strip().isdecimal() and len(value.strip()) < 18 for value in values):
        return False
    numbers = np.array([int(value) for value in values])
    return len(numbers) > 1 and bool(np.ptp(numbers) + 1 <= 1.1 * len(numbers) or (np.diff(numbers) > 0).all())
