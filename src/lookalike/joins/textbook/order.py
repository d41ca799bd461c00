"""Converts sets to strings of symbols, by default with the rarest symbol first: the input of the textbook indexes.

The first symbols of a string are in few other strings, so an index of first symbols has short lists. All strings are
sorted in the same order, so the intersection of two sets is the longest common subsequence of their strings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any, Literal

import pyarrow as pa

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.flow import Shingles
from lookalike.flow.checks import check_one_of

Order = Literal["rare", "lexical"]
"""How the elements of all sets are sorted: from rare to frequent, or as Python sorts them."""

String = tuple[int, ...]
"""The symbols of a set in ascending order. Symbols are numbers; 0 is the first of all elements, usually the rarest."""


def ordered(sets: Any, order: Order = "rare") -> list[String]:
    """Returns the string of each set.

    Equally frequent elements are ordered by type name and repr, so that the same sets always give the same strings. In
    lexical order, so are elements that Python cannot sort, such as numbers beside strings.

    >>> ordered([{"c", "a"}, {"c", "b"}, "cc", []])
    [(0, 2), (1, 2), (2,), ()]
    >>> ordered(["cab", "ca"]), ordered(["cab", "ca"], "lexical")
    ([(0, 1, 2), (1, 2)], [(0, 1, 2), (0, 2)])
    """
    check_one_of("order", order, ("rare", "lexical"))
    given = elements(sets)
    counts = Counter(element for one in given for element in one)
    if order == "rare":
        symbols = sorted(counts, key=lambda element: (counts[element], *_tie(element)))
    else:
        symbols = _in_lexical_order(counts)
    rank = {element: symbol for symbol, element in enumerate(symbols)}
    return [tuple(sorted(rank[element] for element in one)) for one in given]


def _in_lexical_order(found: Iterable[Any]) -> list[Hashable]:
    try:
        return sorted(found)
    except TypeError:
        return sorted(found, key=_tie)


def elements(sets: Any) -> list[frozenset[Hashable]]:
    """Converts the sets to frozensets. Accepts iterables of hashable elements, an Arrow column of lists, or `Shingles`.

    Elements are compared with ==: 1, 1.0 and True are one element, 1 and "1" are two. A missing list is an empty set; a
    missing element of an Arrow list is skipped.
    """
    if isinstance(sets, Shingles):
        return [frozenset(one.tolist()) for one in sets]
    if isinstance(sets, pa.Array | pa.ChunkedArray):
        kind = sets.type
        if not (pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)):
            raise MalformedInput("not-a-column-of-lists", type=str(kind))
        return [frozenset(e for e in one or () if e is not None) for one in sets.to_pylist()]
    if isinstance(sets, str | bytes) or not isinstance(sets, Iterable):
        raise InvalidOption("not-sets", type=type(sets).__name__)
    return [_as_set(one, row) for row, one in enumerate(sets)]


def _as_set(one: Any, row: int) -> frozenset[Hashable]:
    if not isinstance(one, Iterable):
        raise MalformedInput("not-a-set", position=row, type=type(one).__name__)
    try:
        return frozenset(one)
    except TypeError as error:
        raise MalformedInput("unhashable-element", position=row, reason=str(error)) from None


def _tie(element: Hashable) -> tuple[str, str]:
    return type(element).__name__, repr(element)
