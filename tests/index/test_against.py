"""An index as the reference of `dedupe` gives what its documents in a file give under the same plan."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.errors import InvalidOption
from lookalike.io.open import Paths
from tests.index.laws import PLAN, texts
from tests.index.test_queries import index

KINDS: list[dict[str, Any]] = [
    {},
    {"linkage": "connected"},
    {"keep": "longest"},
    {"remove": "contained"},
    {"remove": "same-words"},
    {"remove": "identical"},
]


def account(found: la.Deduped) -> list[dict[str, Any]]:
    """The removed rows. Clusters are numbered from 0 in the order in which they occur in the table."""
    numbers: dict[int, int] = {}
    return [{**row, "cluster": numbers.setdefault(row["cluster"], len(numbers))} for row in found.removed.to_pylist()]


@settings(max_examples=80)
@given(
    texts(30), texts(30), st.sets(st.integers(0, 29)), st.booleans(), st.booleans(), st.sampled_from(KINDS), st.data()
)
def test_an_index_as_reference_gives_what_its_documents_give(
    old: list[str],
    new: list[str],
    gone: set[int],
    folds: bool,
    with_ids: bool,
    options: dict[str, Any],
    data: st.DataObject,
) -> None:
    engine = data.draw(st.sampled_from(["local", "local", "reference"]))
    rows = pa.table(
        {"name": pa.array([f"n{i}" for i in range(len(new))], pa.string()), "text": pa.array(new, pa.string())}
    )
    options = options | {"engine": engine, "id": "name" if with_ids else None}
    with index(old) as ix:
        ix.delete(gone)
        if folds:
            ix.store.fold()  # type: ignore[attr-defined]
        left = [i for i in range(len(old)) if i not in gone]
        schema = pa.schema({"id": pa.int64(), "text": pa.string()})
        same = pa.table({"id": left, "text": [old[i] for i in left]}, schema)
        found = la.dedupe(rows, against=ix, **options)
        expected = la.dedupe(rows, against=same, against_id="id", plan=ix.plan, **options)
        assert found.kept_rows.tolist() == expected.kept_rows.tolist()
        assert account(found) == account(expected)
        assert found.summary.indexed == len(left)


def test_only_documents_that_share_a_bucket_are_read_and_the_index_is_not_changed() -> None:
    with index([f"a{i} b{i} c{i} d{i} e{i}" for i in range(500)]) as ix:
        before = ix.info()
        found = la.dedupe(["a7 b7 c7 d7 e7", "nothing like it"], against=ix)
        assert found.removed.to_pylist()[0]["kept"] == 7 and found.kept_rows.tolist() == [1]
        assert found.reference == 1 and found.summary.indexed == 500 and ix.info() == before


def test_a_path_names_an_index(tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    with la.Index.create(path, **PLAN) as ix:
        ix.add({"a": "one two three four", "b": "five six seven eight"})
    for against in (path, str(path), Paths([path])):
        removed = la.dedupe(["one two three four", "else"], against=against).removed.to_pylist()
        assert [(row["kept"], row["kept_in"]) for row in removed] == [("a", "against")]
    with pytest.raises(InvalidOption) as error:
        la.dedupe(["one"], against=[path, tmp_path])
    assert error.value.code == "index-among-others"
    with pytest.raises(InvalidOption) as error:
        la.dedupe(["one"], against=path, against_column="body")
    assert (error.value.code, error.value.values["option"]) == ("index-needs-no-option", "against_column")


def test_an_empty_index_removes_only_copies_within_the_input() -> None:
    with index() as ix:
        assert la.dedupe(["one two three", "one two three", "else"], against=ix).kept_rows.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("option", "own", "wanted"),
    [
        ("threshold", "0.5", 0.6),
        ("shingles", "words:2", "chars:5"),
        ("case", "fold", "keep"),
        ("bag", "False", True),
        ("seed", "7", 8),
        ("method", "lsh", "exact"),
        ("hashes", "128", 64),
        ("recall", "0.99", 0.9),
        ("rows", "3", 2),
        ("verify", "exact", "none"),
        ("ignore_common", "None", 0.5),
    ],
)
def test_an_option_that_contradicts_the_plan_is_refused(option: str, own: str, wanted: Any) -> None:
    with index(["one two three"]) as ix:
        with pytest.raises(InvalidOption) as error:
            la.dedupe(["one"], against=ix, **{option: wanted})
        assert error.value.code == "contradicts-index"
        values = error.value.values
        assert (values["option"], values["own"], values["wanted"]) == (option, own, str(wanted))


def test_options_that_agree_with_the_plan_are_accepted() -> None:
    same = {"threshold": 0.5, "shingles": "words:2", "seed": 7, "method": "auto", "bands": None, "case": "fold"}
    with index(["one two three"]) as ix:
        for options in ({}, same, {"plan": ix.plan}, {"plan": ix.plan.to_toml()}, {"shingles": "auto"}):
            assert la.dedupe(["one two three"], against=ix, **options).kept_rows.tolist() == []
        for plan, code in (
            (la.Plan(threshold=0.5, shingles="words:2", seed=7), "key-of-another-index"),
            (la.Plan(**PLAN | {"seed": 8}), "contradicts-index"),
        ):
            with pytest.raises(InvalidOption) as error:
                la.dedupe(["one"], against=ix, plan=plan)
            assert error.value.code == code


def test_an_interrupted_run_against_an_index_can_be_resumed(tmp_path: Path) -> None:
    rows = [json.dumps({"text": f"some text {i} of {i}"}) for i in range(50)]
    (tmp_path / "new.jsonl").write_text("\n".join(rows))
    with index(["some text 3 of 3"]) as ix:
        options: dict[str, Any] = {"against": ix, "work": tmp_path / "work", "out": tmp_path / "out.jsonl"}

        def stop(stage: str, done: int, total: int | None) -> None:
            if stage == "connect":
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            la.dedupe(tmp_path / "new.jsonl", **options, progress=stop)
        found = la.dedupe(tmp_path / "new.jsonl", **options, resume=True)
        assert found.summary.resumed and len(found) == 49
