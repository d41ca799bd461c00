"""Support: the minimum number of baskets that must contain a pair, as a count or an exact share."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
from numbers import Integral, Rational, Real
from typing import Any

from lookalike.errors import InvalidOption

PLACES = 18
"""The limit on the decimal exponent of a support, positive or negative."""
FLOAT_DIGITS = 12


@dataclass(frozen=True, init=False)
class Support:
    """The minimum number of baskets with a frequent pair, as a count (`Support(100)`) or a share (`Support(0.01)`).

    A share is exact: 0.01 means one hundredth of all baskets, rounded up to whole baskets, and at least one. A float is
    first rounded to 12 digits, because `numpy.arange` gives 0.30000000000000004 for 0.3.

    >>> Support(100).least(9835), Support(0.01).least(9835), Support("0.01").least(100), Support(0.07).least(100)
    (100, 99, 1, 7)
    """

    count: int | None
    share: Fraction | None

    def __init__(self, value: Any) -> None:
        count, share = (value.count, value.share) if isinstance(value, Support) else _parse(value)
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "share", share)

    def least(self, baskets: int) -> int:
        """Returns the minimum number of baskets that must contain a pair, if there are `baskets` baskets in all."""
        if self.count is not None:
            return self.count
        assert self.share is not None
        return max(1, -(-baskets * self.share.numerator // self.share.denominator))

    def __str__(self) -> str:
        if self.count is not None:
            return str(self.count)
        assert self.share is not None
        return format((Decimal(self.share.numerator) / Decimal(self.share.denominator)).normalize(), "f")


def _parse(value: Any) -> tuple[int | None, Fraction | None]:
    """Returns (count, None) for a whole number, and (None, share) for a float or a string with a decimal point."""
    if isinstance(value, bool) or not isinstance(value, Integral | Real | Decimal | str):
        raise InvalidOption("not-a-support", value=value)
    try:
        decimal = Decimal(str(value).strip())
        if isinstance(value, Real) and not isinstance(value, Rational):
            decimal = Context(prec=FLOAT_DIGITS).create_decimal(decimal)
    except InvalidOperation:
        raise InvalidOption("not-a-support", value=value) from None
    whole = isinstance(value, Integral) or (isinstance(value, str) and value.strip().lstrip("+-").isdecimal())
    if whole and decimal.is_finite() and decimal.adjusted() > PLACES:
        raise InvalidOption("support-too-large", value=value)
    if not decimal.is_finite() or not -PLACES <= decimal.adjusted() <= PLACES:
        raise InvalidOption("not-a-support", value=value)
    if whole and decimal >= 1:
        return int(decimal), None
    if whole:
        raise InvalidOption("support-below-one", value=value)
    fraction = Fraction(decimal)
    if fraction > 1:
        meant = int(decimal) if fraction.denominator == 1 else None
        raise InvalidOption("support-share-above-one", value=value, meant=meant)
    if fraction <= 0:
        raise InvalidOption("not-a-support", value=value)
    return None, fraction
