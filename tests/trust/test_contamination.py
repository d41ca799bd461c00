"""`contamination` agrees with its definition for every test document and any size of blocks."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.flow.threshold import Threshold
from lookalike.io.open import open_source
from lookalike.joins import blocks
from lookalike.report.leaks import render_leaks
from lookalike.storage.budget import resident
from lookalike.trust import contamination as module
from tests.joins.strategies import collections, shingles, thresholds
from tests.refusals import refused


@given(collections(), collections(), thresholds, st.integers(1, 3), st.booleans())
def test_all_counts_equal_those_of_brute_force(
    train: list[list[int]], test: list[list[int]], threshold: str, top: int, small: bool
) -> None:
    least = Threshold(threshold).value
    with pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr(blocks, "BLOCK", 1)
            patch.setattr(module, "size_of", lambda sets: 1)
        found = la.contamination(train, test, threshold=threshold, shingles="tokens", top=top, batch_rows=3)
    sets, others = [{*one} for one in test], [{*one} for one in train]
    everything = set().union(*others)
    wanted: list[tuple[int, int | None]] = []
    for row, one in enumerate(sets):
        near = [(-Fraction(len(one & other), len(one)), j) for j, other in enumerate(others) if one & other]
        kept = sorted(pair for pair in near if -pair[0] >= least)[:top]
        wanted += sorted((row, j) for _, j in kept)
        if one and not kept and Fraction(len(one & everything), len(one)) >= least:
            wanted.append((row, None))
    rows = found.table.to_pylist()
    assert [(row["test"], row["train"]) for row in rows] == wanted
    for row in rows:
        one = sets[row["test"]]
        assert row["covered"] == len(one & everything) / len(one)
        if row["train"] is not None:
            other = others[row["train"]]
            assert row["containment"] == len(one & other) / len(one)
            assert row["resemblance"] == len(one & other) / len(one | other)
    assert found.touched == sum(bool(one & everything) for one in sets)
    assert found.contained == len({row for row, j in wanted if j is not None})
    assert len(found) == len({row for row, _ in wanted})
    assert (found.test, found.train) == (len(test), len(train))


@given(collections(), collections())
def test_covered_elements_count_once(held: list[list[int]], passing: list[list[int]]) -> None:
    coverage = module.Coverage(shingles(held))
    for block in coverage.passing([shingles([one]) for one in passing]):
        assert block is not None
    everything = {element for one in passing for element in one}
    assert coverage.counts().tolist() == [len({*one} & everything) for one in held]


def test_resemblance_at_the_threshold_is_containment_too() -> None:
    """Since |A∩B| / |A∪B| ≤ |A∩B| / |A|, one join finds both."""
    rng = np.random.default_rng(1)
    sets = [rng.choice(30, rng.integers(5, 20), replace=False).tolist() for _ in range(60)]
    alike = {(i, j) for i, j, _ in la.join(sets[:30], sets[30:], threshold=0.3)}
    inside = {(i, j) for i, j, _ in la.join(sets[:30], sets[30:], measure="containment", threshold=0.3)}
    assert alike and alike < inside


def test_a_quoted_question_is_found_with_its_passage(tmp_path: Path) -> None:
    question = "how many ferries of the northern line stay in port on a day with a storm from the west"
    page = " ".join(f"word{i}" for i in range(300)) + f" {question.upper()}? nobody knew."
    (tmp_path / "train.jsonl").write_text(
        f'{{"key": 1, "body": "x"}}\n{{"key": 2, "body": "{page}"}}\n', encoding="utf-8"
    )
    found = la.contamination(
        tmp_path / "train.jsonl", [{"nr": 5, "q": question}], column="body", id="key", test_column="q", test_id="nr"
    )
    (row,) = found.table.to_pylist()
    assert (row["test"], row["train"], row["containment"], row["passage"]) == (5, 2, 1, question)
    assert row["resemblance"] < 0.1 and (found.contained, found.resembling, found.short) == (1, 0, 0)
    assert repr(found) == "Contamination(1 of 1 test documents, by 0.8 or more of their words:8)"


def test_a_text_assembled_from_several_documents_is_covered_but_not_contained() -> None:
    words = [f"w{i}" for i in range(40)]
    found = la.contamination([" ".join(words[:24]), " ".join(words[16:])], [" ".join(words)], shingles="words:8")
    (row,) = found.table.to_pylist()
    assert (row["train"], row["containment"], row["passage"], row["covered"]) == (None, None, None, 1)
    assert (found.contained, found.covered, found.touched) == (0, 1, 1)


def test_short_texts_are_counted_and_only_found_as_a_whole() -> None:
    found = la.contamination(["the cat sat and slept all day long today", "The cat."], ["the cat", "sat and slept"])
    assert found.short == 2 and found.table["train"].to_pylist() == [1]


def test_lists_of_tokens_are_cut_into_runs_of_eight() -> None:
    tokens = [*map(str, range(20))]
    found = la.contamination([tokens], [tokens[3:15], tokens[::-1]])
    assert str(found.shingles) == "tokens:8" and found.table["test"].to_pylist() == [0]


@pytest.mark.parametrize(
    ("call", "code", "values"),
    [
        ({"threshold": 80}, "not-a-share", {"option": "threshold", "meant": "0.8"}),
        ({"top": 0}, "not-a-whole-number", {"option": "top", "least": 1}),
        ({"shingles": "nope"}, "no-such-shingles", {"value": "nope"}),
        ({"recall": 1}, "unknown-option", {"verb": "contamination", "option": "recall"}),
        ({"threads": 0}, "not-in-whole-range", {"option": "threads"}),
        ({"test_column": 7}, "not-a-column-name", {"value": 7}),
    ],
)
def test_invalid_options_are_refused(call: dict[str, Any], code: str, values: dict[str, Any]) -> None:
    with refused(code, **values):
        la.contamination(["a"], ["b"], **call)


def test_empty_data_gives_an_empty_result() -> None:
    for train, test in (([], []), (["a b"], []), ([], ["a b"]), ([""], [""])):
        found = la.contamination(train, test)
        assert len(found) == 0 and found.table.num_rows == 0


def test_resemblance_does_not_depend_on_the_order_of_the_training_data() -> None:
    """The nearest document by containment need not be the one that resembles the test document."""
    text = " ".join(f"w{i}" for i in range(30))
    longer = text + " " + " ".join(f"x{i}" for i in range(300))
    for train in ([longer, text], [text, longer]):
        found = la.contamination(train, [text])
        assert (found.contained, found.resembling) == (1, 1)


def test_texts_are_compared_with_lists_of_tokens_only_with_explicit_shingles() -> None:
    texts, lists = ["a b c d e f g h i j"], [[*"abcdefghij"]]
    for train, test in ((texts, lists), (lists, texts)):
        with refused("texts-against-tokens"):
            la.contamination(train, test)
        found = la.contamination(train, test, shingles="tokens:8")
        assert len(found) == 1
        assert "a b c d e f g h i j" in render_leaks(found, open_source(train), open_source(test))
    assert len(la.contamination(lists, lists, case="keep")) == 1, "rules leave it open how lists are cut"


def test_a_document_that_resembles_very_many_is_listed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that appears a thousand times on either side makes a million pairs; one per test document is listed."""
    monkeypatch.setattr("lookalike.joins.sets.MOST_PAIRS", 100)
    found = la.contamination(["a page that is everywhere"] * 50, ["A page that is everywhere."] * 50)
    assert (found.contained, found.resembling) == (50, 50)


def test_too_many_test_documents_are_refused_before_all_are_read() -> None:
    test = [" ".join(f"{i}w{j}" for j in range(2000)) for i in range(1500)]
    read: list[int] = []
    with refused("sets-outgrow-memory"):
        la.contamination(
            ["a page"], test, memory=resident() + (40 << 20), batch_rows=50,
            progress=lambda stage, done, total: read.append(done),
        )  # fmt: skip
    assert max(read) < 1200
