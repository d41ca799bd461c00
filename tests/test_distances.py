"""The exact measures obey their laws, such as those of a metric."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.distances import (
    angle,
    bag_jaccard,
    bag_jaccard_fraction,
    between,
    chebyshev,
    containment,
    cosine,
    dice,
    edit,
    euclidean,
    hamming,
    jaccard,
    jaccard_fraction,
    lcs,
    levenshtein,
    lr_norm,
    manhattan,
    overlap,
    pairwise,
    weighted_jaccard,
)
from tests.refusals import refused

sets = st.sets(st.integers(0, 12), max_size=10)
bags = st.lists(st.integers(0, 5), max_size=12)
strings = st.text("abc", max_size=8)
vectors = st.lists(st.integers(-50, 50).map(float), min_size=3, max_size=3)
directions = vectors.filter(any)


@given(sets, sets, sets)
def test_jaccard_distance_is_a_metric(a: set[int], b: set[int], c: set[int]) -> None:
    if a and b and c:
        d = {
            pair: 1 - jaccard_fraction(*pair_sets)
            for pair, pair_sets in {"ab": (a, b), "bc": (b, c), "ac": (a, c)}.items()
        }
        assert (d["ab"] == 0) == (a == b)
        assert jaccard_fraction(a, b) == jaccard_fraction(b, a)
        assert d["ac"] <= d["ab"] + d["bc"]


@given(sets, sets)
def test_set_measures_follow_from_three_counts(a: set[int], b: set[int]) -> None:
    j = jaccard(a, b)
    assert j == float(jaccard_fraction(a, b))
    assert 0 <= j <= min(containment(a, b), containment(b, a)) <= overlap(a, b) <= 1
    assert dice(a, b) == pytest.approx(2 * j / (1 + j))
    if a and b:
        assert overlap(a, b) == max(containment(a, b), containment(b, a))


def test_empty_sets_are_similar_to_nothing() -> None:
    for measure in (jaccard, containment, overlap, dice, bag_jaccard):
        assert measure([], []) == 0
        assert measure([], [1]) == 0


@given(bags, bags)
def test_each_bag_similarity_determines_the_other(a: list[int], b: list[int]) -> None:
    """S = M / (1 + M), so the sum never exceeds 1/2."""
    s, m = (bag_jaccard_fraction(a, b, union=union) for union in ("sum", "max"))
    assert s == m / (1 + m)
    assert s <= Fraction(1, 2)
    if a:
        assert bag_jaccard(a, a, union="sum") == 0.5
        assert bag_jaccard(a, a) == 1


@given(bags, bags)
def test_bag_similarity_is_set_similarity_of_numbered_repetitions(a: list[int], b: list[int]) -> None:
    def numbered(bag: list[int]) -> set[tuple[int, int]]:
        return {(value, i) for value, count in Counter(bag).items() for i in range(count)}

    assert bag_jaccard_fraction(a, b) == jaccard_fraction(numbered(a), numbered(b))


@given(sets, sets)
def test_bags_without_repetitions_are_sets(a: set[int], b: set[int]) -> None:
    assert bag_jaccard_fraction(a, b) == jaccard_fraction(a, b)


@given(sets, sets)
def test_jaccard_of_sorted_sets_follows_from_their_edit_distance(a: set[int], b: set[int]) -> None:
    s, t = sorted(a), sorted(b)
    if a or b:
        assert jaccard_fraction(a, b) == Fraction(lcs(s, t), lcs(s, t) + edit(s, t))


@given(strings, strings)
def test_lcs_is_the_longest_of_all_common_subsequences(s: str, t: str) -> None:
    def subsequences(text: str) -> set[str]:
        return {"".join(chosen) for n in range(len(text) + 1) for chosen in combinations(text, n)}

    assert lcs(s, t) == max(map(len, subsequences(s) & subsequences(t)))


@given(strings, strings)
def test_levenshtein_is_the_least_over_the_three_edits(s: str, t: str) -> None:
    @cache
    def least(i: int, j: int) -> int:
        if not i or not j:
            return i + j
        return min(least(i - 1, j) + 1, least(i, j - 1) + 1, least(i - 1, j - 1) + (s[i - 1] != t[j - 1]))

    assert levenshtein(s, t) == least(len(s), len(t))


@given(strings, strings, strings)
def test_edit_distances_are_metrics_and_a_replacement_is_two_edits(s: str, t: str, u: str) -> None:
    for distance in (edit, levenshtein):
        assert (distance(s, t) == 0) == (s == t)
        assert distance(s, t) == distance(t, s)
        assert distance(s, u) <= distance(s, t) + distance(t, u)
    assert levenshtein(s, t) <= edit(s, t) <= 2 * levenshtein(s, t)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), max_size=20))
def test_hamming_counts_the_places_that_differ(bits: list[tuple[int, int]]) -> None:
    x, y = [a for a, _ in bits], [b for _, b in bits]
    assert hamming(x, y) == bits.count((0, 1)) + bits.count((1, 0)) == lr_norm(x, y, 1)
    assert levenshtein(x, y) <= hamming(x, y)


@given(vectors, vectors, vectors, st.sampled_from([1, 1.5, 2, 3, math.inf]))
def test_norms_are_metrics_if_r_is_at_least_1(x: list[float], y: list[float], z: list[float], r: float) -> None:
    assert lr_norm(x, x, r) == 0
    assert lr_norm(x, y, r) == lr_norm(y, x, r)
    assert lr_norm(x, z, r) <= (lr_norm(x, y, r) + lr_norm(y, z, r)) * (1 + 1e-12)
    assert euclidean(x, y) == pytest.approx(lr_norm(x, y, 2))
    assert lr_norm(x, y, math.inf) <= euclidean(x, y) * (1 + 1e-12)


def test_a_norm_of_r_below_1_breaks_the_triangle_inequality() -> None:
    origin, corner, far = [0, 0], [1, 0], [1, 1]
    assert lr_norm(origin, far, 0.5) == 4 > lr_norm(origin, corner, 0.5) + lr_norm(corner, far, 0.5)


def test_large_differences_do_not_overflow() -> None:
    assert lr_norm([1e200], [-1e200], 3) == pytest.approx(2e200)
    assert lr_norm([1e-200, 0], [0, 0], 2) == pytest.approx(1e-200)


@given(directions, directions, directions)
def test_the_angle_is_a_metric_between_directions(x: list[float], y: list[float], z: list[float]) -> None:
    assert angle(x, y) == angle(y, x)
    assert angle(x, x) == pytest.approx(0, abs=1e-5)
    assert angle(x, [3 * a for a in x]) == pytest.approx(0, abs=1e-5)
    assert angle(x, z) <= angle(x, y) + angle(y, z) + 1e-5
    assert math.cos(math.radians(angle(x, y))) == pytest.approx(cosine(x, y), abs=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1.0, 1e200, 1e308])
def test_cosines_of_very_short_and_very_long_vectors_are_correct(scale: float) -> None:
    """Products of such numbers are 0 or infinite; opposite directions once had a cosine of 1."""
    x = [[scale, 0.0], [-scale, 0.0], [scale, scale], [0.0, scale]]
    for i, j, wanted in ((0, 1, -1.0), (0, 2, math.sqrt(0.5)), (0, 3, 0.0), (2, 2, 1.0)):
        assert cosine(x[i], x[j]) == pytest.approx(wanted, abs=1e-15)
        assert pairwise(x, measure="cosine")[i, j] == pytest.approx(wanted, abs=1e-15)


def test_one_minus_cosine_is_not_a_metric() -> None:
    x, y, z = [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]
    assert (1 - cosine(x, z)) > (1 - cosine(x, y)) + (1 - cosine(y, z))


weights = st.dictionaries(st.integers(0, 6), st.integers(0, 20).map(float), max_size=6)


@given(weights, weights, weights)
def test_weighted_jaccard_distance_is_a_metric(a: dict[int, float], b: dict[int, float], c: dict[int, float]) -> None:
    if any(a.values()) and any(b.values()) and any(c.values()):
        assert weighted_jaccard(a, b) == weighted_jaccard(b, a)
        assert (weighted_jaccard(a, b) == 1) == all(a.get(i, 0) == b.get(i, 0) for i in range(7))
        ab, bc, ac = (1 - weighted_jaccard(*pair) for pair in ((a, b), (b, c), (a, c)))
        assert ac <= ab + bc + 1e-12


@given(bags, bags, sets, sets)
def test_weighted_jaccard_of_counts_is_that_of_bags_and_of_ones_that_of_sets(
    a: list[int], b: list[int], s: set[int], t: set[int]
) -> None:
    assert weighted_jaccard(Counter(a), Counter(b)) == pytest.approx(bag_jaccard(a, b))
    assert weighted_jaccard(dict.fromkeys(s, 1.0), dict.fromkeys(t, 1.0)) == pytest.approx(jaccard(s, t))


def test_max_bag_jaccard_distance_is_a_metric_and_sum_bag_is_not() -> None:
    """By sum-bag Jaccard, the distance of a bag from itself is 1/2, not 0."""
    assert 1 - bag_jaccard("ab", "ab", union="sum") == 0.5
    assert 1 - bag_jaccard("ab", "ab") == 0


def test_containment_violates_all_laws_of_a_metric() -> None:
    """It is not symmetric, 0 for some different sets, and violates the triangle inequality with {1}, {1, 2} and {2}."""
    assert containment({1}, {1, 2}) != containment({1, 2}, {1})
    assert 1 - containment({1}, {1, 2}) == 0
    assert 1 - containment({1}, {2}) > (1 - containment({1}, {1, 2})) + (1 - containment({1, 2}, {2}))


def test_overlap_and_dice_break_the_triangle_inequality() -> None:
    a, b, c = {1}, {1, 2}, {2}
    assert 1 - overlap(a, c) > (1 - overlap(a, b)) + (1 - overlap(b, c))
    assert 1 - dice(a, c) > (1 - dice(a, b)) + (1 - dice(b, c))


def test_the_angle_ignores_lengths() -> None:
    assert angle([1, 2], [10, 20]) == pytest.approx(0, abs=1e-5)


@given(vectors, vectors)
def test_norms_by_name(x: list[float], y: list[float]) -> None:
    assert manhattan(x, y) == pytest.approx(sum(abs(a - b) for a, b in zip(x, y, strict=True)))
    assert chebyshev(x, y) == max(abs(a - b) for a, b in zip(x, y, strict=True))
    assert chebyshev(x, y) <= euclidean(x, y) * (1 + 1e-12) <= manhattan(x, y) * (1 + 1e-9) + 1e-9


SINGLE: dict[str, Callable[[Any, Any], float]] = {
    "cosine": cosine,
    "angle": angle,
    "euclidean": euclidean,
    "manhattan": manhattan,
    "chebyshev": chebyshev,
    "hamming": hamming,
    "jaccard": lambda x, y: jaccard({i for i, v in enumerate(x) if v}, {i for i, v in enumerate(y) if v}),
    "weighted jaccard": lambda x, y: weighted_jaccard(dict(enumerate(x)), dict(enumerate(y))),
}


@given(st.lists(directions, min_size=1, max_size=5), st.lists(directions, min_size=1, max_size=4), st.data())
def test_arrays_are_measured_like_single_vectors(
    x: list[list[float]], y: list[list[float]], data: st.DataObject
) -> None:
    measure = data.draw(st.sampled_from(sorted(SINGLE)))
    if "jaccard" in measure:
        x, y = ([[abs(v) if "w" in measure else float(v > 0) for v in row] for row in rows] for rows in (x, y))
    found = pairwise(x, y, measure=measure)
    wanted = [[SINGLE[measure](a, b) for b in y] for a in x]
    tolerance = 1e-5 if measure == "angle" else 1e-9
    assert found.tolist() == [pytest.approx(row, abs=tolerance) for row in wanted]
    if len(x) >= len(y):
        assert between(x[: len(y)], y, measure).tolist() == [found[i, i] for i in range(len(y))]


def test_a_value_does_not_depend_on_the_other_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    x = np.random.default_rng(0).standard_normal((40, 33))
    for measure in ("cosine", "euclidean", "manhattan"):
        whole = pairwise(x, measure=measure)
        monkeypatch.setattr("lookalike.vector_distances.BLOCK", 1)
        assert np.array_equal(pairwise(x[3:9], x[20:], measure=measure), whole[3:9, 20:])
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("x", "measure", "code", "values"),
    [
        ([[1, 2], [3]], "cosine", "not-rows-of-numbers", {"name": "x"}),
        ([1, 2], "cosine", "not-two-dimensional", {"shape": (2,)}),
        ([[1, 2], [3, math.nan]], "euclidean", "row-not-finite", {"row": 1}),
        ([[1, 2], [0, 0]], "cosine", "row-of-zeros", {"row": 1}),
        ([[1, -2]], "weighted jaccard", "row-with-negative-weight", {"row": 0}),
        ([[1, 0.5]], "jaccard", "row-not-of-bits", {"row": 0}),
        ([[1, 2]], "cosign", "not-one-of", {"option": "measure", "value": "cosign"}),
    ],
)
def test_invalid_arrays_are_refused_by_row(
    x: list[list[float]], measure: str, code: str, values: dict[str, object]
) -> None:
    with refused(code, **values):
        pairwise(x, measure=measure)
    with refused("lengths-differ", left=2, right=3):
        pairwise([[1, 2]], [[1, 2, 3]], measure="euclidean")
    with refused("shapes-differ", left=(1, 2), right=(2, 2)):
        between([[1, 2]], [[1, 2], [1, 2]], "euclidean")


@pytest.mark.parametrize(
    ("call", "code", "values"),
    [
        (lambda: weighted_jaccard({1: -1.0}, {}), "not-a-weight", {"value": -1}),
        (lambda: hamming("ab", "abc"), "lengths-differ", {"what": "sequences", "left": 2, "right": 3}),
        (lambda: euclidean([1], [1, 2]), "lengths-differ", {"what": "points"}),
        (lambda: cosine([1], [1, 2]), "lengths-differ", {"what": "vectors"}),
        (lambda: cosine([0, 0], [1, 2]), "vector-of-zeros", {}),
        (lambda: cosine([math.nan, 1], [1, 2]), "vector-not-finite", {"position": 0}),
        (lambda: cosine([1, 2], [math.inf, 1]), "vector-not-finite", {"value": math.inf}),
        (lambda: lr_norm([1], [2], 0), "not-positive", {"option": "r", "value": 0}),
        (lambda: bag_jaccard("a", "a", union="min"), "not-one-of", {"option": "union"}),  # type: ignore[arg-type]
    ],
)
def test_items_without_a_distance_are_refused(call: Callable[[], object], code: str, values: dict[str, object]) -> None:
    with refused(code, **values):
        call()
