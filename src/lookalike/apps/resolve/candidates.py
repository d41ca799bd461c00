"""Finds candidate pairs of records: the nearest neighbours of each record, by shared rare words or rare trigrams."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve.columns import MISSING, Codes, Column, Floats, Tokens, ranges
from lookalike.flow.arrays import characters
from lookalike.flow.progress import Progress, silent
from lookalike.kernel import default
from lookalike.kernel.records import Neighbours, TokenRows

WORDS, GRAMS = 1, 2
"""Bit flags of a pair: it was found by its words, by its trigrams."""
MOST_GRAMS = 20_000_000
"""If all records together have more trigrams than this, only words are looked up."""
ENTRIES = 1_000_000_000
"""The number of index entries that all records together may read, for words and again for trigrams. Each record may
read at least 500 and at most 20,000.
"""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Sorted pairs of rows, with left < right, and flags for how each pair was found (`ways`)."""

    left: Codes
    right: Codes
    ways: Codes
    looked_at: int
    by_grams: bool

    def __len__(self) -> int:
        return len(self.left)


def tokens_of_records(columns: list[Column], *, grams: bool) -> Tokens:
    """Returns the tokens of each record, from all columns together, because values may be in the wrong column."""
    records = len(columns[0].codes)
    parts = [column.grams if grams else column.words for column in columns]
    coded = pa.array(np.concatenate([part.names for part in parts])).dictionary_encode()
    of_names = np.split(coded.indices.to_numpy().astype(np.int64), np.cumsum([len(part.names) for part in parts])[:-1])
    rows, tokens = [], []
    for column, part, of_name in zip(columns, parts, of_names, strict=True):
        here = np.flatnonzero(column.codes != MISSING)
        codes = column.codes[here]
        sizes = np.diff(part.rows.offsets)[codes]
        rows.append(np.repeat(here, sizes))
        tokens.append(of_name[part.rows.tokens[ranges(part.rows.offsets[codes], sizes)]])
    names = np.array([*coded.dictionary.to_pylist(), None], dtype=object)[:-1]
    return Tokens.numbered(np.concatenate(rows), np.concatenate(tokens), names, records, np.ones(records, np.int64))


def has_few_grams(columns: list[Column]) -> bool:
    """True if there are few enough trigrams to look up. There is about one trigram per character."""
    total = sum(int((characters(column.values) * column.counts).sum()) for column in columns)
    return total <= MOST_GRAMS


def propose(
    words: Tokens,
    grams: Tokens | None,
    alike: Codes,
    split: int | None,
    *,
    top: int,
    threads: int,
    progress: Progress = silent,
) -> Candidates:
    """Pairs each record with its `top` nearest records.

    If `split` is given, rows before it are only paired with rows from it onwards, and neighbours are found in both
    directions. `alike` maps each record to the first record equal to it. Equal records are always candidates, even if
    they contain only frequent words, which are not looked up.
    """
    records = len(words.rows)
    budget = min(20_000, max(500, ENTRIES // max(1, records)))
    equal_left, equal_right = _equal(words, alike, split)
    ends, ways, looked_at = [equal_left * records + equal_right], [np.zeros(len(equal_left), np.int64)], 0
    for way, name, tokens in ((WORDS, "words", words), (GRAMS, "trigrams", grams)):
        if tokens is None:
            continue
        progress(f"propose by {name}", 0, None)  # the native loop counts its steps
        for found in _neighbours(tokens, split, top, budget, threads):
            low, high = np.minimum(found.left, found.right), np.maximum(found.left, found.right)
            ends.append(low * records + high)
            ways.append(np.full(len(low), way, np.int64))
            looked_at += found.looked_at
    keys, back = np.unique(np.concatenate(ends), return_inverse=True)
    found_by = np.zeros(len(keys), np.int64)
    np.bitwise_or.at(found_by, back, np.concatenate(ways))
    return Candidates(keys // max(1, records), keys % max(1, records), found_by, looked_at, grams is not None)


def _equal(words: Tokens, alike: Codes, split: int | None) -> tuple[Codes, Codes]:
    """Pairs each non-empty record with the first record equal to it.

    With `split`, pairs it with one on the other side.
    """
    filled = np.flatnonzero(np.diff(words.rows.offsets) > 0)
    if split is None:
        again = filled[alike[filled] != filled]
        return alike[again], again
    order = filled[np.argsort(alike[filled], kind="stable")]
    one, two = order[order < split], order[order >= split]
    pairs = [_in_turn(alike, one, two), _in_turn(alike, two, one)[::-1]]
    return np.concatenate([left for left, _ in pairs]), np.concatenate([right for _, right in pairs])


def _in_turn(alike: Codes, one: Codes, two: Codes) -> tuple[Codes, Codes]:
    """Pairs each record of `one` with an equal record of `two`, if there is one. The equal records are used in turn."""
    here, there = alike[one], alike[two]
    start, stop = (np.searchsorted(there, here, side=side) for side in ("left", "right"))
    place = np.arange(len(one)) - np.searchsorted(here, here)
    found = stop > start
    return one[found], two[(start + place % np.maximum(stop - start, 1))[found]]


def _neighbours(tokens: Tokens, split: int | None, top: int, budget: int, threads: int) -> Iterator[Neighbours]:
    if split is None:
        yield default(threads).nearest_records(tokens.rows, None, tokens.weights, top=top, budget=budget)
        return
    cut = tokens.rows.offsets[split]
    one = TokenRows(tokens.rows.offsets[: split + 1], tokens.rows.tokens[:cut])
    two = TokenRows(tokens.rows.offsets[split:] - cut, tokens.rows.tokens[cut:])
    forth = default(threads).nearest_records(one, two, tokens.weights, top=top, budget=budget)
    yield forth._replace(right=forth.right + split)
    back = default(threads).nearest_records(two, one, tokens.weights, top=top, budget=budget)
    yield back._replace(left=back.left + split)


def estimated_recall(ways: Codes) -> float | None:
    """Estimates, from how the known matches were found, at most what share of all matches are among the candidates.

    If words and trigrams find matches independently, the probability that both miss a match is the product of their
    miss probabilities (Lincoln–Petersen estimate, in Chapman's form). They are not independent, so the estimate is an
    upper bound.

    >>> estimated_recall(np.array([3] * 90 + [1] * 5 + [2] * 5)).__round__(4)
    0.9973
    """
    ways = ways[ways > 0]  # 0 means that the pair was found only because the records are equal
    if not len(ways):
        return None
    one, two = int((ways & WORDS > 0).sum()), int((ways & GRAMS > 0).sum())
    both = int((ways == WORDS | GRAMS).sum())
    if not one or not two:
        return None
    return min(1.0, len(ways) / ((one + 1) * (two + 1) / (both + 1) - 1))


def best_of(records: int, left: Codes, right: Codes, cosine: Floats) -> Floats:
    """Returns the highest cosine among each record's pairs; 0 for a record without pairs."""
    best = np.zeros(records)
    np.maximum.at(best, left, cosine)
    np.maximum.at(best, right, cosine)
    return best


def rivalry(best: Floats, left: Codes, right: Codes, cosine: Floats) -> Floats:
    """Divides the cosine of each pair by the highest cosine of either record.

    It is 1 if each is the other's nearest.
    """
    most = np.maximum(np.maximum(best[left], best[right]), cosine)
    return np.asarray(cosine / np.maximum(most, 1e-300))
