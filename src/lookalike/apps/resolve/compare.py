"""Measures the similarity of pairs of records in each column, from 0 to 1. It is NaN if a value is missing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from lookalike.apps.resolve.columns import Codes, Column, Floats
from lookalike.apps.resolve.kinds import Kind
from lookalike.errors import InvalidOption
from lookalike.kernel import default


def similarities(column: Column, kind: Kind, left: Codes, right: Codes, threads: int = 1) -> Floats:
    """Measures the similarity of each pair of rows in one column.

    Each pair of distinct values is measured only once.
    """
    if kind == "function":
        if column.own is None:
            raise InvalidOption("field-needs-function", field=column.name)
        return column.own.similarities(left, right)
    a, b = column.codes[left], column.codes[right]
    there = (a >= 0) & (b >= 0)
    out = np.full(len(left), np.nan)
    low, high = np.minimum(a, b)[there], np.maximum(a, b)[there]
    keys, back = np.unique(low * max(1, len(column.values)) + high, return_inverse=True)
    low, high = np.divmod(keys, max(1, len(column.values)))
    measured = np.ones(len(keys))
    apart = np.flatnonzero(low != high)
    measured[apart] = MEASURES[kind](column, low[apart], high[apart], threads)
    out[there] = measured[back]
    return out


def names(column: Column, a: Codes, b: Codes, threads: int) -> Floats:
    """Returns the Jaro–Winkler similarity of the strings, or of their sorted words if that is higher."""
    plain = _pairwise("JaroWinkler", column.strings, a, b, threads)
    ordered = np.array([*(" ".join(sorted(text.split())) for text in column.strings), None], dtype=object)[:-1]
    return np.minimum(np.maximum(plain, _pairwise("JaroWinkler", ordered, a, b, threads)), NEARLY)


def texts(column: Column, a: Codes, b: Codes, threads: int) -> Floats:
    """Returns the cosine similarity of weighted trigrams.

    Rare trigrams count more, and a single typo has little effect.
    """
    grams = column.grams
    common = default(threads).shared_weights(grams.rows, grams.rows, grams.weights, a, b)
    return np.minimum(common / np.maximum(grams.lengths[a] * grams.lengths[b], 1e-300), NEARLY)


def codes(column: Column, a: Codes, b: Codes, threads: int) -> Floats:
    """Returns 1 minus the share of characters that are changed, missing, added or swapped."""
    return _pairwise("OSA", column.strings, a, b, threads)


def several_codes(column: Column, a: Codes, b: Codes, threads: int) -> Floats:
    """Returns the weight of the codes that both values contain, divided by that of the value with fewer codes.

    Rare codes have more weight. If a value has only frequent codes, its weight is that of a code of two records, so
    values that share only a frequent code are hardly similar.
    """
    words = column.words
    common = default(threads).shared_weights(words.rows, words.rows, words.weights, a, b)
    least = np.log1p(words.records / 2)
    return np.asarray(np.minimum(1.0, common / np.maximum(np.minimum(words.lengths[a], words.lengths[b]), least) ** 2))


def dates(column: Column, a: Codes, b: Codes, threads: int) -> Floats:
    """Compares dates, written as eight digits, like `codes`."""
    return np.minimum(_pairwise("OSA", column.strings, a, b, threads), NEARLY)


def numbers(column: Column, a: Codes, b: Codes, threads: int) -> Floats:
    """Returns, for each pair of values, the share of random pairs of records whose values differ by more."""
    values = column.strings.astype(np.float64)
    if len(values) and values.min() > 0:
        values = np.log(values)  # prices are compared by their ratio
    drawn = values[column.codes[column.codes >= 0]]
    usual = np.sort(np.abs(drawn - np.random.default_rng(0).permutation(drawn)))
    nearer = np.searchsorted(usual, np.abs(values[a] - values[b]), side="right") / max(1, len(usual))
    return np.asarray(np.minimum(1 - nearer, NEARLY))


NEARLY = 0.999
"""The maximum similarity of values that are not equal, for all kinds except codes."""

MEASURES: dict[str, Callable[[Column, Codes, Codes, int], Floats]] = {
    "name": names, "address": texts, "text": texts, "date": dates, "number": numbers, "code": codes,
    "codes": several_codes, "phone": codes,
}  # fmt: skip


def _pairwise(measure: str, strings: npt.NDArray[np.object_], a: Codes, b: Codes, threads: int) -> Floats:
    from rapidfuzz import distance
    from rapidfuzz.process import cpdist

    scorer = getattr(distance, measure).normalized_similarity
    return np.asarray(cpdist(strings[a], strings[b], scorer=scorer, dtype=np.float64, workers=threads))
