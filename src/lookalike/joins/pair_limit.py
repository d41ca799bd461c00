"""Raises an error for joins that would return too many pairs."""

from __future__ import annotations

from lookalike.errors import InvalidOption
from lookalike.notices import Notice
from lookalike.results.pairs import MOST_PAIRS


def too_many(pairs: float | None = None, advice: str = "choose-fewer-pairs") -> InvalidOption:
    """Returns the error for too many pairs. `pairs` is the approximate number, or None if they were not counted."""
    return InvalidOption("too-many-matches", most=MOST_PAIRS, pairs=pairs, advice=Notice(advice))


def refuse_too_many(pairs: float, advice: str = "choose-fewer-pairs") -> None:
    """Raises an error if there are too many pairs. `advice` is the code of a notice with the remedy."""
    if pairs > MOST_PAIRS:
        raise too_many(pairs, advice)
