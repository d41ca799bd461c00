"""MMDS, section 3.9: bounds and examples of the methods for high degrees of similarity.

J is a Jaccard distance, i and j are positions from 1 on, L and M lengths. The methods have no false negatives: a filter
may let too much through, and never loses a pair.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations

import pytest

import lookalike as la
from lookalike.distances import edit, lcs
from lookalike.joins.textbook.base import prefix_length
from lookalike.joins.textbook.length import LengthIndex
from lookalike.joins.textbook.order import ordered
from lookalike.joins.textbook.position import PositionIndex, last_position
from lookalike.joins.textbook.prefix import PrefixIndex
from lookalike.joins.textbook.suffix import SuffixIndex, suffix_lengths

FIFTH = Fraction(1, 5)

STRINGS = ["".join(s) for s in chain.from_iterable(combinations("abcdef", size) for size in range(1, 7))]
"""Every set of six symbols, represented as a string."""

DISTANCES = [Fraction(1, 10), FIFTH, Fraction(1, 3), Fraction(1, 2)]


def distance(s: str, t: str) -> Fraction:
    return Fraction(edit(s, t), lcs(s, t) + edit(s, t))


def first_match(s: str, t: str) -> tuple[int, int]:
    """(i, j) of the first symbol of s that is in t."""
    symbol = next(symbol for symbol in s if symbol in t)
    return s.index(symbol) + 1, t.index(symbol) + 1


def numbers(s: str) -> tuple[int, ...]:
    return tuple("abcdef".index(symbol) for symbol in s)


def letters(symbols: tuple[int, ...]) -> str:
    return "".join("abcdef"[symbol] for symbol in symbols)


def test_sets_become_strings_with_rare_symbols_first() -> None:
    """'Represent sets by strings … by frequency in ascending order': here a is rarest, then b; c … f tie."""
    assert [letters(s) for s in ordered(["fedcba", "cbfed", "cdef"])] == ["abcdef", "bcdef", "cdef"]


@pytest.mark.parametrize("most", DISTANCES)
def test_length_range(most: Fraction) -> None:
    """'L(1 − J) ≤ M ≤ L/(1 − J)'."""
    index = LengthIndex(most)
    for s in STRINGS:
        partners = {len(t) for t in STRINGS if distance(s, t) <= most}
        assert partners <= {*index.look(numbers(s))}
    assert [*LengthIndex(FIFTH).look(tuple(range(10)))] == [8, 9, 10, 11, 12]


def test_prefix_example() -> None:
    """J = 0.2: abcdef is put into a and b, bcdef into b and c, cdef into c. A query that starts with c searches only c.

    The query may be any set that starts with c and has up to four symbols.
    """
    index = PrefixIndex(FIFTH)
    assert [letters((s,)) for s in index.put(numbers("abcdef"))] == ["a", "b"]
    assert [letters((s,)) for s in index.put(numbers("bcdef"))] == ["b", "c"]
    assert [letters((s,)) for s in index.put(numbers("cdef"))] == ["c"]
    assert [letters((s,)) for s in index.look(numbers("ce"))] == ["c"]


def test_prefix_is_just_above_a_tenth_of_the_length_at_ninety_per_cent() -> None:
    """'If two strings are 90 % similar, they must share some symbol in their prefixes … just above 10 %'.

    E = ⌊JL + 1⌋; in floating point J is 1 − 0.9 = 0.0999…, and only one of 10 symbols would be examined.
    """
    assert [prefix_length(1 - Fraction(9, 10), length) for length in (9, 10, 19, 20, 100)] == [1, 2, 2, 3, 11]
    assert math.floor((1 - 0.9) * 10 + 1) == 1


@pytest.mark.parametrize("most", DISTANCES)
def test_strings_without_a_common_symbol_in_the_prefix_are_too_far_apart(most: Fraction) -> None:
    for s in STRINGS:
        for t in STRINGS:
            shared = {*s[: prefix_length(most, len(s))]} & {*t[: prefix_length(most, len(t))]}
            assert shared or distance(s, t) > most


def test_position_bounds() -> None:
    """'E ≥ i + j − 2' and 'C ≤ L − i + 1' at the first common symbol."""
    for s in STRINGS:
        for t in STRINGS:
            if {*s} & {*t}:
                i, j = first_match(s, t)
                assert edit(s, t) >= i + j - 2
                assert lcs(s, t) <= len(s) - i + 1


def test_position_of_the_match_is_bounded_by_the_distance() -> None:
    """j ≤ (JL − J − i + 2) / (1 − J), if the first match is at positions i and j."""
    for most in DISTANCES:
        for s in STRINGS:
            for t in STRINGS:
                if distance(s, t) <= most:
                    i, j = first_match(s, t)
                    assert j <= last_position(most, len(s), i)
    # The example of MMDS: J = 0.1 and L = 9 allow only the first symbol, at the first two positions.
    assert [*PositionIndex(Fraction(1, 10)).look(tuple(range(9)))] == [(0, 1), (0, 2)]


def test_suffix_bounds() -> None:
    """With k and m symbols after the match: E ≥ i + j − 2 + |k − m| and C ≤ min(k, m) + 1."""
    for s in STRINGS:
        for t in STRINGS:
            if {*s} & {*t}:
                i, j = first_match(s, t)
                k, m = len(s) - i, len(t) - j
                assert edit(s, t) >= i + j - 2 + abs(k - m)
                assert lcs(s, t) <= min(k, m) + 1


@pytest.mark.parametrize("most", DISTANCES)
def test_suffix_lengths_are_exactly_those_that_the_bounds_allow(most: Fraction) -> None:
    for i, j, k in ((i, j, k) for i in range(1, 5) for j in range(1, 5) for k in range(8)):
        shortest, longest = suffix_lengths(most, i, j, k)
        for m in range(30):
            unshared, shared = i + j - 2 + abs(k - m), min(k, m) + 1
            assert (shortest <= m <= longest) == (Fraction(unshared, unshared + shared) <= most)


def test_three_tuples_of_the_suffix_index() -> None:
    """'3-tuple index': symbol, position, length of the suffix."""
    assert [*SuffixIndex(FIFTH).put(numbers("abcdef"))] == [(0, 1, 5), (1, 2, 4)]


@pytest.mark.parametrize("threshold", ["0.5", "0.8", "0.9"])
def test_each_refinement_reduces_candidates(threshold: str) -> None:
    """All four indexes find the same pairs, each with fewer candidates than the one before."""
    found = [
        index(STRINGS, threshold=threshold)
        for index in (la.joins.length, la.joins.prefix, la.joins.position, la.joins.suffix)
    ]
    assert len({one.pairs for one in found}) == 1
    _, prefix, position, suffix = (one.candidates for one in found)
    assert prefix >= position >= suffix >= len(found[0])
