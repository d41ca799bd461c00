"""The verb `join` accepts any data on either side and returns exactly the requested pairs, with the ids of both."""

from __future__ import annotations

import subprocess
import sys
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike import distances
from lookalike.errors import MalformedInput
from lookalike.flow.threshold import Threshold
from lookalike.joins import all_pairs
from lookalike.joins.measures import Hamming, Measure, Shared, similarity_measure
from lookalike.joins.sources import BLANK
from lookalike.text.unicode import is_space
from tests.joins.strategies import collections, measures, thresholds
from tests.refusals import refused

rows = collections(most=8)


def asked(measure: Measure) -> dict[str, Any]:
    """The arguments of `join` for a measure."""
    if isinstance(measure, Hamming):
        return {"measure": measure.name, "distance": measure.numerator}
    if isinstance(measure, Shared):
        return {"measure": measure.name, "threshold": measure.numerator}
    # thresholds are decimals, so that their fractions can be written out
    return {"measure": measure.name, "threshold": f"{float(measure.threshold):.9f}"}


def pairs(found: la.Matches) -> list[tuple[int, int]]:
    return list(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True))


@given(rows, measures())
def test_lists_of_tokens_joined_with_themselves(sets: list[list[int]], measure: Measure) -> None:
    if sets:
        assert pairs(la.join(sets, **asked(measure))) == [(i, j) for i, j, _ in all_pairs(sets, measure=measure)]


@given(rows, rows, measures())
def test_two_lists_of_tokens_joined(left: list[list[int]], right: list[list[int]], measure: Measure) -> None:
    if left and right:
        wanted = [(i, j) for i, j, _ in all_pairs(left, right, measure=measure)]
        assert pairs(la.join(left, right, **asked(measure))) == wanted


@given(rows, thresholds)
def test_find_pairs_with_a_recall_of_one_is_the_exact_join(sets: list[list[int]], threshold: str) -> None:
    if sets:
        found = la.find_pairs(sets, threshold=threshold, recall=1.0)
        wanted = all_pairs(sets, measure=similarity_measure("jaccard", threshold))
        assert list(zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True)) == [
            (i, j) for i, j, _ in wanted
        ]


bags = st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=6), min_size=1, max_size=8)


@given(bags, st.sampled_from(["0.1", "0.25", "0.333333333", "0.4", "0.5"]))
def test_bags_are_joined_in_both_definitions(sets: list[list[int]], threshold: str) -> None:
    for measure, union in (("sum-bag", "sum"), ("jaccard", "max")):
        found = la.join(sets, measure=measure, threshold=threshold, bag=True)
        likeness = {
            (i, j): distances.bag_jaccard_fraction(sets[i], sets[j], union=union)  # type: ignore[arg-type]
            for i, j in combinations(range(len(sets)), 2)
        }
        assert pairs(found) == [pair for pair, value in likeness.items() if value >= Threshold(threshold).value]
        assert found.similarity is not None and found.similarity.tolist() == [
            float(likeness[pair]) for pair in pairs(found)
        ]


@given(bags, bags, st.sampled_from(["0.1", "0.25", "0.333333333", "0.4", "0.5"]), st.integers(1, 3))
def test_bags_of_two_collections_and_the_nearest_of_each(
    left: list[list[int]], right: list[list[int]], threshold: str, top: int
) -> None:
    likeness = {
        (i, j): distances.bag_jaccard_fraction(left[i], right[j], union="sum")
        for i, j in product(range(len(left)), range(len(right)))
    }
    reached = [pair for pair, value in likeness.items() if value >= Threshold(threshold).value]
    assert pairs(la.join(left, right, measure="sum-bag", threshold=threshold)) == reached
    some = [pair for pair, value in likeness.items() if value]
    nearest = [sorted((p for p in some if p[0] == i), key=lambda p: (-likeness[p], p))[:top] for i in range(len(left))]
    assert pairs(la.join(left, right, measure="sum-bag", top=top)) == sorted(pair for few in nearest for pair in few)


def test_shared_is_a_count_and_overlap_a_share() -> None:
    sets = [["a", "b", "c"], ["a", "b", "x", "y", "z"], ["c"]]
    assert list(la.join(sets, measure="shared", threshold=2)) == [(0, 1, 2.0)]
    assert list(la.join(sets, measure="shared", threshold="1")) == [(0, 1, 2.0), (0, 2, 1.0)]
    assert list(la.join(sets, measure="overlap", threshold=1)) == [(0, 2, 1.0)]
    assert list(la.join(sets, measure="shared", top=1)) == [(0, 1, 2.0), (1, 0, 2.0), (2, 0, 1.0)]
    assert list(la.join([["a"] * 3, ["a"] * 2], measure="shared", threshold=2, bag=True)) == [(0, 1, 2.0)]


words = st.lists(st.text(alphabet="ab ", min_size=1, max_size=8), min_size=1, max_size=8)


@given(words, words, st.integers(0, 3), st.integers(1, 3))
def test_the_nearest_strings_of_each_left_row(left: list[str], right: list[str], most: int, top: int) -> None:
    found = la.join(left, right, measure="levenshtein", distance=most, top=top)
    wanted = []
    for i in range(len(left)):
        filled = [j for j in range(len(right)) if right[j].strip() and left[i].strip()]
        near = sorted((distances.levenshtein(left[i], right[j]), j) for j in filled)
        wanted += sorted((i, j) for d, j in near[:top] if d <= most)
    assert pairs(found) == wanted


def test_ids_of_both_sides_are_returned() -> None:
    left = pa.table({"key": ["a", "b"], "tags": [["x", "y"], ["z"]]})
    right = [{"nr": 7, "words": ["z"]}, {"nr": 8, "words": ["y", "x", "w"]}]
    found = la.join(left, right, column="tags", id="key", right_column="words", right_id="nr", threshold=0.6)
    assert found.to_arrow().to_pylist() == [
        {"left": "a", "right": 8, "similarity": 2 / 3},
        {"left": "b", "right": 7, "similarity": 1.0},
    ]
    assert found.top(1) == [("b", 7, 1.0)]
    assert pa.table(found).equals(found.to_arrow())
    assert repr(found) == "Matches(2 by jaccard of 0.6 or more, of 2 × 2 documents)"
    with refused("clusters-of-two-collections"):
        found.clusters()


def test_texts_are_cut_alike_on_both_sides() -> None:
    """`auto` chooses by the left side. A short right text is cut the same way, or nothing would be shared."""
    story = " ".join(f"word{i}" for i in range(200))
    found = la.join([story], [story.upper(), "word1 word2"], threshold=0.9)
    assert list(found) == [(0, 0, 1.0)]
    assert 'kind = "words"' in found.rules


def test_strings_are_not_normalised_by_default() -> None:
    names = ["Zoë", "ZOË", "zoe"]
    assert list(la.join(names, measure="levenshtein", distance=1)) == []
    assert list(la.join(names, measure="levenshtein", distance=1, case="fold")) == [(0, 1, 0), (0, 2, 1), (1, 2, 1)]


def test_pairs_within_a_collection_make_clusters() -> None:
    found = la.join(["anna", "anne", "annes", "bert"], measure="levenshtein", distance=1)
    assert found.clusters().members() == [[0, 1, 2]]
    assert found.similarity is not None and found.similarity.tolist() == [0.75, 0.8]


def test_containment_of_the_left_in_the_right() -> None:
    assert list(la.join([["a", "b"]], [["a", "b", "c"], ["a"]], measure="containment")) == [(0, 0, 1.0)]
    assert list(la.join([["a", "b"], ["a", "b", "c"]], measure="containment", threshold=0.6)) == [
        (0, 1, 1.0), (1, 0, 2 / 3),
    ]  # fmt: skip


def test_empty_rows_are_in_no_pair_and_are_counted() -> None:
    found = la.join([[], ["a"], None, []], measure="hamming", distance=5)
    assert len(found) == 0 and found.summary.empty == 3
    found = la.join(["", "a", None], measure="edit", distance=5)
    assert len(found) == 0 and found.summary.empty == 2


@pytest.mark.parametrize("engine", ["local", "reference"])
@pytest.mark.parametrize(("measure", "bounds"), [("jaccard", {"threshold": 0.1}), ("edit", {"distance": 9})])
def test_a_text_of_white_space_is_empty_by_every_measure(engine: Any, measure: Any, bounds: Any) -> None:
    """Strings of white space were near each other by `edit`, but similar to nothing by `jaccard`."""
    blank = ["\u2003\t", " ", "\x85\u00a0\n", "\u3000\u2029"]
    found = la.join([*blank, "ab", "ab"], measure=measure, engine=engine, **bounds)
    assert [pair[:2] for pair in found] == [(4, 5)] and found.summary.empty == 4
    assert len(la.join(blank, measure=measure, engine=engine, **bounds)) == 0


def test_exactly_the_characters_of_white_space_are_blank() -> None:
    characters = [chr(code) for code in range(0x3100) if not 0xD800 <= code < 0xE000]
    blank = pc.match_substring_regex(pa.array(characters), BLANK).to_pylist()
    assert blank == [is_space(ord(character)) for character in characters]


def test_joining_nothing_gives_nothing() -> None:
    assert list(la.join([], threshold=0.5)) == []
    assert list(la.join([], [], measure="edit", distance=1)) == []
    assert list(la.join([["a"]], [], top=3)) == []
    assert list(la.join([], [["a"]])) == []
    assert list(la.join([None, None], [["a"]])) == []


def test_files_are_joined_with_data(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("name\nJon Smith\n", encoding="utf-8")
    assert list(la.join(tmp_path / "a.csv", ["John Smith"], column="name", measure="edit", distance=1)) == [(0, 0, 1)]


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ({"measure": "tanimoto"}, "not-one-of"),
        ({"threshold": 1.5}, "not-a-share"),
        ({"measure": "cosine", "distance": 1}, "distance-of-a-similarity"),
        ({"measure": "hamming", "threshold": 0.5}, "threshold-of-a-distance"),
        ({"measure": "hamming"}, "missing-distance"),
        ({"measure": "edit", "distance": -1}, "not-in-whole-range"),
        ({"top": True}, "not-a-whole-number"),
        ({"measure": "shared"}, "missing-shared-count"),
        ({"measure": "shared", "threshold": 0.8}, "not-a-shared-count"),
        ({"measure": "shared", "threshold": 0}, "not-a-shared-count"),
        ({"measure": "shared", "threshold": True}, "not-a-shared-count"),
        ({"measure": "shared", "threshold": "9" * 50}, "not-a-shared-count"),
        ({"measure": "shared", "distance": 2}, "distance-of-a-similarity"),
        ({"measure": "sum-bag", "threshold": 0.51}, "sum-bag-above-half"),
        ({"measure": "sum-bag", "bag": False}, "sum-bag-of-sets"),
        ({"measure": "edit", "distance": 1, "shingles": "words:2"}, "not-for-strings"),
        ({"recall": 0.9}, "unknown-option"),
        ({"right": [["a"]]}, "texts-against-tokens"),
    ],
)
def test_invalid_joins_are_refused(call: dict[str, Any], code: str) -> None:
    with refused(code):
        la.join(["some text"], **call)


def test_edit_distances_of_tokens_are_refused() -> None:
    with refused("edit-distance-of-tokens"):
        la.join([["a", "b"]], measure="edit", distance=1)


def test_sets_of_several_types_are_refused_by_row() -> None:
    with pytest.raises(MalformedInput) as refusal:
        la.join([["a", 1], ["a", 1.5]], threshold=0.5)
    assert "row 1" in str(refusal.value)


def test_only_strings_need_rapidfuzz() -> None:
    code = "import sys, lookalike as la; la.join([['a'], ['a']]); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not any(name.startswith("rapidfuzz") for name in done.stdout.split())


def test_every_pair_of_two_collections_is_compared_once() -> None:
    found = la.join([["a"], ["a"]], [["a"], ["a"], ["b"]], threshold=1)
    assert pairs(found) == [*product(range(2), range(2))]
