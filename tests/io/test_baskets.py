"""The same baskets in every form give the same pairs; malformed ones are reported with their place."""

from __future__ import annotations

import gzip
import json
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
from lookalike.flow.baskets import Lines
from lookalike.io.baskets import open_baskets
from lookalike.notices import Notice
from tests.refusals import refused

WORDS = [["milk", "rye bread"], ["eggs", "milk", "rye bread", "milk"], ["beer"]]
NUMBERS = [[7, 12], [3, 12, 7, 12], [100]]

Write = Callable[[Path, list[list[Any]]], tuple[Any, dict[str, Any]]]


def as_lines(folder: Path, baskets: list[list[Any]]) -> tuple[Any, dict[str, Any]]:
    path = folder / "baskets.csv.gz"
    with gzip.open(path, "wt") as file:
        file.writelines(", ".join(map(str, basket)) + "\n" for basket in baskets)
    return path, {}


def as_jsonl(folder: Path, baskets: list[list[Any]]) -> tuple[Any, dict[str, Any]]:
    path = folder / "baskets.jsonl"
    path.write_text("".join(json.dumps({"items": basket}) + "\n" for basket in baskets))
    return str(path), {}


def as_parquet(folder: Path, baskets: list[list[Any]]) -> tuple[Any, dict[str, Any]]:
    path = folder / "baskets.parquet"
    pq.write_table(pa.table({"things": baskets}), path)
    return path, {"column": "things"}


def as_table(folder: Path, baskets: list[list[Any]]) -> tuple[Any, dict[str, Any]]:
    return pa.table({"items": baskets}), {}


def as_rows(folder: Path, baskets: list[list[Any]]) -> tuple[Any, dict[str, Any]]:
    rows = [{"order": number, "product": item} for number, basket in enumerate(baskets) for item in basket]
    return pa.Table.from_pylist(rows[::-1]), {"column": "product", "basket": "order"}


def as_parquet_rows(folder: Path, baskets: list[list[Any]]) -> tuple[Any, dict[str, Any]]:
    table, options = as_rows(folder, baskets)
    pq.write_table(table, folder / "rows.parquet")
    return folder / "rows.parquet", options


def as_csv_rows(folder: Path, baskets: list[list[Any]]) -> tuple[Any, dict[str, Any]]:
    table, options = as_rows(folder, baskets)
    lines = [f"{row['product']},{row['order']}\n" for row in table.to_pylist()]
    (folder / "rows.csv").write_text("product,order\n" + "".join(lines))
    return folder / "rows.csv", options


def as_iterator(folder: Path, baskets: list[list[Any]]) -> tuple[Any, dict[str, Any]]:
    return (frozenset(basket) for basket in baskets), {}


FORMS = [as_lines, as_jsonl, as_parquet, as_table, as_rows, as_parquet_rows, as_csv_rows, as_iterator]


@pytest.mark.parametrize("baskets", [WORDS, NUMBERS], ids=["words", "numbers"])
@pytest.mark.parametrize("write", FORMS, ids=lambda form: form.__name__)
def test_every_form_gives_the_same_pairs(tmp_path: Path, write: Write, baskets: list[list[Any]]) -> None:
    data, options = write(tmp_path, baskets)
    found = la.frequent_pairs(data, support=1, **options)
    assert found.to_arrow().equals(la.frequent_pairs(baskets, support=1).to_arrow())


def test_two_columns_can_be_transposed() -> None:
    """Products with the same customers: baskets and items change places."""
    table = pa.table({"customer": ["ann", "ann", "bob", "bob", "eve"], "product": [1, 2, 1, 2, 2]})
    assert la.frequent_pairs(table, column="product", basket="customer", support=2).top() == [(1, 2, 2)]
    assert la.frequent_pairs(table, column="customer", basket="product", support=2).top() == [("ann", "bob", 2)]


@given(st.lists(st.lists(st.integers(0, 30), max_size=6), max_size=30), st.integers(16, 300), st.booleans())
def test_where_blocks_end_makes_no_difference(baskets: list[list[int]], size: int, ended: bool) -> None:
    text = "\n".join(" ".join(map(str, basket)) for basket in baskets) + "\n" * ended
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "baskets.dat")
        path.write_text(text)
        blocks = list(open_baskets(path).blocks(size))
    assert "".join(block.data.decode() for block in blocks if isinstance(block, Lines)) == text


@pytest.mark.parametrize(
    ("text", "baskets"),
    [
        ("1 2\n", 1),
        ("1 2", 1),
        ("\ufeff1 2\n", 1),
        ("1\t2\r\n\r\n 2  1 \n", 3),
        ("\n\n1 2\n\n", 4),
    ],
)
def test_white_space_empty_lines_and_line_ends(tmp_path: Path, text: str, baskets: int) -> None:
    path = tmp_path / "b.dat"
    path.write_text(text, newline="")
    found = la.frequent_pairs(path, support=1)
    assert found.baskets == baskets
    assert [row[:2] for row in found] == [(1, 2)]


def test_an_empty_file_has_no_baskets(tmp_path: Path) -> None:
    path = tmp_path / "b.dat"
    path.touch()
    assert la.frequent_pairs(path, support=0.1).baskets == 0


def test_items_are_integers_only_if_all_of_them_are(tmp_path: Path) -> None:
    path = tmp_path / "b.dat"
    for text, items in (
        ("10 9\n", [9, 10]),
        ("10 09\n", ["09", "10"]),
        ("10 9 x\n", ["10", "9", "x"]),
        ("10 -9\n", [-9, 10]),
        ("-0 1\n", ["-0", "1"]),
        (f"{2**63 - 1} {-(2**63)}\n", [-(2**63), 2**63 - 1]),
        (f"{2**63} 1\n", ["1", str(2**63)]),
    ):
        path.write_text(text)
        assert la.frequent_pairs(path, support=1).items.to_pylist() == items


def test_broken_utf8_is_reported_by_line_or_skipped(tmp_path: Path) -> None:
    path = tmp_path / "b.dat"
    path.write_bytes(b"a b\nc \xff\na b\n")
    where = Notice("line", name=str(path), line=2)
    with refused("malformed-row", where=where, reason=Notice("not-utf8", byte="0xff", offset=2)):
        la.frequent_pairs(path, support=1)
    found = la.frequent_pairs(path, support=1, on_error="skip")
    assert found.top() == [("a", "b", 2)] and found.baskets == 2
    assert found.report.notes[0] == Notice("baskets-skipped", count=1) and "line 2" in str(found.report.notes[1])


def test_other_files_in_a_folder_of_csv_files_are_skipped_and_reported(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv", "README.md"):
        (tmp_path / name).write_text("1,2\n")
    found = la.frequent_pairs(tmp_path, support=1)
    assert found.top() == [(1, 2, 2)] and found.baskets == 2
    assert len(found.report.notes) == 1 and "README.md" in str(found.report.notes[0])


@pytest.mark.parametrize("name", ["b.dat", "b.jsonl"])
def test_a_file_named_twice_is_read_once_and_reported(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text("1 2\n" if name == "b.dat" else '{"items": [1, 2]}\n')
    found = la.frequent_pairs([path, path], support=1)
    assert found.baskets == 1 and [str(note) for note in found.report.notes] == [
        str(Notice("files-named-twice", count=1))
    ]


def test_truncated_gzip_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "b.dat.gz"
    path.write_bytes(gzip.compress(b"1 2 3\n" * 10_000)[:-20])
    with refused("damaged-file", name=str(path)):
        la.frequent_pairs(path, support=1)


def test_quoted_csv_is_not_a_basket_file(tmp_path: Path) -> None:
    path = tmp_path / "b.csv"
    path.write_text('milk,"bread, rye"\n')
    with refused("malformed-row", where=Notice("line", name=str(path), line=1), reason=Notice("quoted-item")):
        la.frequent_pairs(path, support=1)


def test_a_json_array_of_lists_needs_no_column(tmp_path: Path) -> None:
    """It was refused for having no column `items`. Its elements have no names."""
    file = tmp_path / "lists.json"
    file.write_text('[["milk", "bread"], ["bread", "milk", "eggs"]]')
    assert la.frequent_pairs(file, support=2).top() == la.frequent_pairs(json.loads(file.read_text()), support=2).top()
    assert len(la.frequent_pairs(file, support=2, transpose=True)) == 1
    for text in ('[{"text": ["milk"]}]', '[{"text": "milk"}]'):
        file.write_text(text)
        with refused("no-such-column", column="items"):
            la.frequent_pairs(file, support=2)


def test_texts_where_lists_were_expected(tmp_path: Path) -> None:
    with refused("texts-instead-of-lists", column="items"):
        la.frequent_pairs(pa.table({"items": ["a", "b"]}), support=1)


def test_items_and_baskets_need_different_columns() -> None:
    with refused("one-column-for-items-and-baskets", column="items"):
        la.frequent_pairs(pa.table({"items": [1]}), basket="items", support=1)


def test_rows_without_a_basket_are_refused() -> None:
    with refused("missing-basket", column="b"):
        la.frequent_pairs(pa.table({"items": [1, 2], "b": [1, None]}), basket="b", support=1)


def test_null_items_are_ignored() -> None:
    table = pa.table({"items": [["a", None, "b"], None, [None]]})
    found = la.frequent_pairs(table, support=1)
    assert found.top() == [("a", "b", 1)] and found.baskets == 3


def test_files_with_unknown_suffixes_are_basket_files(tmp_path: Path) -> None:
    """The error once advised --format text, which was then refused."""
    with refused("folder-without-files", folder=str(tmp_path)):
        la.frequent_pairs(tmp_path, support=1)
    (tmp_path / "part-0").write_text("1 2\n")
    (tmp_path / "part-1").write_text("2 1 3\n")
    assert la.frequent_pairs(tmp_path, support=2).top() == [(1, 2, 2)]


@pytest.mark.parametrize(
    ("baskets", "basket", "code", "value"),
    [
        ([[1.5]], 0, "not-an-item", 1.5),
        ([["a"], [None]], 1, "not-an-item", None),
        ([[True]], 0, "not-an-item", True),
        ([["a"], [1]], 1, "mixed-items", 1),
        ([[1], [2, "a"]], 1, "mixed-items", "a"),
        ([[2**63]], 0, "item-too-large", 2**63),
    ],
)
def test_items_that_are_neither_texts_nor_whole_numbers_or_both_are_named(
    baskets: Any, basket: int, code: str, value: Any
) -> None:
    with refused(code, where=Notice("basket", name="the list given", basket=basket), value=value):
        la.frequent_pairs(baskets, support=1)


@given(st.lists(st.lists(st.integers(0, 9), max_size=5), max_size=12), st.integers(1, 3))
def test_transposed_baskets_are_the_baskets_that_held_an_item(baskets: list[list[int]], support: int) -> None:
    held = [[row for row, basket in enumerate(baskets) if item in basket] for item in range(10)]
    wanted = la.frequent_pairs([rows for rows in held if rows], support=support)
    assert list(la.frequent_pairs(baskets, support=support, transpose=True)) == list(wanted)
    lines = "\n".join(" ".join(map(str, basket)) for basket in baskets) + "\n"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "b.dat").write_text(lines if baskets else "")
        found = la.frequent_pairs(Path(folder, "b.dat"), support=support, transpose=True)
    assert list(found) == list(wanted) and found.baskets == wanted.baskets


def test_basket_files_of_two_kinds_are_not_read_as_one(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("milk bread\n", encoding="utf-8")
    (tmp_path / "b.csv").write_text("milk,bread\n", encoding="utf-8")
    with refused("basket-files-of-two-kinds"):
        la.frequent_pairs(str(tmp_path / "*"), support=1, format="baskets")
