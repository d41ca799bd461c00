"""Functions that check the value of one option, and raise an error that names the option if it is invalid."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any

from lookalike.errors import InvalidOption


def check_one_of(option: str, value: object, allowed: Sequence[object]) -> None:
    if not isinstance(value, str | int) or value not in allowed:  # an array cannot be compared with `in`
        raise InvalidOption("not-one-of", option=option, allowed=tuple(map(str, allowed)), value=value)


def check_whole(option: str, value: object, least: int, most: int | None = None) -> None:
    """Raises an error unless the value is a whole number from `least` to `most`.

    NumPy's whole numbers are accepted, True and False are not.
    """
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if whole and value >= least and (most is None or value <= most):  # type: ignore[operator]
        return
    if most is None:
        raise InvalidOption("not-a-whole-number", option=option, least=least, value=value)
    raise InvalidOption("not-in-whole-range", option=option, least=least, most=most, value=value)


def check_share(option: str, value: object) -> None:
    """Raises an error unless 0 < value ≤ 1. NumPy numbers are accepted, True is not."""
    # compared as it is: float(value) fails for integers with thousands of digits
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 < value <= 1:  # type: ignore[operator]
        raise InvalidOption("not-a-share", option=option, value=value, meant=None)


def is_finite(value: object) -> bool:
    """True if the value is a number that a float can represent. True and False do not count as numbers."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer of more than 308 digits
        return False


def check_true_or_false(option: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise InvalidOption("not-true-or-false", option=option, value=value)


def check_names(option: str, value: Any, *others: type) -> tuple[Any, ...]:
    """Checks the value of an option that takes names, and returns the names as a tuple. A single name is accepted.

    `others` are types that are accepted instead of names.
    """
    names = (value,) if isinstance(value, (str, *others)) else value
    if not isinstance(names, Sequence) or not all(isinstance(name, (str, *others)) for name in names):
        raise InvalidOption("not-a-list-of-names", option=option, value=value)
    return tuple(names)


def plain_number(value: Any) -> Any:
    """Converts a NumPy scalar to the corresponding Python value; returns any other value unchanged.

    >>> import numpy
    >>> plain_number(numpy.float32(0.8))  # not 0.800000011920929, its value in double precision
    0.8
    """
    if type(value).__module__ != "numpy" or getattr(value, "shape", None) != ():
        return value
    plain = value.item()
    return float(str(value)) if isinstance(plain, float) else plain


def check_threads(threads: int | None) -> int:
    """Checks a number of threads and returns it; None means the number of cores that this process may use."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    check_whole("threads", threads, 1, 1024)
    return threads
