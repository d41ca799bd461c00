"""Star clusters: every member is similar to its representative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.engines.stages.checking import Counts
from lookalike.engines.stages.copies import unfold_pairs
from lookalike.engines.stages.survivors import PreferredCopies, from_pairs
from lookalike.flow import stars as module
from lookalike.flow.preference import Preference
from lookalike.flow.stars import first_survivors
from lookalike.flow.threshold import Threshold
from lookalike.kernel import Cpu
from lookalike.results.clusters import connected_components
from lookalike.results.pairs import Pairs
from tests.refusals import refused


@dataclass(frozen=True)
class Graph:
    """Documents in order of preference, some of them copies of earlier ones, and pairs of those that are not copies."""

    rank: list[int]
    copy_of: list[int]
    edges: list[tuple[int, int]]

    @property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        pairs = np.array(self.edges, dtype=np.int64).reshape(-1, 2)
        return np.array(self.rank, dtype=np.int64), pairs[:, 0], pairs[:, 1]

    def unfolded(self) -> set[tuple[int, int]]:
        """All pairs of rows, including pairs with copies and pairs of copies."""
        group: dict[int, list[int]] = {}
        for row, first in enumerate(self.copy_of):
            group.setdefault(first, []).append(row)
        found = {(a, b) for members in group.values() for a in members for b in members if a < b}
        for i, j in self.edges:
            found |= {(min(a, b), max(a, b)) for a in group[i] for b in group[j]}
        return found


def survivors(
    preference: Preference, first: np.ndarray, left: np.ndarray, right: np.ndarray, similarity: None
) -> tuple[np.ndarray, np.ndarray]:
    """The survivor of each row, and its similarity to it, given all similar pairs of distinct documents."""
    preferred = PreferredCopies.of(lambda lengths: preference, first, first)
    values = np.ones(len(left)) if similarity is None else similarity
    if preferred.first is not first:  # some copies were decided on, so that their own pairs matter
        left, right, unfolded = unfold_pairs(first, left, right, values)
        assert unfolded is not None
        excluded = preferred.left_out(np.zeros(len(first), dtype=bool))
        here = ~(excluded[left] | excluded[right])
        left, right, values = left[here], right[here], unfolded[here]
    documents = np.arange(len(first), dtype=np.int64)
    return preferred.for_rows(from_pairs(Cpu(), preferred.among(documents), left, right, values, Counts()))


@st.composite
def graphs(draw: st.DrawFn, copies: bool = False) -> Graph:
    rows = draw(st.integers(1, 25))
    copy_of = list(range(rows))
    if copies:
        for row in range(1, rows):
            copy_of[row] = copy_of[draw(st.integers(0, row))]
    distinct = sorted(set(copy_of))
    pairs = [(i, j) for i in distinct for j in distinct if i < j]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True, max_size=60)) if pairs else []
    return Graph(draw(st.permutations(range(rows))), copy_of, edges)


@given(graphs(), st.sampled_from([1, 3, 1 << 18]))
def test_the_fast_algorithm_equals_the_definition(graph: Graph, chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "CHUNK", chunk)
        _, left, right = graph.arrays
        found = first_survivors(len(graph.rank), left, right)
        assert found.tolist() == definitions.survivors(range(len(graph.rank)), graph.edges)


@given(graphs(copies=True), st.integers(0, 4))
def test_copies_may_be_left_out_of_the_pairs(graph: Graph, always_kept: int) -> None:
    """In the definition, copies are ordinary documents; the most preferred copy survives or none does."""
    rank, left, right = graph.arrays
    order, kept = np.argsort(rank), min(always_kept, len(rank))
    found, _ = survivors(Preference(order, kept), np.array(graph.copy_of), left, right, None)
    assert found.tolist() == definitions.survivors(order.tolist(), sorted(graph.unfolded()), kept, graph.copy_of)


@given(graphs(copies=True), st.data())
def test_decisions_hold_for_copies_too(graph: Graph, data: st.DataObject) -> None:
    """Rows that were decided on are not treated as copies: each of them has its own pairs."""
    rank, left, right = graph.arrays
    rows = st.integers(0, len(rank) - 1)
    pairs = data.draw(st.lists(st.tuples(rows, rows), max_size=3))
    alone = data.draw(st.lists(rows, max_size=2, unique=True))
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    preference = Preference(np.argsort(rank), 0, (ends[:, 0], ends[:, 1]), np.array(alone, dtype=np.int64))
    found, _ = survivors(preference, np.array(graph.copy_of), left, right, None)
    different = {(min(pair), max(pair)) for pair in pairs}
    edges = [pair for pair in sorted(graph.unfolded()) if pair not in different and not {*alone} & {*pair}]
    decided = {row for pair in pairs for row in pair}.union(alone)
    copy_of = [-row - 1 if row in decided else first for row, first in enumerate(graph.copy_of)]
    assert found.tolist() == definitions.survivors(np.argsort(rank).tolist(), edges, 0, copy_of)


@given(graphs())
def test_every_member_is_in_the_star_of_its_most_preferred_similar_centre(graph: Graph) -> None:
    rank, left, right = graph.arrays
    centre, _ = survivors(Preference(np.argsort(rank)), np.arange(len(rank)), left, right, None)
    pairs = {*graph.edges, *((j, i) for i, j in graph.edges)}
    centres = set(centre.tolist())
    for row, taken_by in enumerate(centre.tolist()):
        assert row == taken_by or (row, taken_by) in pairs, "every member is similar to its representative"
        assert rank[taken_by] <= rank[row], "which is preferred to it"
        assert centre[taken_by] == taken_by, "and is its own representative"
        others = [rank[other] for other in centres if (row, other) in pairs]
        assert all(rank[taken_by] <= other for other in others), "no other similar representative is preferred"
    assert not any((a, b) in pairs for a in centres for b in centres), "no two representatives are similar"
    components = connected_components(len(rank), left, right)
    assert (components[centre] == components).all(), "each cluster lies within a connected component"


@given(graphs(), st.randoms(use_true_random=False))
def test_the_order_of_pairs_does_not_matter(graph: Graph, random: object) -> None:
    rank, left, right = graph.arrays
    order = np.random.default_rng(0).permutation(len(left))
    preference, rows = Preference(np.argsort(rank)), np.arange(len(rank))
    one, _ = survivors(preference, rows, left, right, None)
    other, _ = survivors(preference, rows, right[order], left[order], None)
    assert (one == other).all()


def test_a_chain_is_cut_into_stars() -> None:
    """0 – 1 – 2 – 3 – 4: one connected cluster; as stars, two pairs and a singleton."""
    pairs = Pairs(np.arange(4), np.arange(1, 5), np.full(4, 0.8), Threshold("0.8"), 5)
    assert pairs.clusters().members() == [[0, 1, 2, 3, 4]]
    assert pairs.clusters("star").members() == [[0, 1], [2, 3]]
    with refused("not-one-of", option="linkage", value="ring"):
        pairs.clusters("ring")  # type: ignore[arg-type]
