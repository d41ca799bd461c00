"""How many pairs a join lists at most; more are refused in one sentence."""

from __future__ import annotations

from lookalike.errors import InvalidOption
from lookalike.results.pairs import MOST_PAIRS

INSTEAD = "ask for a higher threshold, a smaller distance or the `top` neighbours of each row"


def too_many(pairs: str, instead: str = INSTEAD) -> InvalidOption:
    return InvalidOption(f"there are {pairs} pairs, more than the {MOST_PAIRS:,} that are ever listed; {instead}")


def refuse_too_many(pairs: float, instead: str = INSTEAD) -> None:
    """Raises if there are more pairs than are ever listed, and says what to do instead."""
    if pairs > MOST_PAIRS:
        raise too_many(f"about {pairs:,.0f}", instead)
