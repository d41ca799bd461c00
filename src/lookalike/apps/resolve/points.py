"""Scores pairs in points, up to 100 per field, and validates the scores with an independent date (MMDS, chapter 3).

Two records with the same name, address and phone number have 300 points. A date that is not part of the score shows how
good the score is. Suppose the dates of known matches differ by 10 days on average, and those of random pairs by 45.
Then, in a group of pairs whose dates differ by x days on average, the share of matches is (45 − x) / 35.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from lookalike.apps.resolve.columns import Codes, Floats
from lookalike.apps.resolve.dates import date_in_digits

POINTS = 100.0
BANDS = 20
"""The number of equal ranges of points into which pairs are grouped."""
KNOWN = 10
"""At least this many pairs, those with the most points, are assumed to be matches."""


@dataclass(frozen=True)
class Checked:
    """A group of pairs in a range of points, which starts at `least`.

    `days` is the mean difference between the two dates of a pair, and `valid` the estimated share of matches.
    """

    least: float
    pairs: int
    days: float
    valid: float

    def __str__(self) -> str:
        return (
            f"from {self.least:.0f} points on: {self.pairs:,} pairs, {self.days:.1f} days apart, {self.valid:.0%} valid"
        )


def points(similarities: Floats) -> Floats:
    """Returns the points of each pair, given similarities [pair, field]. A missing value adds no points.

    >>> points(np.array([[1.0, 0.9, 1.0], [0.5, np.nan, 0.0]])).tolist()
    [290.0, 50.0]
    """
    return np.asarray(POINTS * np.nan_to_num(similarities).sum(axis=1))


def valid_share(difference: float, of_matches: float, of_random: float) -> float:
    """Estimates the share of matches in a group of pairs from the mean difference between the two dates of a pair.

    >>> valid_share(10, 10, 45), valid_share(45, 10, 45), valid_share(17, 10, 45)
    (1.0, 0.0, 0.8)
    """
    if not of_matches < of_random:
        raise ValueError(f"matches must differ by less than random pairs do, got {of_matches} and {of_random}")
    return float(np.clip((of_random - difference) / (of_random - of_matches), 0, 1))


def days_of(texts: pa.Array) -> Floats:
    """Converts dates to days since 1 January 1970; a missing or invalid date becomes NaN.

    >>> days_of(pa.array(["1970-01-31", "31.2.1970", None, "1/2/1970"])).tolist()
    [30.0, nan, nan, 31.0]
    """
    coded = texts.dictionary_encode()
    known = np.array([*(_days(text) for text in coded.dictionary.to_pylist()), np.nan])
    return np.asarray(known[coded.indices.fill_null(len(known) - 1).to_numpy(zero_copy_only=False)])


def _days(text: str) -> float:
    digits = date_in_digits(text) or ""
    if len(digits) != 8 or digits < "0100":  # the century of a two-digit year is unknown
        return float("nan")
    try:
        return float(np.datetime64(f"{digits[:4]}-{digits[4:6]}-{digits[6:]}", "D").astype(np.int64))
    except ValueError:
        return float("nan")


def checked(score: Floats, most: float, left: Codes, right: Codes, days: Floats, split: int | None) -> list[Checked]:
    """Groups candidates by points, best group first, and estimates the share of matches in each group from their dates.

    The best group, of ten or more pairs, is assumed to consist of matches. The result is empty if its dates do not
    differ less than those of random pairs, or if too few dates are known.
    """
    apart = np.abs(days[left] - days[right])
    known = ~np.isnan(apart)
    of_random = _random(days, split)
    if known.sum() < KNOWN or np.isnan(of_random):
        return []
    score, apart = score[known], apart[known]
    best = np.sort(score)[-KNOWN]
    edges = np.append(most * np.arange(BANDS) / BANDS, most)
    edges = np.append(edges[edges < best], best)
    group = np.searchsorted(edges, score, side="right") - 1
    means = [float(apart[group == place].mean()) if (group == place).any() else np.nan for place in range(len(edges))]
    if not means[-1] < of_random:
        return []
    found = []
    for place in reversed(range(len(edges))):
        if not np.isnan(means[place]):
            valid = valid_share(means[place], means[-1], of_random)
            found.append(Checked(float(edges[place]), int((group == place).sum()), means[place], valid))
    return found


def _random(days: Floats, split: int | None) -> float:
    """Returns the mean difference, in days, between the dates of two random records; NaN if no dates are known."""
    draw = np.random.default_rng(0)
    one, two = (days, days) if split is None else (days[:split], days[split:])
    one, two = one[~np.isnan(one)], two[~np.isnan(two)]
    if not len(one) or not len(two):
        return float("nan")
    return float(np.abs(draw.choice(one, 100_000) - draw.choice(two, 100_000)).mean())
