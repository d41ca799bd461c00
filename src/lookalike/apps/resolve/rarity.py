"""Estimates how rarely two different records share a word, without counting the two records that are compared.

If a pair of records is the only one that contains a word, and the pair itself is counted, one record in N / 2 seems to
contain the word, even if it is a number that no other record could have. The chance is therefore estimated from the
other records. If none of them contains the word, the numbers of words that appear once and twice show how often a new
record contains a given unseen word (Good–Turing, with Chao's bound on the number of unseen words). For codes, the
characters are a better estimate.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.apps.resolve.columns import Codes, Column, Floats, Tokens
from lookalike.flow.arrays import Mask
from lookalike.flow.documents import TEXT

LONGEST = 24
"""The number of characters of a code that are examined. The others add no evidence."""
LETTERS = 256
"""Characters are told apart by their code points below this number, less one; all others count as the same."""


UNLIKELY = 0.05
"""Fewer records than this, expected by chance, show that what happened is no chance."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Upper bounds on the scores of pairs: shared words are evidence of at most their rarity.

    Records that are equal in all fields, with none missing, agree as much as they can, so they reach the bound.
    """

    common: Floats
    """For each pair, the total rarity of the words that both records contain."""
    equal: Mask
    """Whether the records of each pair are equal in all fields."""
    total: float
    """The number of possible pairs, of which these are candidates."""

    def applied(self, score: Floats, matches: float) -> Floats:
        """Returns the scores within their bounds, if the table is expected to have this many matches."""
        most = self.common + np.log(max(1.0, matches) / self.total)
        return np.asarray(np.where(self.equal, most, np.minimum(score, most)))


def rarity(words: Tokens, split: int | None, codes: npt.NDArray[np.object_]) -> Floats:
    """Returns the evidence (log odds) for a match from sharing each word: minus the log of its chance in a record.

    `codes` are the distinct words of fields that contain codes or phone numbers. They must be words of the table.
    """
    others = np.maximum(words.frequency - 2, 0)
    unseen = np.full(len(words.names), min(2.0, unseen_count(words, split)))
    if len(codes):
        here = positions(words.names, codes)
        by_characters = np.exp(log_chances(codes)) * words.records
        unseen[here] = np.minimum(unseen[here], by_characters)
        alone = here[by_characters < UNLIKELY]
        others[alone[~too_frequent(words.frequency[alone])]] = 0  # the other records are of the same entity
    return np.asarray(np.maximum(0.0, np.log(words.records) - np.log(others + np.maximum(unseen, 1e-300))))


def unseen_count(words: Tokens, split: int | None) -> float:
    """Returns how often a word that no other record contains is expected in a sample as large as all records together.

    With two tables, words are counted per table, because matches are between them.
    """
    rows, chances = words.rows, []
    for start, stop in itertools.pairwise([0, *([] if split is None else [split]), len(rows)]):
        if stop > start:
            counts = np.bincount(rows.tokens[rows.offsets[start] : rows.offsets[stop]], minlength=1)
            once, twice = int((counts == 1).sum()), int((counts == 2).sum())
            chances.append((2 * twice + 1) / (max(1, once) * (stop - start)))
    return words.records * float(np.mean(chances or [1.0]))


def too_frequent(counts: Codes) -> Mask:
    """Returns which counts are far larger than the others, such as that of 000000000 among numbers of customers.

    The counts above the median are assumed to have a Pareto distribution, which is very wide: of Zipf's counts, none is
    too large. Its exponent is learned from the other counts, and is at most that of 1, 2, 4, 8 and so on, if each of
    them is e times as frequent as the next.

    >>> too_frequent(np.array([1] * 90 + [2] * 9 + [500])).nonzero()[0].tolist()
    [99]
    """
    if not len(counts):
        return np.zeros(0, bool)
    excess = np.log(counts / np.median(counts))
    above = excess[excess > 0]
    scale = np.maximum(np.log(2), (above.sum() - excess) / max(1, len(above) - 1))
    return np.asarray((excess > 0) & (len(above) * np.exp(-excess / scale) < UNLIKELY))


def words_of_codes(columns: list[Column]) -> npt.NDArray[np.object_]:
    """Returns the distinct words of the columns."""
    return np.unique(np.concatenate([np.zeros(0, dtype=object), *(column.words.names for column in columns)]))


def positions(names: npt.NDArray[np.object_], some: npt.NDArray[np.object_]) -> Codes:
    """Returns the position of each of `some` in `names`, which are distinct and include all of them."""
    found = pc.index_in(pa.array(some, TEXT), pa.array(names, TEXT))
    return np.asarray(found.to_numpy(zero_copy_only=False), np.int64)


def log_chances(codes: npt.NDArray[np.object_]) -> Floats:
    """Returns the log probability of each distinct code, if its characters are drawn like those of all other codes.

    The chance of a character is estimated at its position after the character before it and, if other codes have few
    characters there, at its position alone, and at any position (Witten–Bell). The end of a code is a character too.

    >>> np.exp(log_chances(np.array(["0", "1", "2", "3"], dtype=object))).round(2).tolist()
    [0.04, 0.04, 0.04, 0.04]
    """
    if not len(codes):
        return np.zeros(0)
    wide = np.array([text[:LONGEST] for text in codes], f"U{LONGEST}").view(np.uint32).reshape(len(codes), LONGEST)
    letters = np.minimum(wide, LETTERS - 1).astype(np.uint8)
    everywhere = np.bincount(letters[letters > 0], minlength=LETTERS) + 1 / LETTERS
    out, before = np.zeros(len(codes)), np.zeros(len(codes), np.int64)
    rows = np.arange(len(codes))
    for position in range(LONGEST):
        now = letters[rows, position].astype(np.int64)
        at_position = _mixed(np.zeros_like(now), now, everywhere[now] / everywhere.sum())
        out[rows] += np.log(_mixed(before, now, at_position))
        rows, before = rows[now > 0], now[now > 0]
        if not len(rows):
            break
    return out


def _mixed(context: Codes, now: Codes, general: Floats) -> Floats:
    """Returns the chance of each character after its context, mixed with a more general chance."""
    pairs = context * LETTERS + now
    counts = np.bincount(pairs, minlength=LETTERS**2)
    table = counts.reshape(LETTERS, LETTERS)
    seen = counts[pairs] - 1.0
    after, kinds = table.sum(axis=1)[context] - 1.0, (table > 0).sum(axis=1)[context] - (seen == 0)
    kinds = np.maximum(kinds, 1.0)
    return np.asarray((seen + kinds * general) / (after + kinds))
