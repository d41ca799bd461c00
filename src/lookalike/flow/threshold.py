"""Threshold: a decimal between 0 and 1. Integer arithmetic compares it, so rounding errors never affect a result."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

from lookalike.errors import InvalidOption

PLACES = 9  # a numerator of 10⁹ times 2³² shingles still fits in 64 bits


@dataclass(frozen=True, order=True, init=False)
class Threshold:
    """A threshold as an exact decimal: `Threshold(0.8)` is 4/5, not the nearest binary fraction.

    A float is rounded to 9 decimal places, because `numpy.arange` gives 0.7999999999999999 for 0.8. A string with more
    places is refused.

    >>> Threshold(0.8).reached(4, 5), Threshold("0.9").reached(9, 10), Threshold(0.81).reached(4, 5)
    (True, True, False)
    >>> Threshold(0.7999999999999999)
    Threshold('0.8')
    """

    value: Fraction
    numerator: int = field(compare=False)
    denominator: int = field(compare=False)

    def __init__(self, value: float | str | int | Decimal | Threshold, *, option: str = "threshold") -> None:
        """Parses a threshold. Error messages name the option `option`."""
        fraction = _parse(value, option)
        object.__setattr__(self, "value", fraction)
        object.__setattr__(self, "numerator", fraction.numerator)
        object.__setattr__(self, "denominator", fraction.denominator)

    def reached(self, intersection: int, union: int) -> bool:
        """True if intersection / union is at least the threshold."""
        return union > 0 and intersection * self.denominator >= self.numerator * union

    def __float__(self) -> float:
        return float(self.value)

    def __str__(self) -> str:
        return format((Decimal(self.value.numerator) / Decimal(self.value.denominator)).normalize(), "f")

    def __repr__(self) -> str:
        return f"Threshold({str(self)!r})"


def _parse(value: Any, option: str) -> Fraction:
    if isinstance(value, Threshold):
        return value.value
    try:
        decimal = Decimal(str(value))
    except (InvalidOperation, ValueError):  # ValueError: an integer with thousands of digits
        decimal = Decimal("nan")
    if not decimal.is_finite():
        raise InvalidOption("not-a-share", option=option, value=value, meant=_percentage(value))
    # checked before the conversion to a fraction: 1e-99999999 has a hundred million digits
    if not -PLACES - 1 <= decimal.adjusted() <= 9:
        raise InvalidOption("too-many-decimal-places", option=option, places=PLACES, value=value)
    if isinstance(value, Real) and not isinstance(value, Rational):  # a float of Python or NumPy, not an integer
        decimal = round(decimal, PLACES) or decimal  # a value below 1e-9 is not rounded to 0, and is refused below
    fraction = Fraction(decimal)
    if not 0 < fraction <= 1:
        meant = f"{(decimal / 100).normalize():f}" if 2 <= fraction <= 100 else None  # 1.2 is no percentage
        raise InvalidOption("not-a-share", option=option, value=value, meant=meant)
    if 10**PLACES % fraction.denominator:
        raise InvalidOption("too-many-decimal-places", option=option, places=PLACES, value=value)
    return fraction


def _percentage(value: Any) -> str | None:
    """Returns the share that a percentage, such as "80%", stands for; None if the value is not a percentage."""
    if not isinstance(value, str) or not re.fullmatch(r"\d{1,3}(\.\d{1,6})?\s?%", value):
        return None
    share = Decimal(value.rstrip("% ")) / 100
    return f"{share.normalize():f}" if 0 < share <= 1 else None
