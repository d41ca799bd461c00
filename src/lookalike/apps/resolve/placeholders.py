"""Recognises placeholders: texts such as "N/A" and "unknown" that are written where a value is missing."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from lookalike.flow.documents import TEXT

PLACEHOLDERS = (
    "na", "n/a", "n.a.", "n.a", "#n/a", "<na>", "nan", "nil", "null", "(null)", "<null>", "none", "(none)", "unknown",
    "(unknown)", "not available", "not known", "not applicable", "not specified", "unspecified", "undefined", "missing",
    "(missing)", "no data", "tbd", "-", "--", "---", "?", "??", "???", ".", "..", "...", "–", "—", "_", "*", "/", "\\",
)  # fmt: skip
"""Texts that mean that there is no value, in lower case. A person called Null has no surname, but other fields."""


def present(texts: pa.Array) -> pa.Array:
    """Replaces placeholders by nulls.

    >>> present(pa.array(["N/A", "Leeds", " unknown", None])).to_pylist()
    [None, 'Leeds', None, None]
    """
    plain = pc.utf8_trim_whitespace(pc.utf8_lower(texts.cast(TEXT)))
    return pc.if_else(pc.is_in(plain, value_set=pa.array(PLACEHOLDERS, TEXT)), pa.scalar(None, TEXT), texts.cast(TEXT))
