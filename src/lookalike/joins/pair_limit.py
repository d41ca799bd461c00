"""The most pairs that a join lists; more are refused."""

from __future__ import annotations

from lookalike.errors import InvalidOption
from lookalike.notices import Notice
from lookalike.results.pairs import MOST_PAIRS


def too_many(pairs: float | None = None, advice: str = "choose-fewer-pairs") -> InvalidOption:
    """Error raised when the limit is exceeded; `pairs` is about how many there are, None if they were not counted."""
    return InvalidOption("too-many-matches", most=MOST_PAIRS, pairs=pairs, advice=Notice(advice))


def refuse_too_many(pairs: float, advice: str = "choose-fewer-pairs") -> None:
    """Raise if there are more pairs than are listed; `advice` is the code of a notice that says what to do."""
    if pairs > MOST_PAIRS:
        raise too_many(pairs, advice)
