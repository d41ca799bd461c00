"""The same sets in any form are the same documents. Tables with one item per row are grouped and transposed."""

from __future__ import annotations

import gzip
import json
import pickle
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.errors import LookalikeError
from lookalike.io.formats.basket_lines import split_lines
from lookalike.io.open import open_source
from lookalike.io.source import Source
from lookalike.notices import Notice
from tests.io.making import read_rows, texts
from tests.refusals import refused

Sets = dict[str, list[str]]
Opener = Callable[[Path, Sets], Source]

NAMES = st.text("abcdefgh", min_size=1, max_size=2)
SETS = st.dictionaries(
    NAMES, st.lists(st.sampled_from(["milk", "rye bread", "7", "é", "x,y"]), min_size=1), max_size=90
)


def rows_of(sets: Sets) -> list[dict[str, str]]:
    """A table with one item per row, in which the rows of the sets are interleaved. Sets first occur in their order."""
    longest = max(map(len, sets.values()), default=0)
    return [{"set": name, "item": items[i]} for i in range(longest) for name, items in sets.items() if i < len(items)]


def from_csv(folder: Path, sets: Sets) -> Source:
    lines = [f'{row["set"]},"{row["item"]}"\n' for row in rows_of(sets)]
    (folder / "rows.csv").write_text("set,item\n" + "".join(lines))
    return open_source(folder / "rows.csv", basket="set", column="item")


def from_jsonl(folder: Path, sets: Sets) -> Source:
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows_of(sets)))
    return open_source(folder / "rows.jsonl", basket="set", column="item")


def from_parquet(folder: Path, sets: Sets) -> Source:
    pq.write_table(table_of(sets), folder / "rows.parquet", row_group_size=7)
    return open_source(folder / "rows.parquet", basket="set", column="item")


def from_memory(folder: Path, sets: Sets) -> Source:
    return open_source(table_of(sets), basket="set", column="item", batch_rows=5)


TOKENS = pa.list_(pa.string())
OPENERS = [from_csv, from_jsonl, from_parquet, from_memory]


def table_of(sets: Sets) -> pa.Table:
    rows = rows_of(sets)
    return pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in ("item", "set")})


@pytest.mark.parametrize("opener", OPENERS, ids=lambda opener: opener.__name__)
@given(sets=SETS, data=st.data())
def test_rows_are_put_together_in_the_order_in_which_sets_first_occur(
    opener: Opener, sets: Sets, data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        source = opener(Path(folder), sets)
        found = read_rows(source)
        assert [(row["set"], row["item"]) for row in found] == list(sets.items())
        assert source.id == "set" and source.column == "item" and source.total_rows() == len(sets)
        start, stop = sorted(data.draw(st.tuples(*[st.integers(0, len(sets))] * 2)))
        assert texts(source, start, stop) == list(sets.values())[start:stop]
        assert texts(pickle.loads(pickle.dumps(source)), start, stop) == list(sets.values())[start:stop]


@given(SETS)
def test_transposing_twice_restores_the_sets(sets: Sets) -> None:
    """Customers with their products; products with their customers; and customers with their products again."""
    sets = {name: list(dict.fromkeys(items)) for name, items in sets.items()}
    names, lists = pa.array(sets, pa.string()), pa.array(sets.values(), TOKENS)
    once = open_source(pa.table({"set": names, "item": lists}), column="item", id="set", transpose=True)
    assert (once.id, once.column) == ("item", "set")
    table = pa.table({name: [row[name] for row in read_rows(once)] for name in ("item", "set")})
    if not sets:
        assert table.num_rows == 0
        return
    twice = open_source(table, column="set", id="item", transpose=True)
    assert {row["set"]: set(row["item"]) for row in read_rows(twice)} == {n: set(items) for n, items in sets.items()}


@given(SETS)
def test_two_columns_are_transposed_by_name_or_by_option(sets: Sets) -> None:
    table = table_of(sets)
    turned = open_source(table, basket="set", column="item", transpose=True)
    assert read_rows(turned) == read_rows(open_source(table, basket="item", column="set"))


@given(
    st.lists(st.lists(st.text("a1é ,\t", max_size=4), max_size=5), max_size=20),
    st.sampled_from([None, ",", "\t", ";"]),
    st.booleans(),
)
def test_a_basket_file_is_read_alike_by_the_joins_and_by_the_counting(
    baskets: list[list[str]], separator: str | None, ended: bool
) -> None:
    data = "\n".join((separator or " ").join(items) for items in baskets) + "\n" * ended
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "b.dat")
        path.write_text(data, newline="")
        rows = texts(open_source(path, format="baskets", separator=separator))
        counted = la.frequent_pairs(path, support=1, separator=separator)
    assert len(rows) == counted.baskets
    known = la.frequent_pairs(rows, support=1)
    assert [tuple(map(str, pair)) for pair in sorted(counted)] == [tuple(map(str, pair)) for pair in sorted(known)]


def test_a_basket_file_is_split_by_hand() -> None:
    assert split_lines(b"", None).to_pylist() == []
    assert split_lines(b"\n", None).to_pylist() == [[]]
    assert split_lines(b" 1\t2  3 \r\n\x1c 4", None).to_pylist() == [["1", "2", "3"], ["\x1c", "4"]]
    assert split_lines(b"milk, rye bread ,\n,\n", ",").to_pylist() == [["milk", "rye bread"], []]


@pytest.mark.parametrize("write", ["b.dat", "b.csv", "b.tsv.gz"])
def test_the_suffix_of_a_basket_file_decides_its_separator(tmp_path: Path, write: str) -> None:
    separator = "," if ".csv" in write else "\t" if ".tsv" in write else " "
    data = f"rye{separator}oats\noats\n".encode()
    (tmp_path / write).write_bytes(gzip.compress(data) if write.endswith(".gz") else data)
    assert texts(open_source(tmp_path / write, format="baskets")) == [["rye", "oats"], ["oats"]]


def test_ids_are_whole_numbers_if_all_are_and_the_column_is_not_text(tmp_path: Path) -> None:
    def ids(data: Any, **options: Any) -> list[Any]:
        return [row[options["basket"]] for row in read_rows(open_source(data, column="item", **options))]

    path = tmp_path / "rows.csv"
    path.write_text("set,item\n10,a\n9,b\n10,c\n")
    assert ids(path, basket="set") == [10, 9]
    path.write_text("set,item\n10,a\n09,b\n")
    assert ids(path, basket="set") == ["10", "09"]
    assert ids({"set": ["1", "2"], "item": [5, 6]}, basket="set") == ["1", "2"]
    assert ids({"set": [2, 1], "item": ["x", "x"]}, basket="set") == [2, 1]
    (tmp_path / "b.dat").write_text("7 8\n8\n")
    turned = open_source(tmp_path / "b.dat", format="baskets", transpose=True)
    assert read_rows(turned) == [{"items": 7, "baskets": ["0"]}, {"items": 8, "baskets": ["0", "1"]}]


def test_items_in_json_may_be_numbers_and_texts_one_a_row(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"o": 1, "i": 7}\n{"o": 2, "i": "7"}\n{"o": 1, "i": null}\n{"o": 2, "i": ""}\n{"o": 2, "i": -1}\n')
    assert read_rows(open_source(path, basket="o", column="i")) == [{"o": 1, "i": ["7"]}, {"o": 2, "i": ["7", "-1"]}]
    path.write_text('{"o": 1, "i": 7}\n{"o": 2, "i": 1.5}\n{"o": 2, "i": [1]}\n{"o": 2, "i": 8}\n')
    where, reason = Notice("line", name=str(path), line=2), Notice("not-one-item", got="1.5")
    with refused("malformed-row", where=where, reason=reason):
        open_source(path, basket="o", column="i")
    source = open_source(path, basket="o", column="i", on_error="skip")
    assert read_rows(source) == [{"o": 1, "i": ["7"]}, {"o": 2, "i": ["8"]}]
    assert source.malformed == 2 and source.warnings[0] == Notice("row-skipped", where=where, reason=reason)


def test_invalid_options_and_tables_are_refused(tmp_path: Path) -> None:
    table = {"set": ["a", None], "item": [1, 2]}
    (tmp_path / "b.dat").write_text("1 2\n")
    (tmp_path / "rows.csv").write_text("set,item\n,1\n")

    both = {"basket": "set", "column": "item"}

    def error(data: Any, **options: Any) -> Notice:
        with pytest.raises(LookalikeError) as caught:
            list(open_source(data, **options).read())
        return caught.value.notice

    where = Notice("row", name="the dictionary given", row=1)
    assert error(table, **both) == Notice("missing-basket", where=where, column="set")
    assert error(tmp_path / "rows.csv", **both).code == "missing-basket"
    assert error(table, basket="order", column="item").values["options"] == ("basket",)
    assert error({"set": ["a"]}, basket="set").values["options"] == ("column",)
    assert error(table, basket=3) == Notice("not-a-column-name", option="basket", value=3)
    assert error(table, basket="set", column="set").code == "one-column-for-items-and-baskets"
    assert error(table, basket="set", id="item").code == "basket-and-id"
    assert error(tmp_path / "b.dat", basket="set").code == "basket-needs-table"
    assert error(tmp_path / "b.dat", basket="set", format="baskets").code == "basket-needs-table"
    assert error(tmp_path / "b.dat", column="set", format="baskets").code == "basket-file-has-no-columns"
    assert error(tmp_path / "b.dat", separator=",").code == "not-for-this-format"
    assert error([["a"]], format="baskets").code == "baskets-format-in-memory"
    assert error(["a text"], transpose=True).code == "texts-instead-of-lists"
    assert error({"s": [1], "items": [[1]]}, basket="s").code == "not-an-item-column"
    assert error({"s": [1], "items": [1.5]}, basket="s").code == "not-an-item-column"


def test_sets_that_changed_since_they_were_put_together_are_noticed(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("set,item\na,1\n")
    source = open_source(path, basket="set", column="item")
    before = source.identity()
    assert before == open_source(path, basket="set", column="item").identity()
    assert before != open_source(path, basket="set", column="item", transpose=True).identity()
    path.write_text("set,item\na,1\nb,2\n")
    assert source.identity() != before


@given(SETS)
def test_dedupe_copies_all_rows_of_the_kept_sets(sets: Sets) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        from_csv(folder, sets)
        found = la.dedupe(folder / "rows.csv", basket="set", column="item", threshold=0.9, out=folder / "kept.csv")
        assert found.kept.column_names == ["set", "item"]
        removed = set(found.removed["id"].to_pylist())
        assert removed | set(found.kept["set"].to_pylist()) == set(sets)
        lines = (folder / "rows.csv").read_text().splitlines(keepends=True)
        kept = [lines[0], *(line for line in lines[1:] if line.partition(",")[0] not in removed)]
        assert (folder / "kept.csv").read_text() == "".join(kept)
        assert len({frozenset(sets[name]) for name in sets if name not in removed}) == len(sets) - len(removed)


def test_dedupe_copies_lines_of_basket_files_and_writes_transposed_sets_as_lists(tmp_path: Path) -> None:
    (tmp_path / "b.dat").write_text("milk  bread\nbread milk\n\ntea")
    la.dedupe(tmp_path / "b.dat", format="baskets", out=tmp_path / "kept.dat")
    assert (tmp_path / "kept.dat").read_text() == "milk  bread\n\ntea"
    la.dedupe(tmp_path / "b.dat", format="baskets", transpose=True, out=tmp_path / "kept.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "kept.jsonl").read_text().splitlines()]
    assert rows == [{"items": "milk", "baskets": ["0", "1"]}, {"items": "tea", "baskets": ["3"]}]
    with refused("output-is-input"):  # the input is not overwritten, though it was copied
        la.dedupe(tmp_path / "b.dat", format="baskets", transpose=True, out=tmp_path / "b.dat", force=True)


def test_another_separator_or_transposing_changes_the_identity(tmp_path: Path) -> None:
    """A run with another separator could once be resumed."""
    path = tmp_path / "b.dat"
    path.write_text("a,b;c\n", encoding="utf-8")
    reading: list[dict[str, Any]] = [{"separator": ","}, {"separator": ";"}, {"separator": ",", "transpose": True}]
    sources = [open_source(path, format="baskets", **each) for each in [*reading, *reading]]
    identities = [source.identity() for source in sources]
    assert identities[:3] == identities[3:]
    assert len(set(identities)) == 3
