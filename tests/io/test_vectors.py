"""Vectors from whatever holds them: arrays, .npy, tables and Parquet, with ids; what is odd is refused with its row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lookalike.errors import InputError, InvalidOption, MalformedInput, NoInput, NoSuchColumn
from lookalike.io import Paths
from lookalike.io.vectors import are_vectors, open_vectors

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


def test_no_rows_are_no_vectors(tmp_path: Path) -> None:
    pq.write_table(table().slice(0, 0), tmp_path / "v.parquet")
    assert len(open_vectors(tmp_path / "v.parquet", id="name")) == 0
    for kind, width in ((pa.binary(4), 4), (pa.list_(pa.uint8()), 1)):  # bits are bits, also where there are none
        nothing = open_vectors(pa.table({"v": pa.array([], kind)})).matrix
        assert nothing.dtype == np.uint8 and nothing.shape == (0, width)


@pytest.mark.parametrize("kind", [pa.list_(pa.uint8()), pa.binary(2)])
def test_chunks_without_rows_say_nothing(kind: pa.DataType) -> None:
    rows = pa.array([b"ab", b"cd"], kind) if kind == pa.binary(2) else pa.array([[97, 98], [99, 100]], kind)
    column = pa.chunked_array([rows[:0], rows[:1], rows[:0], rows[1:]])
    assert open_vectors(pa.table({"v": column})).matrix.tolist() == [[97, 98], [99, 100]]


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        (pa.array([[1, 2]], pa.list_(pa.int32())), pa.array([[1.9, 2.9]]), "of int32 and, from row 1 .* of float64"),
        (pa.array([[1.9, 2.9]]), pa.array([[1, 2]], pa.list_(pa.int32())), "of float64 and, from row 1 .* of int32"),
        (pa.array([b"abc"], pa.binary(3)), pa.array([b"abcd"], pa.binary(4)), "row 1 .* of 3 dimensions, .* got 4"),
    ],
)
def test_files_read_together_must_agree(first: pa.Array, second: pa.Array, said: str, tmp_path: Path) -> None:
    for name, column in (("a", first), ("b", second)):
        pq.write_table(pa.table({"v": column}), tmp_path / f"{name}.parquet")
    with pytest.raises(MalformedInput, match=said):
        open_vectors(Paths([str(tmp_path / "a.parquet"), str(tmp_path / "b.parquet")]))


class Reluctant:
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("call detach() first.")


def ragged() -> pa.Table:
    return pa.table({"v": pa.array([[1.0, 2.0], [1.0, 2.0], [1.0]])})


@pytest.mark.parametrize(
    ("data", "options", "error", "said"),
    [
        (ragged(), {}, MalformedInput, "row 2 .* expected a vector of 2 dimensions, .* got 1"),
        (pa.table({"v": pa.array([[1.0], None])}), {}, MalformedInput, "row 1 .* has no vector"),
        (pa.table({"v": pa.array([[1.0], [None]])}), {}, MalformedInput, "row 1 .* a number is missing"),
        (table(), {"column": "number"}, MalformedInput, "must hold vectors"),
        (table(), {"column": "w"}, NoSuchColumn, "no column 'w'"),
        (table(), {"id": "w"}, NoSuchColumn, "--id"),
        (table().append_column("w", table()["v"]), {}, InputError, "has vectors in v, w; name the column"),
        (pa.table({"t": ["a"]}), {}, InputError, "no column of lists of numbers"),
        (pa.table([X.tolist()] * 2, ["v", "v"]), {"column": "v"}, InputError, "2 columns of the name 'v'"),
        (table(), {"column": 3}, InvalidOption, "takes the name of a column, got 3"),
        (Reluctant(), {}, MalformedInput, r"the Reluctant given cannot be read as an array \(call detach\(\) first\)"),
        (X, {"column": "v"}, InvalidOption, "no columns to name"),
        (7, {}, InvalidOption, "vectors must be an array"),
        ("nowhere.npy", {}, NoInput, "nowhere.npy does not exist"),
        (Paths(["-", "a.npy"]), {}, InvalidOption, "standard input"),
    ],
)
def test_what_holds_no_vectors_is_refused(data: Any, options: Any, error: type[Exception], said: str) -> None:
    with pytest.raises(error, match=said):
        open_vectors(data, **options)


def test_a_folder_of_arrays_is_named_by_a_glob(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", X)
    with pytest.raises(NoInput, match=r"no Parquet files; \.npy files are named by a glob, \*\.npy"):
        open_vectors(tmp_path)


def test_files_that_are_no_arrays_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.npy").write_text("hello", encoding="utf-8")
    (tmp_path / "empty.npy").touch()
    np.save(tmp_path / "line.npy", X[0])
    np.save(tmp_path / "objects.npy", np.array([{}]), allow_pickle=True)
    np.save(tmp_path / "wide.npy", np.zeros((2, 5), np.float32))
    np.save(tmp_path / "whole.npy", X)
    (tmp_path / "cut.npy").write_bytes((tmp_path / "whole.npy").read_bytes()[:-20])
    for name in ("text", "empty"):
        with pytest.raises(MalformedInput, match=r"neither a \.npy file nor Parquet"):
            open_vectors(tmp_path / f"{name}.npy")
    (tmp_path / "junk.npy").write_bytes(b"\x93NUMPY\x01\x00\x10\x00{'descr': '<f8',")
    for name in ("objects", "cut", "junk"):
        with pytest.raises(MalformedInput, match="no array of numbers, or damaged"):
            open_vectors(tmp_path / f"{name}.npy")
    with pytest.raises(MalformedInput, match="one vector a row"):
        open_vectors(tmp_path / "line.npy")
    with pytest.raises(MalformedInput, match="must agree"):
        open_vectors(Paths([str(tmp_path / "whole.npy"), str(tmp_path / "wide.npy")]))
