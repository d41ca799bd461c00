"""`remove="identical"` and `remove="same-words"` remove copies and nothing else, without comparing sets."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.reference import definitions
from lookalike.engines.spark import Spark
from lookalike.engines.stages.memory import Allowance
from lookalike.flow.shingles import parse_shingling
from lookalike.kernel import Cpu
from lookalike.work.folder import Work
from tests.engines.serial import Serial
from tests.refusals import refused

RULES = ("identical", "same-words")

texts = st.lists(
    st.sampled_from(
        ["a b", "A  b!", "a b c", "c b a", "", " ", "\u00a0", "…", "… ", "x" * 80, "X" * 80, "é", "e\u0301"]
    ),
    max_size=12,
)
"""Texts that differ in bytes but not in words, texts without words, and empty ones."""


def key_of(text: str, rule: str) -> Any:
    """What two copies have in common; None for empty texts, which have no copies."""
    shingling = parse_shingling("words:2")
    if not definitions.windows(text, shingling).values:
        return None
    return text if rule == "identical" else definitions.hash_words(text, shingling)


def expected(rows: list[str], rule: str, order: list[int], always_kept: int = 0) -> dict[int, int]:
    """The removed rows, and the row kept in place of each: the first copy in order of preference."""
    kept: dict[Any, int] = {}
    removed = {}
    for place, row in enumerate(order):
        key = key_of(rows[row], rule)
        if key is None:
            continue
        if key in kept and place >= always_kept:
            removed[row] = kept[key]
        kept.setdefault(key, row)
    return removed


def removed_from(result: la.Deduped) -> dict[int, int]:
    return dict(zip(result.removed["id"].to_pylist(), result.removed["kept"].to_pylist(), strict=True))


def options_of(rule: str) -> dict[str, Any]:
    return {"remove": rule} | ({} if rule == "identical" else {"shingles": "words:2"})


@given(texts, st.sampled_from(RULES), st.sampled_from(["first", "last", "longest"]), st.sampled_from([1, 2, 8]))
def test_copies_are_removed_and_nothing_else(rows: list[str], rule: str, keep: str, threads: int) -> None:
    order = sorted(range(len(rows)), key=lambda row: {"first": row, "last": -row, "longest": -len(rows[row])}[keep])
    want = expected(rows, rule, order)
    found = la.dedupe(rows, keep=keep, threads=threads, **options_of(rule))
    assert removed_from(found) == want
    assert set(found.removed["how"].to_pylist()) <= {"identical", "same words"}
    for one in found.removed.to_pylist():
        assert one["similarity"] == 1 and one["lost"] == 0
        assert (one["how"] == "identical") == (rows[one["id"]] == rows[one["kept"]])
    for engine in ("reference", Spark(Serial(), rows_per_task=4), Local(allowance=Allowance(2_000, 1 << 20, state=0))):
        again = la.dedupe(rows, keep=keep, engine=engine, **options_of(rule))
        assert again.removed.equals(found.removed)
        assert (again.summary.empty, again.summary.documents) == (found.summary.empty, found.summary.documents)


@settings(max_examples=40)
@given(texts, texts, st.sampled_from(RULES))
def test_copies_of_a_reference_and_of_protected_rows(old: list[str], new: list[str], rule: str) -> None:
    found = la.dedupe(new, against=old, **options_of(rule))
    want = expected([*old, *new], rule, [*range(len(old) + len(new))], len(old))
    kept = [row + len(old) * (place == "input") for row, place in
            zip(found.removed["kept"].to_pylist(), found.removed["kept_in"].to_pylist(), strict=True)]  # fmt: skip
    assert dict(zip([row + len(old) for row in found.removed["id"].to_pylist()], kept, strict=True)) == want
    rows = [{"text": text, "by": by} for by, some in (("us", old), ("them", new)) for text in some]
    if old:
        protected = la.dedupe(rows, protect="where:by=us", **options_of(rule))
        assert removed_from(protected) == want


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("engine", ["local", "reference", "spark"])
def test_decisions_hold_for_copies(tmp_path: Path, rule: str, engine: str) -> None:
    rows = ["a b c", "a b c", "a b c", "x y", "x y", "x y"]
    decisions = la.Decisions(tmp_path / "decisions.jsonl", rows)
    decisions.different(0, 1)
    decisions.exclude(4)
    where: Any = Spark(Serial(), rows_per_task=4) if engine == "spark" else engine
    found = la.dedupe(rows, decisions=decisions, engine=where, **options_of(rule))
    assert removed_from(found) == {2: 0, 5: 3}


@pytest.mark.parametrize("rule", RULES)
def test_lists_of_tokens_and_tokenizers(rule: str) -> None:
    rows = [["a", "b"], ["a", "b"], ["b", "a"], ["a", None, "b"], [], []]
    found = la.dedupe(rows, remove=rule)
    assert removed_from(found) == ({1: 0} if rule == "identical" else {1: 0, 3: 0})
    if rule == "same-words":
        assert removed_from(la.dedupe(["a  b", "a b"], tokenizer=str.split, remove=rule)) == {1: 0}


def test_texts_with_equal_hashes_stay_unless_their_bytes_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Cpu.hash_texts

    def collide(self: Cpu, *arguments: Any, **options: Any) -> Any:
        found = real(self, *arguments, **options)
        found.words[:] = 7
        return found

    monkeypatch.setattr(Cpu, "hash_texts", collide)
    found = la.dedupe(["one", "two", "one", "three"], remove="identical")
    assert removed_from(found) == {2: 0} and len(found.clusters) == 1


def test_nothing_is_signed_or_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("sketch", "shingle", "bucketed", "exact_pairs", "choose_survivors", "losses"):
        monkeypatch.setattr(Cpu, name, lambda *_, name=name, **__: pytest.fail(name))
    rows = ["the same text"] * 5 + ["another text"]
    for rule in RULES:
        assert la.dedupe(rows, remove=rule).removed.num_rows == 4


@pytest.mark.parametrize("rule", RULES)
def test_a_run_in_files_that_is_resumed_gives_the_same_answer(tmp_path: Path, rule: str) -> None:
    rng = np.random.default_rng(3)
    rows = [f"text number {number} of many" for number in rng.integers(400, size=1500)]
    pq.write_table(pa.table({"id": [f"d{i}" for i in range(1500)], "text": rows}), tmp_path / "c.parquet")
    source: Any = {"data": str(tmp_path / "c.parquet"), "id": "id"}
    plain = la.dedupe(**source, **options_of(rule))
    small = Local(threads=2, allowance=Allowance(60_000, 1 << 20, state=0))
    for keep, engine in (("first", "local"), ("last", "local"), ("first", small)):
        for _ in range(2):
            with Work(tmp_path / rule, resume=True, keep=True) as work:
                found = la.dedupe(**source, keep=keep, engine=engine, work=work, **options_of(rule))
        assert found.removed.equals(la.dedupe(**source, keep=keep, **options_of(rule)).removed)
    assert plain.removed.num_rows == 1500 - len(set(rows))


def test_pairs_that_do_not_fit_into_memory_are_compared_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    from lookalike.engines.stages import same_bytes

    monkeypatch.setattr(same_bytes, "PER_CHARACTER", 1 << 50)
    rows = ["some text", "other text", "some text", "other text", "some text"]
    assert removed_from(la.dedupe(rows, remove="identical")) == {2: 0, 3: 1, 4: 0}


@pytest.mark.parametrize("rule", RULES)
def test_options_about_similarity_are_refused(rule: Any) -> None:
    some: dict[str, Any] = {
        "threshold": 0.5, "recall": 0.9, "method": "lsh", "bands": 4, "rows": 4, "hashes": 16, "sketch": "classic",
        "verify": "none", "linkage": "connected", "ignore_common": 0.5, "seed": 1, "bag": True, "bits": 32,
    }  # fmt: skip
    for name, value in some.items():
        with refused("useless-for-copies", option=name, remove=rule):
            la.dedupe(["a", "a"], remove=rule, **{name: value})
    if rule == "identical":
        for name, value in {"shingles": "words:2", "case": "keep", "tokenizer": str.split}.items():
            with refused("useless-for-copies", option=name, remove=rule):
                la.dedupe(["a", "a"], remove=rule, **{name: value})  # type: ignore[arg-type]
    for value in ("", "Identical", "identical:1", "same words", "contained:", 3, ["identical"]):
        with refused("not-one-of", option="remove"):
            la.dedupe(["a", "a"], remove=value)  # type: ignore[arg-type]
    with refused("audit-of-copies"):
        la.audit(la.dedupe(["a", "a"], remove=rule))


@pytest.mark.parametrize("rule", RULES)
def test_a_plan_that_was_saved_runs_again(rule: Any, tmp_path: Path) -> None:
    rows = ["a b c", "A b c", "a b c", "d"]
    found = la.dedupe(rows, remove=rule, shingles="words:2") if rule == "same-words" else la.dedupe(rows, remove=rule)
    again = la.dedupe(rows, plan=found.summary.plan)
    assert again.removed.equals(found.removed)
    found.save(tmp_path / "saved")
    assert la.load(tmp_path / "saved").removed.equals(found.removed)


@pytest.mark.parametrize("rule", RULES)
def test_options_override_the_entries_of_a_plan(rule: Any) -> None:
    rows = ["a b c", "A b c", "a b c", "a b c d", "d"]
    similar: Any = {"threshold": 0.5, "shingles": "words:2", "keep": "first"}
    copies, near = la.dedupe(rows, remove=rule).summary.plan, la.dedupe(rows, remove="near", **similar)
    contained = la.dedupe(rows, remove="contained", **similar)
    assert removed_from(near) == {1: 0, 2: 0, 3: 0} and removed_from(contained) == {1: 0, 2: 0}
    assert la.dedupe(rows, plan=contained.summary.plan, keep="first").removed.equals(contained.removed)
    for plan in (copies, contained.summary.plan):
        assert la.dedupe(rows, plan=plan, remove="near", **similar).removed.equals(near.removed)
        assert la.dedupe(rows, plan=plan, remove="contained", **similar).removed.equals(contained.removed)
    for name, value in {"threshold": 0.5, "linkage": "connected"}.items():
        with refused("useless-for-copies", option=name, remove=rule):
            la.dedupe(rows, plan=copies, **{name: value})  # type: ignore[arg-type]
    assert (0, 2, 1.0) in la.find_pairs(rows, plan=copies).top()
    assert la.find_clusters(rows, plan=copies, linkage="connected").labels.tolist()[2] == 0


@pytest.mark.parametrize(
    ("share", "meant"), [("95", "contained:0.95"), ("0", None), ("x", None), ("0.1234567891", None)]
)
def test_a_share_that_cannot_be_is_refused(share: str, meant: str | None) -> None:
    with refused("share-of-contained", value=f"contained:{share}", meant=meant):
        la.dedupe(["a", "a"], remove=f"contained:{share}")


def test_a_result_counts_copies_by_kind_like_its_table() -> None:
    texts = ["a b c d e f", "a b c d e f", "A b c d e f!"]
    assert "\n1 identical, 1 same words" in str(la.dedupe(texts))
    assert "\n2 same words" in str(la.find_clusters(texts))
