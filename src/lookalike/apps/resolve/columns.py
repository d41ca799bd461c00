"""Columns of strings: their distinct normalised values, and the tokens of each value."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.apps.resolve.dates import date_in_digits
from lookalike.apps.resolve.functions import Own
from lookalike.apps.resolve.kinds import IDENTIFYING, Kind
from lookalike.flow.distinct import distinct
from lookalike.flow.documents import TEXT
from lookalike.kernel.records import TokenRows

Codes = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MISSING = -1
"""The code of a missing value."""

GRAM = 3
"""The number of characters per trigram. It is enough to distinguish words, while a wrong letter changes only three
trigrams.
"""


@dataclass(frozen=True, eq=False)
class Column:
    """A column with its distinct normalised values. Row `i` has `values[codes[i]]`, or no value if its code is −1."""

    name: str
    codes: Codes
    values: pa.Array
    own: Own | None = None
    """How to compare the values, if a function of the user does it."""

    @classmethod
    def of(cls, name: str, texts: pa.Array, kind: Kind = "text") -> Column:
        written = WRITTEN.get(kind)
        if written is None:
            plain = normalized(texts)
            if kind in IDENTIFYING:  # a code is one word, because its parts alone identify nothing
                plain = pc.replace_substring(plain, " ", "")
        else:
            each = texts.dictionary_encode()
            plain = pa.array([written(value) for value in each.dictionary.to_pylist()], TEXT).take(each.indices)
        coded = plain.dictionary_encode()
        codes = coded.indices.fill_null(MISSING).to_numpy(zero_copy_only=False).astype(np.int64)
        return cls(name, codes, coded.dictionary)

    @cached_property
    def counts(self) -> Codes:
        """The number of records with each value."""
        return np.bincount(self.codes[self.codes >= 0], minlength=len(self.values)).astype(np.int64)

    @cached_property
    def strings(self) -> npt.NDArray[np.object_]:
        return np.array([*self.values.to_pylist(), None], dtype=object)[:-1]

    @cached_property
    def words(self) -> Tokens:
        return Tokens.of(_split(self.values), self.counts)

    @cached_property
    def grams(self) -> Tokens:
        return Tokens.of(_grams(self.values), self.counts)


def normalized(texts: pa.Array) -> pa.Array:
    """Converts texts to lower case, without accents and punctuation, with one space between words.

    Empty texts become null.
    """
    plain = pc.utf8_lower(pc.utf8_normalize(texts.cast(TEXT), form="NFKD"))
    plain = pc.replace_substring_regex(plain, r"\p{Mn}+|['’`]", "")
    plain = pc.utf8_trim_whitespace(pc.replace_substring_regex(plain, r"[^\p{L}\p{N}]+", " "))
    return pc.if_else(pc.equal(plain, ""), None, plain)


def first_alike(columns: Sequence[Column]) -> Codes:
    """Returns, for each record, the first record with the same values in all columns."""
    alike = np.zeros(len(columns[0].codes), np.int64)
    for column in columns:
        _, first, alike = np.unique(
            alike * (len(column.values) + 1) + column.codes + 1, return_index=True, return_inverse=True
        )
    return np.asarray(first[alike], np.int64)


@dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of each distinct value, numbered from rare to frequent, with weights log(1 + N / frequency)²."""

    rows: TokenRows
    names: npt.NDArray[np.object_]
    frequency: Codes
    """The number of records that contain each token."""
    records: int

    @classmethod
    def of(cls, lists: pa.Array, counts: Codes) -> Tokens:
        """Creates tokens from the token list of each distinct value.

        `counts` is the number of records with each value.
        """
        flat = lists.flatten().dictionary_encode()
        tokens = flat.indices.to_numpy().astype(np.int64)
        sizes = np.diff(lists.offsets.to_numpy().astype(np.int64))
        value = np.repeat(np.arange(len(lists)), sizes)
        names = np.array([*flat.dictionary.to_pylist(), None], dtype=object)[:-1]
        return cls.numbered(value, tokens, names, len(lists), counts)

    @classmethod
    def numbered(cls, value: Codes, tokens: Codes, names: npt.NDArray[np.object_], rows: int, counts: Codes) -> Tokens:
        once = distinct(value * max(1, len(names)) + tokens)
        value, tokens = np.divmod(once, max(1, len(names)))
        frequency = np.bincount(tokens, weights=counts[value], minlength=len(names)).astype(np.int64)
        order = np.argsort(frequency, kind="stable")
        rank = np.empty(len(names), np.int64)
        rank[order] = np.arange(len(names))
        keys = np.sort(value * max(1, len(names)) + rank[tokens])
        value, tokens = np.divmod(keys, max(1, len(names)))
        offsets = np.concatenate([[0], np.cumsum(np.bincount(value, minlength=rows))]).astype(np.int64)
        return cls(TokenRows(offsets, tokens.astype(np.uint32)), names[order], frequency[order], int(counts.sum()))

    def of_rows(self, chosen: Codes) -> Tokens:
        """Returns the tokens of some rows. Their weights are those of all rows."""
        starts, sizes = self.rows.offsets[chosen], np.diff(self.rows.offsets)[chosen]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        return replace(self, rows=TokenRows(offsets, self.rows.tokens[ranges(starts, sizes)]))

    @cached_property
    def weights(self) -> Floats:
        return np.asarray(np.log1p(self.records / np.maximum(self.frequency, 1)) ** 2)

    @cached_property
    def lengths(self) -> Floats:
        """The Euclidean norm of each value, by which cosines are scaled: the root of the sum of its tokens' weights."""
        sums = np.concatenate([[0.0], np.cumsum(self.weights[self.rows.tokens])])
        return np.asarray(np.sqrt(sums[self.rows.offsets[1:]] - sums[self.rows.offsets[:-1]]))


def _split(values: pa.Array) -> pa.Array:
    return pc.split_pattern(values, " ").cast(pa.large_list(TEXT))


def _grams(values: pa.Array) -> pa.Array:
    """Cuts each word, padded with a space on both sides, into trigrams. Each distinct word is cut only once."""
    words = _split(values)
    coded = words.flatten().dictionary_encode()
    made = [_grams_of(f" {word} ") for word in coded.dictionary.to_pylist()]
    sizes = np.array([len(grams) for grams in made], np.int64)
    flat = pa.array([gram for grams in made for gram in grams], TEXT)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    of_word = coded.indices.to_numpy().astype(np.int64)
    take = ranges(starts[of_word], sizes[of_word])
    ends = np.concatenate([[0], np.cumsum(sizes[of_word])])
    offsets = ends[words.offsets.to_numpy().astype(np.int64)]
    return pa.LargeListArray.from_arrays(pa.array(offsets, pa.int64()), flat.take(pa.array(take)))


def _grams_of(padded: str) -> list[str]:
    return [padded[i : i + GRAM] for i in range(max(1, len(padded) - GRAM + 1))]


def ranges(starts: Codes, sizes: Codes) -> Codes:
    """Returns the integers start, start + 1, … of every range, concatenated."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(int(sizes.sum()))


def number_in_digits(text: str) -> str | None:
    """Returns the first number in a text, without thousands separators, as Python prints it; None if there is none.

    >>> number_in_digits("$1,299.00"), number_in_digits("n/a")
    ('1299.0', None)
    """
    found = re.search(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?|[-+]?\.\d+", text)
    return None if found is None else repr(float(found[0].replace(",", "")))


WRITTEN: dict[str, Callable[[str], str | None]] = {"date": date_in_digits, "number": number_in_digits}
"""The functions that normalise kinds for which `normalized` is not used."""
