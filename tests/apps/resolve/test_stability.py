"""What must not change a result: relatives that outnumber matches, `top`, other rows, and records without a match."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.apps.resolve import learn as learn_module
from lookalike.apps.resolve.learn import Unmatched, learn
from lookalike.apps.resolve.levels import LEVELS
from lookalike.apps.resolve.relatives import connects
from lookalike.apps.resolve.shares import spread
from tests.apps.resolve.people import people

Rows = list[dict[str, Any]]


def _words(draw: random.Random, many: int) -> list[str]:
    return ["".join(draw.choices("abdegilmnorstu", k=draw.randint(4, 8))) for _ in range(many)]


def _f1(found: la.Resolved, entity: list[int]) -> float:
    true = sum(entity[a] == entity[b] for a, b in zip(found.outcome.left, found.outcome.right, strict=True))
    of_each = np.bincount(entity)
    return float(2 * true / (len(found) + (of_each * (of_each - 1) // 2).sum()))


def songs(seed: int) -> tuple[Rows, list[int]]:
    """Albums of two to nine songs, which share artist, album and year. Three songs in ten are listed twice."""
    draw = random.Random(seed)
    words = _words(draw, 400)
    rows: Rows = []
    entity: list[int] = []
    for number in range(90):
        shared = {"artist": " ".join(draw.sample(words, 2)), "album": " ".join(draw.sample(words, 3))}
        for song in range(draw.randint(2, 9)):
            row = {
                "title": " ".join(draw.sample(words, draw.randint(1, 4))),
                **shared,
                "year": str(1970 + number % 40),
                "length": str(draw.randint(120, 400)),
            }
            rows.append(row)
            if draw.random() < 0.3:
                rows.append(
                    {**row, "artist": draw.choice(["the ", ""]) + row["artist"], "length": row["length"][:-1] + "7"}
                )
            entity += [10 * number + song] * (len(rows) - len(entity))
    return rows, np.unique(entity, return_inverse=True)[1].tolist()


@pytest.mark.parametrize("seed", range(2))
def test_songs_of_one_album_are_relatives(seed: int) -> None:
    """They used to be one entity, because the title was assumed to be wrong in nearly all matches."""
    rows, entity = songs(seed)
    found = la.resolve(rows)
    assert found.settings.weights is not None and found.settings.weights.r is not None
    assert _f1(found, entity) >= 0.8


def test_relatives_that_matches_connect_are_matches() -> None:
    """Records 0, 1 and 2 are connected by matches, so 0 and 2 are no relatives; 3 and 4 are not connected."""
    left, right = np.array([0, 1, 0, 3]), np.array([1, 2, 2, 4])
    matches = np.array([1.0, 1.0, 0.0, 0.0])
    assert connects((left, right), matches, 1 - matches)
    assert not connects((left[1:], right[1:]), matches[1:], 1 - matches[1:])


@pytest.mark.parametrize("top", [5, 30])
def test_top_does_not_change_the_score_of_a_pair(top: int) -> None:
    rows, entity = people()
    usual, other = la.resolve(rows), la.resolve(rows, top=top)
    weights, learned = usual.settings.weights, other.settings.weights
    assert weights is not None and learned is not None and np.array_equal(weights.m, learned.m)
    assert _f1(other, entity) >= 0.98 * _f1(usual, entity)


def _shops(draw: random.Random, extra: bool) -> tuple[Rows, Rows]:
    """Two tables of 60 shops, of which 40 are in both, and of streets, of which 40 are in both but mean nothing."""
    words = _words(draw, 300)
    shops = [
        {"name": " ".join(draw.sample(words, 3)), "phone": f"0{draw.randint(10**8, 10**9 - 1)}"} for _ in range(80)
    ]
    streets = [{"street": f"{draw.randint(1, 99)} {draw.choice(words)} street"} for _ in range(80)]
    tables = [shops[:60] + streets[:60], shops[40:] + streets[20:]]
    tables[1] = [{**row, **({"name": row["name"] + " inn"} if "name" in row else {})} for row in tables[1]]
    if extra:
        tables = [[{**row, "story": " ".join(draw.choices(words, k=20))} for row in table] for table in tables]
    for table in tables:
        draw.shuffle(table)
    return tables[0], tables[1]


@pytest.mark.parametrize("extra", [False, True])
def test_rows_of_another_type_do_not_match(extra: bool) -> None:
    """Texts that all rows have used to be taken for a confirmation that two equal streets are the same entity."""
    found = la.link(*_shops(random.Random(7), extra))
    assert "street" in found.ignored and 15 <= len(found) <= 30  # 20 are right


def test_records_without_a_match_are_nearest_to_each_other_by_chance() -> None:
    """Half of 400 records on each side have no match; the nearest of them are as near to each other as matches are."""
    draw = np.random.default_rng(5)
    rivalry = np.full(LEVELS, 0.5 / (LEVELS - 1))
    rivalry[-1] = 0.5
    unmatched = Unmatched(rivalry, (400.0, 400.0))
    assert unmatched.share(0) == 1 and unmatched.share(200) == 0.25 and unmatched.share(500) == 0
    rows = np.arange(400)
    left, right = np.repeat(rows, 5), (np.repeat(rows, 5) + np.tile(np.arange(5), 400)) % 400
    match, nearest = (left == right) & (left < 200), left == right
    agree = draw.random((2000, 2)) < np.where(match, 0.9, 0.2)[:, None]
    levels = np.where(np.column_stack([agree, nearest]), LEVELS - 1, draw.integers(0, 5, (2000, 3))).astype(np.int8)
    one, other = (learn(levels, [False] * 3, (left, right), unmatched=given) for given in (None, unmatched))
    top = LEVELS - 1
    assert np.log(other.m[-1, 0, top] / other.u[-1, 0, top]) < np.log(one.m[-1, 0, top] / one.u[-1, 0, top])


def _chains(matched: int, of: int) -> tuple[tuple[np.ndarray, np.ndarray], np.ndarray]:
    """Returns all pairs of groups of `of` records, and probabilities: only pairs up to `matched` apart are matches."""
    left, right = (np.concatenate([side + 20 * group for group in range(9)]) for side in np.triu_indices(of, 1))
    return (left, right), np.where(right - left <= matched, 0.9, 0.1)


def test_learning_starts_again_if_matches_connect_most_other_pairs() -> None:
    """If A matches B and B matches C, A and C match: too few matches were found, as with many missing values."""
    ends, likely = _chains(matched=1, of=9)
    assert learn_module._lacks_matches(ends, likely)
    ends, likely = _chains(matched=8, of=9)
    assert not learn_module._lacks_matches(ends, likely)
    assert not learn_module._lacks_matches(None, likely)


def test_pairs_that_no_match_connects_do_not_start_learning_again() -> None:
    (left, right), likely = _chains(matched=1, of=2)
    others = np.arange(0, 180, 20), np.arange(0, 180, 20) + 19  # strangers, of whom none has a match
    ends = np.concatenate([left, others[0]]), np.concatenate([right, others[1]])
    likely = np.concatenate([likely, np.full(9, 0.2)])
    assert not learn_module._lacks_matches(ends, likely)
    assert not connects(ends, likely, 1 - likely)
    assert connects(ends, likely, likely)


def test_the_better_of_two_models_has_the_higher_likelihood() -> None:
    draw = np.random.default_rng(1)
    match = draw.random(2000) < 0.6
    levels = np.where(match[:, None], 12, 0) * (draw.random((2000, 4)) < 0.8)
    levels = levels.astype(np.int8)
    first = learn_module._initial(spread(levels, np.ones(2000)), [False] * 4, 0.05, 2000)
    right, wrong = (
        learn_module._estimate(first, levels, share) for share in (match.astype(np.float64), np.full(2000, 0.5))
    )
    assert learn_module._fit(right, levels) > learn_module._fit(wrong, levels)
