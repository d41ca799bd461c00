"""Finds codes inside texts, such as model numbers in titles of products, and compares them as a field of their own.

A title and a description are long, and those of two variants of one product are nearly the same. Only the model number
differs, which may also be in the title of one record and in the description of the other. The codes of all texts of a
record are therefore collected in one more column. A word is a code if it contains a digit and if two records hardly
ever have it by chance, judged by its characters: 0616B002 is a code, and 16 is none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.apps.resolve.columns import MISSING, Column
from lookalike.apps.resolve.partners import COMMON
from lookalike.apps.resolve.rarity import UNLIKELY, log_chances
from lookalike.apps.resolve.settings import Field
from lookalike.apps.resolve.tables import columns_of
from lookalike.flow.documents import TEXT
from lookalike.io.records import Records

NAME = "codes in texts"
"""The name of the additional column."""
TEXTS = ("name", "address", "text")
"""The kinds of columns that may contain codes."""
ENOUGH = 0.5
"""A code has at least this share of the weight (see `Tokens`) of a code that only two records contain."""
PARTS = 3
"""At most this many words in a row are parts of one code: SC-PT660 and SCPT 660 are the same as SCPT660."""


def with_codes(
    tables: Sequence[Records], fields: Sequence[Field], *, always: bool
) -> tuple[tuple[Records, ...], tuple[Field, ...]]:
    """Adds a column and a field with the codes in texts, if at least a tenth of the records of each table contain any.

    With `always`, they are added in any case.
    """
    texts = [field for field in fields if field.kind in TEXTS]
    columns = [column for column in columns_of(tables, texts) if _has_words(column)]
    taken = {name for table in tables for name in table.columns}
    if NAME in taken or not (columns or always):
        return tuple(tables), tuple(fields)
    each = codes_of(columns, sum(table.rows for table in tables))
    found, start = [], 0
    for table in tables:
        part = each[start : start + table.rows]
        if not always and len(part) - part.null_count < COMMON * max(1, len(part)):
            return tuple(tables), tuple(fields)
        found.append(replace(table, columns={**table.columns, NAME: part}))
        start += table.rows
    return tuple(found), (*fields, Field(NAME, "codes"))


def _has_words(column: Column) -> bool:
    """True if at most half of the words contain a digit. Otherwise, the column consists of numbers, such as pages."""
    words = column.words
    numbered = np.array([any(map(str.isdigit, word)) for word in words.names.tolist()], bool)
    return int(words.frequency[numbered].sum()) <= int(words.frequency.sum()) / 2


def codes_of(columns: Sequence[Column], records: int) -> pa.Array:
    """Returns the codes of each record, separated by spaces, or null if it has none.

    >>> titles = ["Sony SC-PT660 cinema", "sony cinema scpt660", "cinema"]
    >>> codes_of([Column.of("title", pa.array(titles))], 3).to_pylist()
    ['pt660 scpt660', 'scpt660', None]
    """
    known = _codes_among(columns, records)
    if not known:
        return pa.nulls(records, TEXT)
    parts = []
    for column in columns:
        of_values = pa.array([*(_codes_in(text, known) for text in column.strings.tolist()), ""], TEXT)
        parts.append(of_values.take(pa.array(np.where(column.codes == MISSING, len(column.values), column.codes))))
    coded = pc.binary_join_element_wise(*parts, pa.scalar(" ", TEXT)).dictionary_encode()
    once = [" ".join(sorted(set(text.split()))) or None for text in coded.dictionary.to_pylist()]
    return pa.array(once, TEXT).take(coded.indices)


def _codes_among(columns: Sequence[Column], records: int) -> frozenset[str]:
    """Returns the words that contain a digit, that hardly any two records share by chance, judged by their characters,
    and that are rare enough."""
    counts: Counter[str] = Counter()
    for column in columns:
        counts.update(dict(zip(column.words.names.tolist(), column.words.frequency.tolist(), strict=True)))
    most = records / np.expm1(np.sqrt(ENOUGH) * np.log1p(records / 2))
    names = sorted(word for word in counts if any(map(str.isdigit, word)))
    rare = np.exp(log_chances(np.array([*names, None], dtype=object)[:-1])) * records < UNLIKELY
    return frozenset(
        word for word, is_rare in zip(names, rare.tolist(), strict=True) if is_rare and counts[word] <= most
    )


def _codes_in(text: str, known: frozenset[str]) -> str:
    """Returns the codes in a text, also those that are written as several words, separated by spaces."""
    words = text.split(" ")
    found = {
        joined
        for size in range(1, PARTS + 1)
        for start in range(len(words) - size + 1)
        if (joined := "".join(words[start : start + size])) in known
    }
    return " ".join(found)
