"""`dedupe(new, against=old)` removes new rows that are similar to old ones, and never changes the old ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.joins import all_pairs, similarity_measure
from lookalike.results.clusters import connected_components
from lookalike.results.survivors import RULES
from tests.joins.strategies import collections
from tests.refusals import refused

OPTIONS: dict[str, Any] = {"threshold": "0.5", "recall": 1, "shingles": "tokens"}


@given(collections(most=8), collections(most=8), st.sampled_from(RULES), st.booleans())
def test_new_rows_connected_with_old_ones_are_removed_and_one_of_each_other_cluster_stays(
    old: list[list[int]], new: list[list[int]], keep: str, named: bool
) -> None:
    both = old + new
    pairs = all_pairs(both, measure=similarity_measure("jaccard", "0.5"))
    ends = np.array([[i, j] for i, j, _ in pairs], np.int64).reshape(-1, 2)
    labels = connected_components(len(both), ends[:, 0], ends[:, 1])
    data: Any = [{"id": f"n{i}", "text": row} for i, row in enumerate(new)] if named and new else new
    against: Any = [{"id": f"o{i}", "text": row} for i, row in enumerate(old)] if named and old else old
    if named and not (old and new):
        return
    options = OPTIONS | {"linkage": "connected"} | ({"id": "id"} if named else {})
    found = la.dedupe(data, against=against, keep=keep, **options)
    alone = la.dedupe(data, keep=keep, **options)
    with_old = {int(label) for label in labels[: len(old)]}
    gone = {row for row in range(len(new)) if labels[len(old) + row] in with_old}
    rest = [row for row in alone.kept_rows.tolist() if row not in gone]
    assert found.kept_rows.tolist() == rest
    assert found.reference == len(old) and found.read == len(new)
    name = (lambda side, row: f"{side}{row}") if named else (lambda side, row: row)
    for row in found.removed.to_pylist():
        assert row["kept_in"] == ("against" if row["id"] in {name("n", one) for one in gone} else "input")
        side = "o" if row["kept_in"] == "against" else "n"
        assert row["kept"] in {name(side, one) for one in range(len(old) if side == "o" else len(new))}
        assert row["kept_in"] == "against" or row["kept"] in {name("n", one) for one in rest}


def test_the_similarity_is_to_the_old_document() -> None:
    found = la.dedupe([[*"abcd"], [*"xyz"]], against=[[*"abce"]], **OPTIONS)
    account = {"similarity": 0.6, "how": "near", "lost": 1, "cluster": 0, "kept_in": "against"}
    assert found.removed.to_pylist() == [{"id": 0, "kept": 0, **account}]
    assert found.kept["text"].to_pylist() == [[*"xyz"]]


def test_a_chain_through_new_documents_reaches_the_old() -> None:
    """The second is similar to the first, which is similar to the old one. Only connected linkage follows the chain."""
    old, first, second = [*"abcdef"], [*"abcdxy"], [*"cdxyzw"]
    assert la.dedupe([first, second], against=[old], **OPTIONS).kept_rows.tolist() == [1]
    found = la.dedupe([first, second], against=[old], linkage="connected", **OPTIONS)
    assert [row["kept_in"] for row in found.removed.to_pylist()] == ["against", "against"]
    assert [row["similarity"] >= 0.5 for row in found.removed.to_pylist()] == [True, False]


def test_star_linkage_removes_only_rows_similar_to_an_old_one() -> None:
    old, first, second = [*"abcdef"], [*"abcdxy"], [*"cdxyzw"]
    found = la.dedupe([first, second], against=[old], linkage="star", **OPTIONS)
    assert [(row["id"], row["kept_in"]) for row in found.removed.to_pylist()] == [(0, "against")]
    assert found.removed["similarity"].to_pylist() == [0.5]


def test_under_star_linkage_every_old_document_may_represent_new_ones() -> None:
    """Regression: an old document that was a member of another old one represented nothing."""
    old, other, new = [*"abcdef"], [*"abcdxy"], [*"cdxyzw"]
    found = la.dedupe([new], against=[old, other], linkage="star", **OPTIONS)
    assert [(row["kept"], row["similarity"]) for row in found.removed.to_pylist()] == [(1, 0.5)]


@given(collections(most=8), collections(most=8))
def test_under_star_linkage_exactly_the_rows_similar_to_an_old_one_are_removed_for_it(
    old: list[list[int]], new: list[list[int]]
) -> None:
    found = la.dedupe(new, against=old, linkage="star", **OPTIONS)
    like = {j - len(old) for i, j, _ in all_pairs(old + new, measure=similarity_measure("jaccard", "0.5"))
            if i < len(old) <= j}  # fmt: skip
    assert {row["id"] for row in found.removed.to_pylist() if row["kept_in"] == "against"} == like
    assert all(row["similarity"] >= 0.5 for row in found.removed.to_pylist())


def test_best_of_a_column_chooses_among_new_rows_only() -> None:
    new = [{"text": [*"abcd"], "score": 1}, {"text": [*"abce"], "score": 2}]
    found = la.dedupe(new, against=[[*"xyz"]], keep="best:score", **OPTIONS)
    assert found.kept_rows.tolist() == [1]


def test_kept_rows_are_written_in_the_format_of_the_input_and_old_files_are_not_changed(tmp_path: Path) -> None:
    old, new = tmp_path / "old.csv", tmp_path / "new.jsonl"
    old.write_text("text\nthe cat sat on the mat\n", encoding="utf-8")
    new.write_text('{"text": "The cat sat on the mat.", "n": 1}\n{"text": "a dog", "n": 2}\n', encoding="utf-8")
    before = old.stat().st_mtime_ns
    la.dedupe(new, against=old, out=tmp_path / "out.jsonl", removed=tmp_path / "removed.jsonl", shingles="words:2")
    assert (tmp_path / "out.jsonl").read_text(encoding="utf-8") == '{"text": "a dog", "n": 2}\n'
    removed = json.loads((tmp_path / "removed.jsonl").read_text(encoding="utf-8"))
    assert (removed["id"], removed["kept"], removed["kept_in"]) == (0, 0, "against")
    assert old.stat().st_mtime_ns == before


def test_kept_and_removed_always_add_up() -> None:
    found = la.dedupe([[*"abcd"], [*"abce"], [*"xyz"]], **OPTIONS)
    for kept, removed, reference in ((found.kept_rows[:1], found.removed, 0), (found.kept_rows, found.removed[:0], 0),
                                     (found.kept_rows, found.removed, 1)):  # fmt: skip
        with refused("rows-lost", kept=len(kept), removed=removed.num_rows):
            la.Deduped(found.clusters, kept, removed, found.read_kept, reference)
