"""Codes alone, and rows that are equal and nothing else: a value that two records share is not evidence against them.

Tables of one column of codes gave no match at all, because the chance that a code is shared was estimated from the very
pair that shares it.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.apps.resolve.rarity import LETTERS, LONGEST, log_chances

GIVEN = "anna berta carl dora emil frieda georg hanna ivan julia".split()
FAMILY = [start + end for start in "alt bren crom dahl eich fal gram".split() for end in "ner ler berg mann".split()]


def _digits(draw: random.Random) -> str:
    return f"{draw.randrange(10**8, 10**9)}"


def _mail(draw: random.Random) -> str:
    host = draw.choice(["mail.com", "web.org", "post.net"])
    return f"{draw.choice(GIVEN)}.{draw.choice(FAMILY)}{draw.randrange(1, 999)}@{host}"


def _serial(draw: random.Random) -> str:
    return f"{draw.choice('ABCDEFGH')}{draw.choice('KLMNPQRS')}-{draw.randrange(10**5):05}-{draw.randrange(1000):03}"


@pytest.mark.parametrize("code", [_digits, _mail, _serial])
@pytest.mark.parametrize(("many", "shared"), [(600, 150), (150, 150), (300, 30)])
def test_a_shared_code_needs_no_confirmation(code: Callable[[random.Random], str], many: int, shared: int) -> None:
    draw = random.Random(5)
    values = sorted({code(draw) for _ in range(2 * many)})
    draw.shuffle(values)
    left, right = values[:many], draw.sample(values[:shared] + values[many : 2 * many - shared], many)
    true = {(left.index(value), row) for row, value in enumerate(right) if value in left[:shared]}
    linked = la.link([{"code": value} for value in left], [{"code": value} for value in right])
    found = set(zip(linked.outcome.left.tolist(), (linked.outcome.right - many).tolist(), strict=True))
    assert 2 * len(found & true) >= 0.99 * (len(found) + len(true))
    resolved = la.resolve([{"code": value} for value in left + right])
    found = set(zip(resolved.outcome.left.tolist(), (resolved.outcome.right - many).tolist(), strict=True))
    assert 2 * len(found & true) >= 0.99 * (len(found) + len(true))


def test_many_records_may_share_a_code_but_not_a_placeholder() -> None:
    """Five records of one number used to count as a number that is common, so that they did not match."""
    draw = random.Random(8)
    values = [code for number in range(400) for code in [_digits(draw)] * (1 + number % 8 % 5)]
    found = la.resolve([{"code": value} for value in values])
    true = sum(value == other for row, value in enumerate(values) for other in values[:row])
    right = sum(values[a] == values[b] for a, b in zip(found.outcome.left, found.outcome.right, strict=True))
    assert 2 * right >= 0.99 * (len(found) + true)
    spoilt = la.resolve([{"code": value} for value in [*values, *["000000000"] * 600]])
    assert not (np.maximum(spoilt.outcome.left, spoilt.outcome.right) >= len(values)).any()


@pytest.mark.parametrize("again", [50, 200])
def test_equal_rows_are_matches_even_if_no_others_resemble_them(again: int) -> None:
    draw = random.Random(1)
    rows = [
        {
            "name": f"{draw.choice(GIVEN)} {''.join(draw.choices('abdegilmnorstu', k=8))}",
            "city": draw.choice(FAMILY),
            "year": str(draw.randrange(1950, 2010)),
        }
        for _ in range(200)
    ]
    resolved = la.resolve(rows + rows[:again])
    found = set(zip(resolved.outcome.left.tolist(), resolved.outcome.right.tolist(), strict=True))
    true = {(row, 200 + row) for row in range(again)}
    assert 2 * len(found & true) >= 0.99 * (len(found) + len(true))
    explained = resolved.explain(0, 200)
    assert math.isclose(sum(step.adds for step in explained.steps), explained.score, abs_tol=1e-6)


def test_a_value_that_many_records_share_is_no_evidence() -> None:
    draw = random.Random(3)
    rows = [{"year": str(draw.randrange(1950, 2010)), "place": draw.choice(FAMILY)} for _ in range(600)]
    assert len(la.resolve(rows)) < 60  # two records of one year and place are not the same


@given(st.lists(st.text("ab01", min_size=1, max_size=4), min_size=1, max_size=12, unique=True))
def test_chances_of_characters_are_those_of_the_definition(codes: list[str]) -> None:
    """The slow twin counts characters one at a time, in the other codes."""

    def letters(code: str, position: int) -> tuple[int, int]:
        padded = f"\0{code}\0"
        return (ord(padded[position]) if position else 0), ord(padded[position + 1])

    every = [ord(letter) for code in codes for letter in code]
    expected = []
    for code in codes:
        chance = 0.0
        for position in range(min(len(code) + 1, LONGEST)):
            before, now = letters(code, position)
            rest = [letters(other, position) for other in codes if other != code and len(other) >= position]
            share = (every.count(now) + 1 / LETTERS) / (len(every) + 1)
            for context in (None, before):
                after = [last for first, last in rest if context is None or first == context]
                kinds = max(1, len(set(after)))
                share = (after.count(now) + kinds * share) / (len(after) + kinds)
            chance += math.log(share)
        expected.append(chance)
    assert np.allclose(log_chances(np.array(codes, dtype=object)), expected)


def test_a_warning_appears_if_most_expected_matches_are_not_reported() -> None:
    draw = random.Random(2)
    rows = [{"name": f"{draw.choice(GIVEN)} {draw.choice(FAMILY)}"} for _ in range(1200)]
    found = la.link(rows[:600], rows[600:])  # there are only 280 names, so equal ones identify nobody
    (warning,) = found.warnings
    assert warning.code == "fewer-matches-than-expected"
    assert len(found) == warning.values["matches"] < warning.values["expected"] / 2
    assert f"found only {len(found)}. The" in str(warning)
