"""Star clusters: every member is similar to its representative."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.engines.reference import definitions
from lookalike.flow import stars as module
from lookalike.flow.stars import star_centres, star_labels
from lookalike.flow.threshold import Threshold
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
        rank, left, right = graph.arrays
        found = star_labels(rank, left, right, np.arange(len(rank)))
        assert found.tolist() == definitions.stars(np.argsort(rank).tolist(), graph.edges)


@given(graphs(copies=True))
def test_copies_may_be_left_out_of_the_pairs(graph: Graph) -> None:
    """In the definition, copies are ordinary documents; all are in the cluster of the most preferred copy."""
    rank, left, right = graph.arrays
    found = star_labels(rank, left, right, np.array(graph.copy_of))
    assert found.tolist() == definitions.stars(np.argsort(rank).tolist(), sorted(graph.unfolded()))


@given(graphs())
def test_every_member_is_in_the_star_of_its_most_preferred_similar_centre(graph: Graph) -> None:
    rank, left, right = graph.arrays
    centre = star_centres(rank, left, right)
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
    assert (star_centres(rank, left, right) == star_centres(rank, right[order], left[order])).all()


def test_a_chain_is_cut_into_stars() -> None:
    """0 – 1 – 2 – 3 – 4: one connected cluster; as stars, two pairs and a singleton."""
    pairs = Pairs(np.arange(4), np.arange(1, 5), np.full(4, 0.8), Threshold("0.8"), 5)
    assert pairs.clusters().members() == [[0, 1, 2, 3, 4]]
    assert pairs.clusters("star").members() == [[0, 1], [2, 3]]
    with refused("not-one-of", option="linkage", value="ring"):
        pairs.clusters("ring")  # type: ignore[arg-type]
