"""Columns that have nothing to do with the entities: what they contain must not matter."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.apps.resolve.levels import LEVELS
from lookalike.apps.resolve.shares import WRONG, rising
from tests.apps.resolve.people import people

Rows = list[dict[str, Any]]


def _with_unrelated(rows: Rows) -> Rows:
    draw = random.Random(9)
    some = ["".join(draw.choices("abdegilmnorstu", k=6)) for _ in range(200)]
    return [{**row, "colour": draw.choice(some), "visits": str(draw.randrange(1000))} for row in rows]


def _f1(rows: Rows, entity: list[int]) -> float:
    found = la.resolve(rows)
    true = sum(entity[a] == entity[b] for a, b in zip(found.outcome.left, found.outcome.right, strict=True))
    of_each = np.bincount(entity)
    return float(2 * true / (len(found) + (of_each * (of_each - 1) // 2).sum()))


def _series() -> tuple[Rows, list[int]]:
    """Returns entities of one to fifteen records with missing values, so that many candidates are matches."""
    draw = random.Random(3)
    words = ["".join(draw.choices("abdegilmnorstu", k=7)) for _ in range(400)]
    rows, entity = [], []
    for one in range(90):
        title, author = " ".join(draw.sample(words, 7)), " ".join(draw.sample(words, 3))
        venue, year = " ".join(draw.sample(words[:40], 4)), str(draw.randrange(1985, 2000))
        for _ in range(1 + one % 15):
            kept = [word for word in title.split() if draw.random() < 0.9]
            row = {"title": " ".join(kept), "author": author, "venue": venue, "year": year}
            rows.append({name: value if draw.random() < 0.7 else None for name, value in row.items()})
            entity.append(one)
    return rows, entity


@pytest.mark.parametrize("make", [people, _series])
def test_unrelated_columns_do_not_matter(make: Any) -> None:
    """Two unrelated columns used to outweigh all others, so that a table of citations had no match at all."""
    rows, entity = make()
    assert _f1(_with_unrelated(rows), entity) >= _f1(rows, entity) - 0.03


def test_the_share_of_wrong_values_is_learned() -> None:
    """A field that is right in 60 % of the matches is assumed wrong in 40 % of them, not in 5 %."""
    u = np.array([0.3, 0.3, 0.2, 0.1, 0.03, 0.02, 0.02, 0.01, 0.005, 0.005, 0.004, 0.003, 0.003])
    right = np.zeros(LEVELS)
    right[-1] = 1
    for share in (0.05, 0.4, 1.0):
        learned = rising(share * u + (1 - share) * right, u, 10_000)
        assert abs(float(learned[:3].sum()) - share * float(u[:3].sum())) < 0.02
    assert abs(float(rising(right, u)[0]) - WRONG * u[0]) < 1e-6  # without pairs, nothing is learned
