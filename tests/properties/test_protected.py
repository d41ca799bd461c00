"""Protected rows are always kept, rows that are similar to them are removed, and the rest is chosen greedily."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from tests.joins.strategies import collections
from tests.refusals import refused

OPTIONS: dict[str, Any] = {"threshold": "0.5", "recall": 1, "shingles": "tokens", "id": "id", "linkage": "star"}
FOX = "the quick brown fox jumps over the lazy dog near the river bank on a sunny day"

GRAPHS = st.one_of(
    collections(most=10),
    st.integers(2, 12).map(lambda n: [list(range(2 * i, 2 * i + 6)) for i in range(n)]),  # a chain
    st.integers(2, 8).map(lambda n: [[0, 1, 2, 3, 10 * i] for i in range(n)]),  # a clique
    st.integers(2, 8).map(lambda n: [[*range(8)], *([*range(i, i + 4)] for i in range(n % 5 + 1))]),  # a star
)


def greedy(order: list[int], similar: set[frozenset[int]], always: set[int]) -> set[int]:
    """Keeps each row unless it is similar to a row that is kept before it."""
    kept: set[int] = set()
    for row in order:
        if row in always or not any(frozenset((row, other)) in similar for other in kept):
            kept.add(row)
    return kept


@given(GRAPHS, st.data())
def test_what_is_kept_is_what_a_greedy_choice_keeps(sets: list[list[int]], data: st.DataObject) -> None:
    gold, score = (data.draw(st.lists(st.integers(0, 2), min_size=len(sets), max_size=len(sets))) for _ in range(2))
    old = data.draw(st.integers(0, len(sets)))
    rows = [{"id": i, "text": text, "gold": gold[i], "score": score[i]} for i, text in enumerate(sets)]
    protected = {i for i in range(old, len(sets)) if gold[i] == 2}
    if not sets[old:] or not protected:
        return
    found = la.find_pairs(rows, **{name: value for name, value in OPTIONS.items() if name != "linkage"})
    similar = {frozenset(pair) for pair in zip(found.left_rows.tolist(), found.right_rows.tolist(), strict=True)}
    order = sorted(range(len(sets)), key=lambda i: (i >= old, i not in protected, -score[i] if i >= old else 0, i))
    against: Any = rows[:old] or None
    result = la.dedupe(rows[old:], against=against, protect="where:gold=2", keep="best:score", **OPTIONS)
    kept, gone = set(result.kept["id"].to_pylist()), result.removed.to_pylist()
    assert kept == {i for i in greedy(order, similar, {*range(old), *protected}) if i >= old}
    for row in gone:
        assert frozenset((row["id"], row["kept"])) in similar and row["similarity"] >= 0.5
        assert row["kept"] in kept or row["kept"] < old
    for one in kept:
        assert not any(frozenset((one, other)) in similar for other in kept if not {one, other} <= protected)
    assert sum(result.summary.kept_by.values()) == len(gone)
    chains = la.dedupe(rows[old:], against=against, protect="where:gold=2", **(OPTIONS | {"linkage": "connected"}))
    assert protected <= set(chains.kept["id"].to_pylist()) and len(chains) <= len(result)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, texts in {
        "clean/a": [FOX, FOX + " again"],
        "raw/b": [FOX + " and", "another text"],
        "raw/c": [FOX],
    }.items():
        path = tmp_path / f"{name}.jsonl"
        path.parent.mkdir(exist_ok=True)
        path.write_text("".join(json.dumps({"id": f"{name}{i}", "text": text}) + "\n" for i, text in enumerate(texts)))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("linkage", ["star", "connected"])
@pytest.mark.parametrize("engine", ["local", "reference"])
def test_files_are_protected(files: Path, linkage: Any, engine: str) -> None:
    options: dict[str, Any] = {
        "id": "id",
        "linkage": linkage,
        "shingles": "words:2",
        "threshold": 0.5,
        "engine": engine,
    }
    result = la.dedupe("*/*.jsonl", protect="clean/*", keep="longest", report="r.html", **options)
    assert result.kept["id"].to_pylist() == ["clean/a0", "clean/a1", "raw/b1"]
    assert result.removed["kept"].to_pylist() == ["clean/a1", "clean/a0" if linkage == "star" else "clean/a1"]
    assert result.summary.kept_by == {"protected": 2, "longest": 0, "input order": 0}
    both = la.dedupe("*/*.jsonl", protect=["clean/*", "c.jsonl"], **options)
    assert both.kept["id"].to_pylist() == ["clean/a0", "clean/a1", "raw/b1", "raw/c0"]
    assert la.dedupe("raw/*.jsonl", protect="where:id=raw/c0", **options).kept["id"].to_pylist() == ["raw/b1", "raw/c0"]


def test_the_reference_comes_before_protected_rows(files: Path) -> None:
    result = la.dedupe("*/*.jsonl", against=[{"id": "old", "text": FOX}], protect="clean", id="id", threshold=0.5)
    assert result.kept["id"].to_pylist() == ["clean/a0", "clean/a1", "raw/b1"]
    assert result.removed["kept"].to_pylist() == ["old", "old"]
    assert result.summary.kept_by == {"reference": 2, "protected": 0, "input order": 0}


def test_what_protects_nothing_is_refused(files: Path) -> None:
    with refused("glob-without-files", option="protect", glob="gold/*"):
        la.dedupe("*/*.jsonl", protect=["clean/*", "gold/*"])
    with refused("rows-without-files", option="protect", glob="clean/*"):
        la.dedupe([FOX], protect="clean/*")
    with refused("no-column-to-keep-by", option="protect", column="gold"):
        la.dedupe("*/*.jsonl", protect="where:gold=1")
    with refused("protects-nothing", rule="where:id=raw/c9"):
        la.dedupe("*/*.jsonl", protect="where:id=raw/c9")
    with refused("where-without-condition", option="protect"):
        la.dedupe("*/*.jsonl", protect="where:id")
    for value in ("", [], [""]):
        with refused("empty-option", option="protect"):
            la.dedupe("*/*.jsonl", protect=value)
    with refused("not-a-list-of-names", option="protect"):
        la.dedupe("*/*.jsonl", protect=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["where:lang=", "where:lang!=en"])
def test_rows_of_the_reference_do_not_hide_that_a_rule_matches_nothing(rule: str) -> None:
    rows = [{"text": "a b c", "lang": "en"}, {"text": "a b c d", "lang": "en"}]
    with refused("protects-nothing", rule=rule):
        la.dedupe(rows, against=rows, protect=rule)
    found = la.dedupe(rows, against=rows, keep=rule)
    assert [warning.code for warning in found.warnings] == ["rule-without-rows"]
