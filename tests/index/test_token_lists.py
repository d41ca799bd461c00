"""Lists of tokens are documents of an index, too: they are stored as packed texts, and cut again."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.corpus.token_lists import MARK, is_packed, packed_texts, unpacked
from lookalike.errors import InvalidOption
from lookalike.flow import Documents, Tokens
from lookalike.flow.documents import TOKENS
from tests.index.test_against import account
from tests.index.test_changes import refused
from tests.index.test_queries import index, own_pairs, pairs

TOKEN = st.one_of(st.none(), st.text(max_size=4), st.sampled_from(["a", "b", "c"]))
LISTS = st.lists(st.lists(st.sampled_from(["a b", "b", "c", "", "é", "d", "f"]), max_size=6), max_size=25)
OPTIONS = {"shingles": Tokens(1, key=5)}


@given(st.lists(st.lists(TOKEN, max_size=4), max_size=6), st.integers(0, 3), st.integers(0, 3))
def test_packed_lists_are_the_same_lists_again(lists: list[list[str | None]], low: int, cut: int) -> None:
    rows = pa.array(lists, TOKENS)[low : max(low, len(lists) - cut)]  # a slice has offsets of its own
    packed = packed_texts(Documents(rows))
    assert (packed.type == pa.large_string() and unpacked(packed).to_pylist() == rows.to_pylist()) or not len(rows)
    assert is_packed(packed) == (len(rows) > 0)
    assert unpacked(packed[1:]).to_pylist() == rows[1:].to_pylist()


def test_the_format_of_a_packed_list() -> None:
    packed = packed_texts(Documents(pa.array([["ab", None, ""]], TOKENS)))
    expected = bytes([MARK, 3, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]) + b"ab"
    assert packed[0].as_buffer().to_pybytes() == expected


@settings(max_examples=30)
@given(LISTS, LISTS, st.booleans(), st.booleans())
def test_an_index_of_lists_answers_like_a_run(
    first: list[list[str]], second: list[list[str]], folds: bool, bulk: bool
) -> None:
    every = [*first, ["a b", "c"], *second]
    with index(**OPTIONS) as ix:
        ix.add([*first, ["a b", "c"]])
        ix.add(second * (1 + 300 * bulk))
        ix.delete(range(len(every), 10**5))
        if folds:
            ix.store.fold()  # type: ignore[attr-defined]
        if len(second) < 300:
            assert own_pairs(ix, every) == pairs(every, ix.plan)
            assert ix.clusters().labels.tolist() == la.find_clusters(every, plan=ix.plan).labels.tolist()
            table = ix.to_reader().read_all()
            assert table["text"].to_pylist() == every
            found, expected = (
                la.dedupe([["c", "a b"], ["x"]], plan=ix.plan, against=against)
                for against in (ix, pa.table({"text": pa.array(every, TOKENS)}))
            )
            assert found.kept_rows.tolist() == expected.kept_rows.tolist() == [1]
            assert [row["similarity"] for row in account(found)] == [row["similarity"] for row in account(expected)]


@settings(max_examples=30)
@given(LISTS)
def test_adding_new_lists_keeps_what_dedupe_keeps(data: list[list[str]]) -> None:
    with index(**OPTIONS) as ix:
        for row, tokens in enumerate(data):
            ix.add_if_new(tokens, id=row)
        expected = la.dedupe(data, plan=ix.plan, keep="first").kept_rows.tolist() if data else []
        assert [row["id"] for row in ix] == expected
        assert [row["text"] for row in ix] == [data[row] for row in expected]


def test_the_plan_is_for_lists_if_the_first_documents_are_lists(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", threshold=0.5) as ix:
        ix.add([["a", "b"], ["b", "c"]])
        assert ix.plan.shingles.kind == "tokens"  # type: ignore[union-attr]
        assert ix.query([["a", "b"]]).to_arrow().to_pylist()[0]["right"] == 0
        assert ix.documents([1])["text"].to_pylist() == [["b", "c"]]
        assert ix.signature(0) == la.signature(["a", "b"], plan=ix.plan)
        for data in (["a b"], ["a b"] * 300):
            refused("index-of-other-documents", InvalidOption, lambda: ix.add(data))  # noqa: B023
        ix.export(tmp_path / "e.parquet")
        assert pq.read_table(tmp_path / "e.parquet")["text"].to_pylist() == [["a", "b"], ["b", "c"]]
        ix.export(tmp_path / "e.jsonl")
        ix.delete([0, 1])
        ix.add(["a b"])
        assert [row["text"] for row in ix] == ["a b"]


def test_an_empty_index_can_be_the_reference_of_lists() -> None:
    with index(**OPTIONS) as ix:
        assert la.dedupe([["a", "b"], ["b", "a"]], against=ix).kept_rows.tolist() == [0]


def test_an_index_without_texts_takes_lists() -> None:
    with index(texts=False, **OPTIONS) as ix:
        ix.add([["a", "b", "c"], ["x", "y"]])
        ix.add([["a", "b", "c", "d"]] * 300)
        assert ix.query([["b", "c", "a"]], top=1).to_arrow().to_pylist()[0]["right"] == 0
        assert ix.add_if_new(["c", "a", "b"]) == (0, 1.0)
