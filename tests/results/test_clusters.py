"""Clusters: components, sizes, representatives."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lookalike.results.clusters import Clusters, connected_components

graphs = st.integers(1, 30).flatmap(
    lambda n: st.tuples(st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=60))
)


@given(graphs)
def test_components_equal_those_found_by_walking_the_graph(graph: tuple[int, list[tuple[int, int]]]) -> None:
    rows, edges = graph
    labels = connected_components(
        rows, np.array([a for a, _ in edges], dtype=np.int64), np.array([b for _, b in edges], dtype=np.int64)
    )
    for start in range(rows):
        reached, frontier = {start}, [start]
        while frontier:
            here = frontier.pop()
            for a, b in edges:
                for there in {a, b} - reached if here in (a, b) else ():
                    reached.add(there)
                    frontier.append(there)
        assert labels[start] == min(reached)


def test_a_cluster_table_has_a_row_for_every_document() -> None:
    clusters = Clusters(np.array([0, 1, 0, 3, 3, 0]), np.array([2, 1, 2, 3, 3, 2]), pa.array(list("abcdef")))
    assert clusters.to_arrow().to_pydict() == {
        "id": list("abcdef"),
        "cluster": [0, 1, 0, 2, 2, 0],
        "size": [3, 1, 3, 2, 2, 3],
        "representative": ["c", "b", "c", "d", "d", "c"],
    }
    assert clusters.sizes() == {1: 1, 2: 1, 3: 1}
    assert clusters.members() == [["a", "c", "f"], ["d", "e"]]
    assert clusters.representatives() == ["b", "c", "d"]
    assert len(clusters) == 2


def test_no_documents_make_no_clusters() -> None:
    clusters = Clusters(np.zeros(0, dtype=np.int64))
    assert len(clusters) == 0 and clusters.sizes() == {} and clusters.to_arrow().num_rows == 0
