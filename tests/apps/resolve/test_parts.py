"""Laws of the modules of `resolve`: the kernel against brute force, learning, grouping, kinds, settings and points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.apps.resolve import learn as learning
from lookalike.apps.resolve.columns import Column, Tokens, first_alike, normalized
from lookalike.apps.resolve.entities import average_linkage, components, one_to_one
from lookalike.apps.resolve.kinds import guess_kind
from lookalike.apps.resolve.learn import dependencies, learn
from lookalike.apps.resolve.levels import LEVELS, Weights
from lookalike.apps.resolve.points import valid_share
from lookalike.apps.resolve.settings import Field, Settings
from lookalike.apps.resolve.shares import pooled
from lookalike.kernel import Cpu
from lookalike.kernel.records import TokenRows
from tests.refusals import refused

tables = st.lists(st.sets(st.sampled_from("abcdefghij"), max_size=6), min_size=1, max_size=12)


def tokens_of(rows: list[set[str]]) -> Tokens:
    lists = pa.array([sorted(row) for row in rows], pa.large_list(pa.large_string()))
    return Tokens.of(lists, np.ones(len(rows), np.int64))


def cosines(tokens: Tokens, budget: int) -> list[list[tuple[float, int]]]:
    """Brute force: the cosines of each row with all others, over its rarest tokens up to the budget."""
    rows = [set(tokens.rows.tokens[a:b].tolist()) for a, b in zip(tokens.rows.offsets, tokens.rows.offsets[1:])]  # noqa: B905
    found = []
    for place, row in enumerate(rows):
        spent, looked = 0, set()
        for token in sorted(row):
            spent += int(tokens.frequency[token])
            if spent > budget:
                break
            looked.add(token)
        near = []
        for other, theirs in enumerate(rows):
            common = sum(tokens.weights[token] for token in sorted(looked & theirs))
            if other != place and common > 0:
                near.append((common / (tokens.lengths[place] * tokens.lengths[other]), other))
        found.append(sorted(near, key=lambda one: (-one[0], one[1])))
    return found


@given(tables, st.integers(1, 4), st.sampled_from([3, 10, 1000]), st.sampled_from([1, 3]))
def test_nearest_rows_equal_those_of_brute_force(rows: list[set[str]], top: int, budget: int, threads: int) -> None:
    tokens = tokens_of(rows)
    found = Cpu(threads).nearest_records(tokens.rows, None, tokens.weights, top=top, budget=budget)
    for place, expected in enumerate(cosines(tokens, budget)):
        here = found.left == place
        assert len(found.score[here]) == min(top, len(expected))
        assert found.score[here] == pytest.approx([score for score, _ in expected[:top]])
        for score, other in zip(found.score[here], found.right[here], strict=True):
            assert score == pytest.approx({b: a for a, b in expected}[int(other)])


@given(tables)
def test_the_shared_weight_is_that_of_common_tokens(rows: list[set[str]]) -> None:
    tokens = tokens_of(rows)
    left, right = (side.ravel().astype(np.int64) for side in np.indices((len(rows), len(rows))))
    weight = dict(zip(tokens.names.tolist(), tokens.weights.tolist(), strict=True))
    expected = [sum(weight[token] for token in rows[a] & rows[b]) for a, b in zip(left, right, strict=True)]
    assert Cpu().shared_weights(tokens.rows, tokens.rows, tokens.weights, left, right) == pytest.approx(expected)


def test_the_kernel_refuses_tokens_without_weight() -> None:
    rows = TokenRows(np.array([0, 1]), np.array([5], np.uint32))
    with pytest.raises(ValueError, match="must have a weight"):
        Cpu().nearest_records(rows, None, np.ones(2), top=1, budget=9)


shares = st.lists(st.floats(0.001, 1), min_size=LEVELS, max_size=LEVELS).map(np.array)


@given(shares, shares)
def test_pooled_shares_never_fall_and_keep_their_sum(m: np.ndarray, u: np.ndarray) -> None:
    found = pooled(m, u)
    assert found.sum() == pytest.approx(m.sum()) and np.all(np.diff(found / u) >= -1e-9)


def test_planted_matches_are_learned() -> None:
    """3,000 pairs, a tenth of them matches, four fields that agree in 90 % of the matches and in 5 % of the others."""
    draw = np.random.default_rng(0)
    match = draw.random(3000) < 0.1
    agree = draw.random((3000, 4)) < np.where(match, 0.9, 0.05)[:, None]
    levels = np.where(agree, LEVELS - 1, draw.integers(0, 5, (3000, 4))).astype(np.int8)
    weights = learn(levels, [False] * 4, None)
    assert np.mean((weights.score(levels) > 0) == match) > 0.98
    assert weights.matches == pytest.approx(match.sum(), rel=0.1)


def test_relatives_are_distinguished_from_matches() -> None:
    """Of 10,000 pairs, 2 % match in six fields, 10 % are relatives that agree in four, and the rest agree in none."""
    draw = np.random.default_rng(1)
    group = draw.choice(3, 10_000, p=[0.88, 0.1, 0.02])
    chance = np.array([[0.05] * 6, [0.9] * 4 + [0.05] * 2, [0.9] * 6])[group]
    agree = draw.random((10_000, 6)) < chance
    levels = np.where(agree, LEVELS - 1, draw.integers(0, 5, (10_000, 6))).astype(np.int8)
    weights = learn(levels, [False] * 6, None)
    assert weights.r is not None and weights.relatives == pytest.approx(0.1, rel=0.15)
    assert weights.matches == pytest.approx((group == 2).sum(), rel=0.15)
    found = weights.score(levels) > 0
    right = (found & (group == 2)).sum()
    assert right >= 0.8 * (group == 2).sum() and right >= 0.9 * found.sum()


def test_matches_with_errors_are_not_relatives() -> None:
    """One match in five has two wrong fields; these are fewer than the other matches."""
    draw = np.random.default_rng(2)
    match, moved = draw.random(5000) < 0.1, draw.random(5000) < 0.2
    chance = np.where(match[:, None], 0.95, 0.02) * np.ones(6)
    chance[match & moved, 4:] = 0.02
    levels = np.where(draw.random((5000, 6)) < chance, LEVELS - 1, draw.integers(0, 5, (5000, 6))).astype(np.int8)
    weights = learn(levels, [False] * 6, None)
    assert weights.r is None and np.mean((weights.score(levels) > 0) == match) > 0.98


edges = st.lists(st.tuples(st.integers(0, 9), st.integers(10, 19), st.floats(-5, 5)), max_size=30)


@given(edges)
def test_one_to_one_matches_are_unique_and_maximal(pairs: list[tuple[int, int, float]]) -> None:
    left, right = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    kept = one_to_one(left, right, np.array([pair[2] for pair in pairs]))
    assert len(set(left[kept])) == len(kept) == len(set(right[kept]))
    taken = set(left[kept]) | set(right[kept])
    assert all(a in taken or b in taken for a, b, _ in pairs)


@given(
    st.integers(2, 7).flatmap(
        lambda n: st.lists(st.floats(-9, 9), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2)
    )
)
def test_groups_match_on_average_and_contain_every_member_once(scores: list[float]) -> None:
    n = int((1 + (1 + 8 * len(scores)) ** 0.5) / 2)
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = scores
    groups = average_linkage(np.arange(n), np.array(scores))
    assert sorted(member for group in groups for member in group) == list(range(n))
    for group in groups:
        inside = [matrix[a, b] for a in group for b in group if a < b]
        assert not inside or np.mean(inside) > 0


def test_a_chain_is_not_an_entity() -> None:
    assert average_linkage(np.arange(3), np.array([4.0, -9.0, 3.0])) == [[0, 1], [2]]


def test_a_large_group_is_cut_at_its_weakest_links() -> None:
    n = 400
    left = np.concatenate([np.arange(n - 1), np.arange(n - 1)])
    right = left + 1
    score = np.where(left == n // 2, 0.1, 5.0) + left * 1e-6
    groups = components(n, left, right, score)
    assert all(2 <= len(group) <= 300 for group in groups)


def test_a_large_group_of_equal_links_loses_no_member() -> None:
    """A chain of 900 with equal links, and one of 400 in which two links in three are equally weak."""
    left = np.concatenate([np.arange(899), 900 + np.arange(399)])
    score = np.where((left >= 900) & (left % 3 > 0), 1.0, 5.0)
    groups = components(1300, left, left + 1, score)
    assert max(map(len, groups)) <= 300
    assert np.concatenate([group for group in groups if group[0] < 900]).tolist() == list(range(900))
    assert [group.tolist() for group in groups if group[0] >= 900] == [[a, a + 1] for a in range(900, 1299, 3)]


values = st.lists(st.tuples(*[st.sampled_from(["ab", "Ab", "c", None])] * 3), min_size=1, max_size=20)


@given(values)
def test_equal_records_are_found_by_their_values(rows: list[tuple[str | None, ...]]) -> None:
    texts = [pa.array(column, pa.large_string()) for column in zip(*rows, strict=True)]
    plain = [tuple(text and text.lower() for text in row) for row in rows]
    assert first_alike([Column.of("x", each) for each in texts]).tolist() == [plain.index(row) for row in plain]


@given(st.lists(st.integers(1, 3), min_size=2, max_size=4).flatmap(
    lambda many: st.tuples(st.just(many), st.lists(st.sampled_from([-9.0, -2, 1, 3, 7]), min_size=6, max_size=6))
))  # fmt: skip
def test_a_weighted_member_is_grouped_like_its_copies(given: tuple[list[int], list[float]]) -> None:
    many, scores = given
    n = len(many)
    once = np.zeros((n, n))
    once[np.triu_indices(n, 1)] = np.array(scores[: n * (n - 1) // 2]) + np.arange(n * (n - 1) // 2) / 100
    once += once.T + 100 * np.eye(n)  # copies are nearer to each other than to anything else
    copies = np.repeat(np.arange(n), many)
    apart = average_linkage(np.arange(len(copies)), once[np.ix_(copies, copies)][np.triu_indices(len(copies), 1)])
    together = average_linkage(np.arange(n), once[np.triu_indices(n, 1)], np.array(many))
    assert {frozenset(copies[group].tolist()) for group in apart} == {frozenset(group) for group in together}


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("born", ["1970-03-01", "1988-11-30", "2001-01-07"], "date"),
        ("born", ["19700301", "19881130", "20010107"], "date"),
        ("born", ["31/12/1999", "1/2/2003"], "date"),
        ("year", ["1999", "2003", "1987"], "number"),
        ("price", ["$19.99", "5.00", "1,299.00"], "number"),
        ("postcode", ["4011", "0821", "2776"], "code"),
        ("model", ["PSLX350H", "AM53BK", "EZXS88W"], "code"),
        ("phone", ["404/231-1368", "(212) 677-0606"], "phone"),
        ("surname", ["smith", "van der berg", "o'neil"], "name"),
        ("street", ["12 Main Street", "4 Oak Avenue"], "address"),
        ("title", ["On the theory of record linkage and its many applications in practice"] * 2, "text"),
        ("rec_id", ["rec-1-org", "rec-2-org"], "id"),
        ("id", ["0", "1", "2", "3"], "id"),
        ("customer_no", ["90417", "10332", "55120"], "id"),
        ("CustomerNo", ["C90417", "C10332", "C55120"], "id"),
        ("patient number", ["90417", "10332", "55120"], "id"),
        ("phone_no", ["90417", "10332", "55120"], "code"),
        ("house_no", ["90417", "10332", "55120"], "code"),
    ],
)
def test_kinds_are_guessed_from_values(name: str, values: list[str], kind: str) -> None:
    column = pa.array(values, pa.large_string())
    assert guess_kind(name, column, [column]) == kind


@given(st.text())
def test_normalising_twice_changes_nothing(text: str) -> None:
    once = normalized(pa.array([text], pa.large_string()))
    assert normalized(once).equals(once)


def test_dates_and_numbers_have_one_notation() -> None:
    column = Column.of("born", pa.array(["1999-12-31", "31.12.1999", None], pa.large_string()), "date")
    assert column.codes.tolist() == [0, 0, -1]
    column = Column.of("price", pa.array(["$1,299.00", "1299", "free"], pa.large_string()), "number")
    assert column.codes.tolist() == [0, 0, -1]


names = st.text(min_size=1, max_size=8)


@given(st.lists(names, min_size=1, max_size=3, unique=True), st.floats(0, 1))
def test_settings_survive_saving(fields: list[str], threshold: float) -> None:
    settings = Settings(tuple(Field(name, "text") for name in fields), ("other",), threshold=threshold)
    back = Settings.from_toml(settings.to_toml())
    assert (back.fields, back.threshold, back.ignored) == (settings.fields, settings.threshold, settings.ignored)


@pytest.mark.parametrize(
    ("found", "put", "code", "values"),
    [
        ('name = "a"', "name = 5", "field-name-not-a-string", {"value": 5}),
        ('name = "a"', 'name = ["x"]', "field-name-not-a-string", {"value": ("x",)}),
        ('name = "a"', 'name = "b"', "repeated-field", {"field": "b"}),
        ('right = "c"', "right = 7", "field-right-name-not-a-string", {"field": "a", "value": 7}),
        ('kind = "text"', 'kind = ["text"]', "unknown-field-kind", {"field": "a", "value": ("text",)}),
        ("one_to_one = true", 'one_to_one = "x"', "not-true-or-false", {"option": "one_to_one", "value": "x"}),
        ("threshold = 0.5", 'threshold = "0.5"', "record-threshold-out-of-range", {"most": 1}),
        ("odds = 0.5", "odds = 0", "settings-number-not-positive", {"name": "odds", "value": 0}),
        ("odds = 0.5", "odds = -1", "settings-number-not-positive", {"value": -1}),
        ("odds = 0.5", "odds = nan", "settings-number-not-positive", {"name": "odds"}),
        ("odds = 0.5", 'odds = "x"', "settings-number-not-positive", {"value": "x"}),
        ("matches = 9.0", "matches = -1", "settings-number-negative", {"name": "matches", "value": -1}),
        ("relatives = 0.25", "relatives = 1", "settings-share-out-of-range", {"name": "relatives", "value": 1}),
    ],
)
def test_invalid_settings_are_refused(found: str, put: str, code: str, values: dict[str, Any]) -> None:
    shares = np.full((3, 3, LEVELS), 1 / LEVELS)
    weights = Weights(shares, shares, (-1,) * 3, (LEVELS,) * 3, 0.5, 9.0, shares, 0.25)
    fields = Field("a", "text", "c"), Field("b", "text")
    text = Settings(fields, one_to_one=True, weights=weights).to_toml()
    back = Settings.from_toml(text).weights
    assert found in text and back is not None and (back.odds, back.matches) == (0.5, 9.0)
    with refused(code, **values):
        Settings.from_toml(text.replace(found, put, 1))


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_weights_survive_saving(seed: int, related: bool) -> None:
    m, u, r = np.random.default_rng(seed).dirichlet(np.ones(LEVELS), (3, 2, 3)) + 1e-6
    m[0, 1:], u[0, 1:], r[0, 1:] = m[0, 0], u[0, 0], r[0, 0]  # the first depends on no field
    more = {"r": r, "relatives": 0.25} if related else {}
    weights = Weights(m, u, (-1, 0), (5, LEVELS), 0.125, 7.0, **more)
    settings = Settings((Field("a", "text"), Field("b", "code")), weights=weights)
    back = Settings.from_toml(settings.to_toml()).weights
    levels = np.random.default_rng(seed).integers(-1, LEVELS, (9, 2)).astype(np.int8)
    assert back is not None and back.score(levels).tolist() == weights.score(levels).tolist()


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ('rival = "mu"', "[rival]"),
        ('field = "mu"', "[[field]]"),
        ("field = 5", "[[field]]"),
        ("field = [1]", "[[field]]"),
    ],
)
def test_values_instead_of_sections_in_settings_are_refused(line: str, section: str) -> None:
    with refused("settings-section-expected", section=section):
        Settings.from_toml(line)


def test_the_textbook_example_of_an_independent_date() -> None:
    """Known matches differ by 10 days on average, random pairs by 45: (45 − x) / 35 of a group are valid."""
    assert valid_share(10, 10, 45) == 1 and valid_share(45, 10, 45) == 0
    assert valid_share(24, 10, 45) == pytest.approx((45 - 24) / 35)


def tree_by_definition(states: np.ndarray[Any, Any], weight: np.ndarray[Any, Any]) -> tuple[int, ...]:
    """The tree with the most mutual information, field by field: the slow twin of `dependencies`."""
    fields = states.shape[1]
    information = np.zeros((fields, fields))
    for a in range(fields):
        for b in range(a):
            table = np.zeros((2, 2))
            for row, w in zip(states.tolist(), weight.tolist(), strict=True):
                if row[a] and row[b]:
                    table[row[a] - 1, row[b] - 1] += w
            share = (table + 0.5) / (table + 0.5).sum()
            independent = share.sum(axis=1, keepdims=True) * share.sum(axis=0, keepdims=True)
            information[a, b] = information[b, a] = (share * np.log(share / independent)).sum() * table.sum()
    parents, inside = [-1] * fields, [int(information.sum(axis=1).argmax())]
    while len(inside) < fields:
        _, a, b = max((information[a, b], -a, -b) for a in inside for b in range(fields) if b not in inside)
        parents[-b] = -a
        inside.append(-b)
    return tuple(parents)


@given(st.data(), st.integers(3, 9), st.integers(0, 12), st.sampled_from([1, 30, 1 << 16]))
def test_the_tree_of_dependencies_is_that_of_the_definition(
    data: st.DataObject, fields: int, pairs: int, block: int
) -> None:
    """Its time grew with the fourth power of the number of fields. Equal columns are ties."""
    column = st.lists(st.integers(0, 2), min_size=pairs, max_size=pairs)
    distinct = data.draw(st.lists(column, min_size=1, max_size=fields))
    chosen = data.draw(st.lists(st.sampled_from(distinct), min_size=fields, max_size=fields))
    states = np.array(chosen, np.int64).reshape(fields, pairs).T
    weight = np.array(data.draw(st.lists(st.floats(0, 1), min_size=pairs, max_size=pairs)), np.float64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(learning, "BLOCK", block)
        assert dependencies(states, weight) == tree_by_definition(states, weight)
