"""Data in memory: lists, arrays and every kind of table."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.flow.documents import TEXT
from lookalike.io.memory_source import checksum
from lookalike.io.open import open_source
from lookalike.notices import Notice
from tests.conftest import MISSING
from tests.io.making import read_rows, texts
from tests.refusals import refused

WORDS = ["one", None, "three é"]
EXPECTED = ["one", "", "three é"]


def library(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{MISSING}{name} (pip install {name})")


@pytest.mark.parametrize(
    "data",
    [
        WORDS,
        tuple(WORDS),
        np.array(WORDS, dtype=object),
        np.array(["one", np.nan, "three é"], dtype=object),
        pa.array(WORDS),
        pa.array(WORDS, pa.string_view()),
        pa.array(WORDS).dictionary_encode(),
        pa.chunked_array([WORDS[:1], WORDS[1:]]),
        pa.table({"text": WORDS}),
        pa.record_batch({"text": WORDS}),
        {"text": WORDS, "n": [1, 2, 3]},
        [{"text": word} for word in WORDS],
        [{"text": "one"}, {"n": 1}, {"text": "three é"}],
    ],
    ids=lambda data: type(data).__name__,
)
def test_every_kind_of_collection_of_texts_can_be_read(data: Any) -> None:
    source = open_source(data)
    assert texts(source) == EXPECTED
    assert source.total_rows() == 3
    assert texts(source, 1) == EXPECTED[1:]
    assert source.malformed == 0
    assert next(source.read(["text"])).data.schema.field("text").type == TEXT


def test_what_can_be_read_only_once_is_kept() -> None:
    def generator() -> Iterator[str]:
        yield from ["a", "b"]

    reader = pa.RecordBatchReader.from_batches(
        pa.schema([("text", pa.string())]), pa.table({"text": ["a", "b"]}).to_batches()
    )
    for data in (generator(), reader, map(str, ["a", "b"]), dict.fromkeys(["a", "b"]).keys()):
        source = open_source(data)
        for _ in range(2):
            assert texts(source) == ["a", "b"]


@pytest.mark.parametrize(
    "data",
    [
        [["a", "b"], None, [], ["3"]],
        [("a", "b"), None, (), (3,)],
        [{"b", "a"}, None, set(), frozenset({3})],
        pa.array([["a", "b"], None, [], ["3"]]),
        [np.array(["a", "b"]), None, np.array([]), np.array([3])],
    ],
)
def test_lists_and_sets_of_tokens_are_texts(data: Any) -> None:
    assert texts(open_source(data)) == [["a", "b"], [], [], ["3"]]


def test_arrays_of_rows_are_lists_of_tokens() -> None:
    assert texts(open_source(np.array([[1, 2], [3, 4]]))) == [["1", "2"], ["3", "4"]]
    assert texts(open_source(np.array([b"bytes", "é".encode()]))) == ["bytes", "é"]
    assert texts(open_source(np.array(["a", "b"]))) == ["a", "b"]


def test_an_empty_list_has_no_documents() -> None:
    empty: list[Any] = [[], iter(()), pa.table({"text": pa.array([], pa.string())}), np.array([], dtype=object)]
    for data in empty:
        source = open_source(data)
        assert texts(source) == []
        assert source.total_rows() == 0


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (["a", 5], Notice("not-text", got="5")),
        (["a", ["b"]], Notice("not-text", got="a list")),
        ([["b"], "a"], Notice("not-a-token-list", got="a text")),
        (["a", b"b"], Notice("not-text", got="bytes (use .decode())")),
        (["a", "\ud800"], Notice("surrogate", character="\\ud800")),
        ([["a"], [1.5]], Notice("not-a-token", got="1.5")),
        ([["a"], [b"a"]], Notice("not-a-token", got="bytes (use .decode())")),
        ([{"text": "a"}, "b"], Notice("not-a-dictionary", type="str")),
        (pa.array([b"ok", b"\xff"]).view(pa.string()), Notice("not-utf8", byte="0xff", offset=0)),
        (pa.array([[b"ok"], [b"\xff"]]).view(pa.list_(pa.string())), Notice("not-utf8", byte="0xff", offset=0)),
    ],
)
def test_rows_that_are_not_texts_are_reported_or_skipped(data: Any, reason: Notice) -> None:
    name = "the array given" if isinstance(data, pa.Array) else "the list given"
    with refused("malformed-row", where=Notice("row", name=name, row=1), reason=reason):
        open_source(data)
    source = open_source(data, on_error="skip")
    assert source.total_rows() == len(texts(source)) == 1
    assert source.malformed == len(source.warnings) == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (5, {"code": "not-data", "type": "int"}),
        (b"bytes", {"code": "not-data", "type": "bytes"}),
        (None, {"code": "not-data", "type": "NoneType"}),
        (np.array([1.5, 2.5]), {"code": "not-an-array-of-texts", "shape": "(2,)", "type": "float64"}),
        (np.array("a"), {"code": "not-an-array-of-texts", "shape": "()"}),
    ],
)
def test_data_without_texts_is_refused(data: Any, message: dict[str, Any]) -> None:
    code = message.pop("code")
    with refused(code, **message):
        open_source(data)


def test_tables_say_which_columns_they_have_and_what_is_wrong_with_ids() -> None:
    table = pa.table({"body": ["a", "b"], "id": pa.array([1, None]), "f": [1.5, 2.5]})
    with refused("no-such-column", where="the table given", column="text", columns=("body", "id", "f")):
        open_source(table)
    with refused("missing-id", where=Notice("row", name="the table given", row=1), column="id"):
        open_source(table, column="body", id="id")
    with refused("not-an-id-column", column="f", type="double"):
        open_source(table, column="body", id="f")
    with refused("not-a-text-column", column="f", type="double"):
        open_source(table, column="f")
    with refused("tokens-in-bytes", column="text"):
        open_source({"ann": {b"milk"}, "bob": {b"beer"}})
    with refused("no-such-column", column="nope"):
        open_source(table, column="body").read(["nope"])
    with refused("neither-texts-nor-columns"):
        open_source({"text": ["a", "b"], "n": [1]})
    with refused("repeated-column", column="text"):
        open_source(pa.Table.from_arrays([pa.array(["a"])] * 2, ["text", "text"]))


def test_other_columns_travel_along_untouched() -> None:
    table = pa.table(
        {"text": ["a", "b"], "when": pa.array([1, 2], pa.timestamp("ns")), "s": pa.array([{"a": 1}, None])}
    )
    batches = list(open_source(table).read())
    assert pa.Table.from_batches([batch.data for batch in batches]).drop(["text"]).equals(table.drop(["text"]))


def test_pandas_polars_and_duckdb_are_read_through_arrow() -> None:
    pandas, polars, duckdb = library("pandas"), library("polars"), library("duckdb")
    columns = {"text": WORDS, "id": [7, 8, 9]}
    for data in (
        pandas.DataFrame(columns),
        polars.DataFrame(columns),
        duckdb.sql("select * from (values ('one', 7), (null, 8), ('three é', 9)) as t(text, id)"),
    ):
        source = open_source(data, id="id")
        assert texts(source) == EXPECTED
        assert read_rows(source, ["id"]) == [{"id": 7}, {"id": 8}, {"id": 9}]
        assert next(source.read(["id"])).data.schema.field("id").type == pa.int64()
    for data in (pandas.Series(WORDS), polars.Series(WORDS), polars.Series(WORDS, dtype=polars.Categorical)):
        assert texts(open_source(data)) == EXPECTED
    assert texts(open_source(polars.Series([["a", "b"], ["c"]]))) == [["a", "b"], ["c"]]
    with refused("not-arrow-data", name="the DataFrame given"):
        open_source(pandas.DataFrame({"text": ["a", 5]}))


def test_a_source_in_memory_can_be_sent_to_another_process() -> None:
    source = open_source([{"text": "a", "id": "x"}, {"text": "b", "id": "y"}], id="id")
    copy = pickle.loads(pickle.dumps(source))
    assert read_rows(copy) == read_rows(source)
    assert copy.identity() == source.identity()


@settings(max_examples=60, deadline=None)
@given(
    rows=st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=4), max_size=12),
    cuts=st.lists(st.integers(0, 12), max_size=3),
    start=st.integers(0, 13),
    stop=st.none() | st.integers(0, 13),
    batch_rows=st.integers(1, 5),
)
def test_chunks_and_slices_change_nothing(
    rows: list[str | None], cuts: list[int], start: int, stop: int | None, batch_rows: int
) -> None:
    ends = [0, *sorted(cuts), len(rows)]
    padded = pa.array(["padding", *rows, "padding"], pa.string())
    chunks = [padded.slice(1 + a, max(min(b, len(rows)) - a, 0)) for a, b in pairwise(ends) if a <= len(rows)]
    whole = open_source(rows)
    source = open_source(pa.chunked_array(chunks, pa.string()), batch_rows=batch_rows)
    assert texts(source) == [row or "" for row in rows]
    assert texts(source, start, stop) == [row or "" for row in rows[start:stop]]
    assert source.identity() == whole.identity()
    if rows:
        assert open_source([*rows[:-1], "another"]).identity() != whole.identity()
        assert open_source([*rows, None]).identity() != open_source([*rows, ""]).identity()


@pytest.mark.parametrize("dtype", ["string", "object", "string[pyarrow]"])
def test_a_missing_text_of_pandas_is_a_missing_text(dtype: str) -> None:
    pandas = library("pandas")
    assert texts(open_source(pandas.Series(["a", pandas.NA, "b"], dtype=dtype))) == ["a", "", "b"]


@pytest.mark.parametrize("wrap", [str, lambda text: [text]], ids=["texts", "tokens"])
def test_a_lone_surrogate_in_a_dictionary_can_be_skipped(wrap: Any) -> None:
    rows = [{"text": wrap(text)} for text in ("a", "\ud800", "b")]
    with refused("malformed-row", where=Notice("row", name="the list given", row=1)):
        open_source(rows)
    source = open_source(rows, on_error="skip")
    assert (texts(source), source.malformed) == ([wrap("a"), wrap("b")], 1)


@pytest.mark.parametrize("kind", [pa.ListViewArray, pa.LargeListViewArray])
def test_lists_stored_in_another_order_are_tokens(kind: Any) -> None:
    """They were called damaged, because Arrow's cast of list views loses items."""
    values = pa.array(["x", "y", "z"])
    lists = kind.from_arrays([2, 0, 0, 1], [1, 2, 0, 2], values, mask=pa.array([False, False, False, True]))
    for start in range(4):
        source = open_source(pa.table({"text": lists[start:]}))
        assert [row["text"] for row in read_rows(source, ["text"])] == [["z"], ["x", "y"], [], None][start:]


@given(st.lists(st.text("abc é", max_size=30), min_size=1), st.integers(1, 600), st.data())
def test_a_changed_text_changes_the_checksum(few: list[str], times: int, data: st.DataObject) -> None:
    """`find_pairs` took a tenth of its time to hash data in memory, for a report that nobody had asked for."""
    rows = few * times
    before = checksum(open_source(rows))
    assert checksum(open_source([*rows])) == before
    row = data.draw(st.integers(0, len(rows) - 1))
    changed = [*rows[:row], data.draw(st.text("abc é", max_size=30)), *rows[row + 1 :]]
    assert (checksum(open_source(changed)) == before) == (changed == rows)
