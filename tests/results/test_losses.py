"""The removed table says how each document relates to the one kept in its place, and what is lost with it."""

from __future__ import annotations

from typing import Any

import pytest

import lookalike as la
from lookalike.engines.stages import arrows

TEXTS = [
    "One two three four five six seven.",
    "one two three four five six seven",
    "completely different text here, with other words",
    "one two three four five six seven",
    "One two three four five six seven.",
    "one two three four five six eight",
]
EXPECTED = [
    (1, 0, "same words", 0),
    (3, 0, "same words", 0),
    (4, 0, "identical", 0),
    (5, 0, "near", len("six eight")),
]


def account(result: la.Deduped) -> list[tuple[Any, ...]]:
    return [(row["id"], row["kept"], row["how"], row["lost"]) for row in result.removed.to_pylist()]


@pytest.mark.parametrize("options", [{}, {"engine": "reference"}, {"linkage": "connected"}, {"verify": "signature"}])
def test_every_engine_gives_the_same_account(options: dict[str, Any]) -> None:
    assert account(la.dedupe(TEXTS, threshold=0.4, shingles="words:2", **options)) == EXPECTED


def test_pairs_are_read_in_groups_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    groups = []
    shingled = arrows.groups_of_pairs

    def small(removed: Any, kept: Any, lengths: Any, most: int) -> Any:
        found = list(shingled(removed, kept, lengths, 70))
        groups.extend(found)
        return iter(found)

    monkeypatch.setattr(arrows, "groups_of_pairs", small)
    assert account(la.dedupe(TEXTS, threshold=0.4, shingles="words:2")) == EXPECTED
    assert len(groups) > 1


def test_what_does_not_fit_is_not_called_identical(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrows, "groups_of_pairs", lambda *_: iter(()))
    found = account(la.dedupe(TEXTS, threshold=0.4, shingles="words:2"))
    assert [(how, lost) for *_, how, lost in found] == [("same words", None)] * 3 + [("near", None)]


def test_counts_of_a_result() -> None:
    counts = la.dedupe(TEXTS, threshold=0.4, shingles="words:2")._overview()
    assert (counts.identical, counts.copies, counts.near, counts.lost, counts.below) == (1, 3, 1, 9, 0)


def test_against_a_reference() -> None:
    found = la.dedupe(TEXTS[3:], against=TEXTS[:3], threshold=0.4, shingles="words:2")
    assert [(row["how"], row["lost"]) for row in found.removed.to_pylist()] == [
        ("same words", 0),
        ("identical", 0),
        ("near", 9),
    ]


def test_a_tokenizer_hides_the_bytes() -> None:
    found = la.dedupe(["a b c", "a  b c", "a b c"], tokenizer=str.split)
    assert found.removed["how"].to_pylist() == ["same words", "same words"]
