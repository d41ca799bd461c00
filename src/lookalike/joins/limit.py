"""How many pairs a join lists at most; more are refused in one sentence."""

from __future__ import annotations

from lookalike.errors import InvalidOption
from lookalike.flow.pairs import MOST_PAIRS


def too_many(pairs: str) -> InvalidOption:
    return InvalidOption(
        f"there are {pairs} pairs, more than the {MOST_PAIRS:,} that are ever listed; "
        "ask for a higher threshold, a smaller distance or the `top` neighbours of each row"
    )


def refuse_too_many(pairs: float) -> None:
    """Raises if there are more pairs than are ever listed."""
    if pairs > MOST_PAIRS:
        raise too_many(f"about {pairs:,.0f}")
