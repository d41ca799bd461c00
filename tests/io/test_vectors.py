"""Vectors from arrays, .npy files, tables and Parquet, with ids; invalid ones are reported with their row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike.io.open import Paths
from lookalike.io.vectors import are_vectors, open_vectors
from lookalike.notices import Notice
from tests.refusals import refused

X = np.arange(12, dtype=np.float32).reshape(4, 3)


def table(kind: str = "fixed") -> pa.Table:
    flat = pa.array(X.ravel())
    column = (
        pa.FixedSizeListArray.from_arrays(flat, 3) if kind == "fixed" else pa.array(X.tolist(), pa.list_(pa.float32()))
    )
    return pa.table({"name": ["a", "b", "c", "d"], "v": column, "number": [1, 2, 3, 4]})


@pytest.mark.parametrize("kind", ["fixed", "lists"])
def test_tables_and_parquet_give_the_same_as_arrays(kind: str, tmp_path: Path) -> None:
    given = table(kind)
    pq.write_table(given, tmp_path / "v.parquet", row_group_size=3)
    for data in (given, given.to_reader(), given.slice(0), str(tmp_path / "v.parquet"), tmp_path / "v.parquet"):
        opened = open_vectors(data, id="name")
        assert np.array_equal(opened.matrix, X) and opened.matrix.dtype == np.float32
        assert opened.ids is not None and opened.ids.to_pylist() == ["a", "b", "c", "d"]
    part = open_vectors(given.slice(1, 2), column="v", id="number")
    assert np.array_equal(part.matrix, X[1:3]) and part.ids is not None and part.ids.to_pylist() == [2, 3]


def test_a_npy_file_is_mapped_and_several_are_put_together(tmp_path: Path) -> None:
    for name in ("a.npy", "b.npy"):
        np.save(tmp_path / name, X)
    one = open_vectors(str(tmp_path / "a.npy"))
    assert np.array_equal(one.matrix, X) and not one.matrix.flags.owndata
    assert np.array_equal(open_vectors(str(tmp_path / "*.npy")).matrix, np.concatenate([X, X]))
    assert (
        are_vectors(tmp_path / "a.npy") and are_vectors(X) and not are_vectors("a.parquet") and not are_vectors(["a"])
    )


def test_binary_values_of_one_size_are_packed_bits() -> None:
    bits = pa.array([b"\x01\x02", b"\xff\x00", b"\x00\x00"], pa.binary(2))
    assert open_vectors(pa.table({"b": bits}).slice(1)).matrix.tolist() == [[255, 0], [0, 0]]


def test_tables_without_rows_have_no_vectors(tmp_path: Path) -> None:
    pq.write_table(table().slice(0, 0), tmp_path / "v.parquet")
    assert len(open_vectors(tmp_path / "v.parquet", id="name")) == 0
    for kind, width in ((pa.binary(4), 4), (pa.list_(pa.uint8()), 1)):  # bits are bits, also where there are none
        nothing = open_vectors(pa.table({"v": pa.array([], kind)})).matrix
        assert nothing.dtype == np.uint8 and nothing.shape == (0, width)


@pytest.mark.parametrize("kind", [pa.list_(pa.uint8()), pa.binary(2)])
def test_empty_chunks_are_ignored(kind: pa.DataType) -> None:
    rows = pa.array([b"ab", b"cd"], kind) if kind == pa.binary(2) else pa.array([[97, 98], [99, 100]], kind)
    column = pa.chunked_array([rows[:0], rows[:1], rows[:0], rows[1:]])
    assert open_vectors(pa.table({"v": column})).matrix.tolist() == [[97, 98], [99, 100]]


@pytest.mark.parametrize(
    ("first", "second", "code", "expected"),
    [
        (pa.array([[1, 2]], pa.list_(pa.int32())), pa.array([[1.9, 2.9]]), "vector-types-differ", "int32"),
        (pa.array([[1.9, 2.9]]), pa.array([[1, 2]], pa.list_(pa.int32())), "vector-types-differ", "float64"),
        (pa.array([b"abc"], pa.binary(3)), pa.array([b"abcd"], pa.binary(4)), "vectors-differ-in-length", 3),
    ],
)
def test_files_read_together_must_agree(
    first: pa.Array, second: pa.Array, code: str, expected: Any, tmp_path: Path
) -> None:
    for name, column in (("a", first), ("b", second)):
        pq.write_table(pa.table({"v": column}), tmp_path / f"{name}.parquet")
    paths = Paths([str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")])
    with refused(code, where=Notice("row", name=", ".join(paths.paths), row=1), expected=expected):
        open_vectors(paths)


class Reluctant:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("call detach() first.")


def row(number: int) -> Notice:
    return Notice("row", name="the Table given", row=number)


def ragged() -> pa.Table:
    return pa.table({"v": pa.array([[1.0, 2.0], [1.0, 2.0], [1.0]])})


@pytest.mark.parametrize(
    ("data", "options", "code", "values"),
    [
        (ragged(), {}, "vectors-differ-in-length", {"where": row(2), "expected": 2, "length": 1}),
        (pa.table({"v": pa.array([[1.0], None])}), {}, "missing-vector", {"where": row(1)}),
        (pa.table({"v": pa.array([[1.0], [None]])}), {}, "missing-number", {"where": row(1)}),
        (table(), {"column": "number"}, "not-a-vector-column", {"column": "number"}),
        (table(), {"column": "w"}, "no-such-column", {"column": "w", "options": ("column",)}),
        (table(), {"id": "w"}, "no-such-column", {"column": "w", "options": ("id",)}),
        (table().append_column("w", table()["v"]), {}, "several-vector-columns", {"columns": ("v", "w")}),
        (pa.table({"t": ["a"]}), {}, "no-vector-column", {}),
        (pa.table([X.tolist()] * 2, ["v", "v"]), {"column": "v"}, "repeated-column", {"column": "v"}),
        (table(), {"column": 3}, "not-a-column-name", {"option": "column", "value": 3}),
        (Reluctant(), {}, "not-an-array", {"name": "the Reluctant given", "reason": "call detach() first"}),
        (X, {"column": "v"}, "array-has-no-columns", {"option": "column"}),
        (7, {}, "not-vectors", {"type": "int"}),
        ("nowhere.npy", {}, "no-such-file", {"path": "nowhere.npy"}),
        (Paths(["-", "a.npy"]), {}, "standard-input-with-files", {}),
    ],
)
def test_data_without_vectors_is_refused(data: Any, options: Any, code: str, values: Any) -> None:
    with refused(code, **values):
        open_vectors(data, **options)


def test_a_folder_of_arrays_needs_a_glob(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X)
    with refused("no-parquet-files", name=str(tmp_path)):
        open_vectors(tmp_path)


def test_files_that_are_not_arrays_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.npy").write_text("hello", encoding="utf-8")
    (tmp_path / "empty.npy").touch()
    np.save(tmp_path / "line.npy", X[0])
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    np.save(tmp_path / "wide.npy", np.zeros((2, 5), np.float32))
    np.save(tmp_path / "whole.npy", X)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "whole.npy").read_bytes()[:-20])
    for name in ("text", "empty"):
        with refused("not-a-vector-file", name=str(tmp_path / f"{name}.npy")):
            open_vectors(tmp_path / f"{name}.npy")
    (tmp_path / "junk.npy").write_bytes(b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8',")
    for name in ("objects", "cut", "junk"):
        with refused("damaged-array", name=str(tmp_path / f"{name}.npy")):
            open_vectors(tmp_path / f"{name}.npy")
    with refused("not-one-vector-per-row", shape="(3,)"):
        open_vectors(tmp_path / "line.npy")
    with refused("vector-files-differ", other_width=5, other_type="float32"):
        open_vectors(Paths([str(tmp_path / "whole.npy"), str(tmp_path / "wide.npy")]))
