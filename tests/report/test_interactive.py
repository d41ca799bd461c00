"""What an interactive report is made of: its counts per threshold, its listed clusters, and its script."""

from __future__ import annotations

import json

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lookalike.report.interactive import as_json, policy, script
from lookalike.report.listed import MEMBERS, first_members, highest_similarities, rows_with_excerpts
from lookalike.report.thresholds import MOST_STEPS, steps_of, thresholds
from lookalike.results.summary import Summary

PAIRS = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(0, 100).map(lambda n: n / 100)), min_size=1
)


@given(PAIRS)
def test_counts_at_each_threshold_are_those_of_the_remaining_pairs(pairs: list[tuple[int, int, float]]) -> None:
    left, right = (np.array([pair[i] for pair in pairs], np.int64) for i in (0, 1))
    similarity = np.array([pair[2] for pair in pairs])
    for step in steps_of(left, right, similarity, float(similarity.min())):
        groups: list[set[int]] = []
        kept = [{a, b} for a, b, value in pairs if value >= step.threshold - 1e-9]
        for pair in kept:
            pair = pair.union(*(group for group in groups if group & pair))
            groups = [group for group in groups if not group & pair] + [pair]
        assert (step.pairs, step.clusters) == (len(kept), len(groups))
        assert step.documents == len(set().union(*groups))


@given(st.floats(0, 1))
def test_thresholds_ascend_from_the_lowest_to_one(lowest: float) -> None:
    values = thresholds(lowest)
    assert values[0] <= lowest + 1e-6 and values[-1] == 1 and len(values) <= MOST_STEPS + 1
    assert values == sorted(values)


def test_clusters_are_listed_with_their_representative_first() -> None:
    largest = [np.arange(20), np.array([30, 31])]
    members = first_members(largest, np.array([7, 31]))
    assert [rows.tolist() for rows in members] == [[7, *range(7), 8, 9][:MEMBERS], [31, 30]]
    short = Summary(documents=40, bytes=4000)
    assert len(rows_with_excerpts(members, short)) == MEMBERS + 2
    huge = Summary(documents=40, bytes=40 * (5 << 20))
    assert rows_with_excerpts(members, huge).tolist() == [7, 31, 0]
    labels = np.arange(40)
    labels[:20], labels[31] = 0, 30
    similarity = np.array([0.5, 0.9, 0.7])
    assert highest_similarities(labels, largest, np.array([3, 4, 35]), similarity) == [0.9, None]
    assert highest_similarities(labels, largest, np.array([3]), None) == [None, None]


def test_json_cannot_end_its_element_and_is_read_back() -> None:
    value = {"</script><!--<script>": "\u2028\u2029 \r\n \x00 é 木 \U0001f600 &amp;"}
    words = str(as_json(value))
    assert "<" not in words and json.loads(words) == value


def test_the_script_has_no_import_left_and_a_hash() -> None:
    assert not any(line.startswith(("import", "export")) for line in str(script()).splitlines())
    assert policy().startswith("'sha256-")
