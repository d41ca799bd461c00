"""Reads vectors from files or memory as one matrix, with ids if there are any.

A .npy file is memory-mapped, so that it need not fit into memory if it is processed block by block.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import InputError, InvalidOption, MalformedInput, NoInput
from lookalike.flow.arrays import call_function, to_numpy
from lookalike.io.columns import check_ids, convert, id_type
from lookalike.io.file_names import refuse_file_names
from lookalike.io.file_source import COLUMN, ID, no_such_column
from lookalike.io.files import File
from lookalike.io.find_files import find_files
from lookalike.io.lazy_tables import loaded
from lookalike.io.nested import array_at, field_at, names_in
from lookalike.io.open import check_column, paths_in
from lookalike.io.temporary_copies import decompressed
from lookalike.notices import Notice
from lookalike.storage.arrow_files import open_arrow
from lookalike.storage.foreign_errors import brief, reading

MAGIC = b"\x93NUMPY"
SUFFIX = ".npy"


@dataclass(frozen=True, eq=False)
class Vectors:
    """A matrix with one vector per row. Its values have not been checked yet."""

    matrix: Any
    name: str
    """The name that is used in messages."""
    ids: pa.Array | None = None
    files: Sequence[File] = ()
    warnings: Sequence[Notice] = ()

    def __len__(self) -> int:
        return len(self.matrix)


def are_vectors(data: Any) -> bool:
    """True if the data can only be vectors: .npy files, or a matrix of floats. (Integers may be tokens of sets.)"""
    paths = paths_in(data)
    if paths is not None:
        return all(path.lower().endswith(SUFFIX) for path in paths)
    return isinstance(data, np.ndarray) and data.ndim == 2 and data.dtype.kind == "f"


def are_bits(data: Any) -> bool:
    """True if the data can only be packed bits or vectors: .npy files, or a matrix of bytes or of booleans."""
    if isinstance(data, Vectors):
        return True
    paths = paths_in(data)
    if paths is not None:
        return all(path.lower().endswith(SUFFIX) for path in paths)
    return (
        isinstance(data, np.ndarray)
        and data.ndim == 2
        and (data.dtype.kind == "f" or data.dtype in (np.uint8, np.bool_))
    )


def open_vectors(
    data: Any, *, column: str | None = None, id: str | None = None, inherited: Collection[str] = ()
) -> Vectors:
    """Opens vectors: an array, a list of lists, a table, .npy files or Parquet files.

    In a table or in Parquet, `column` names a column of lists of numbers of equal length, or of fixed-size binary
    values with packed bits (default: the only such column). `id` names a column of ids. Options listed in `inherited`
    were set for other vectors, and are ignored for arrays.
    """
    if isinstance(data, Vectors):
        return data
    paths = paths_in(data)
    if paths is not None:
        return _from_files(paths, column, id, inherited)
    name = f"the {type(data).__name__} given"
    data = loaded(data)
    if isinstance(data, pa.Table | pa.RecordBatch | Mapping) or hasattr(data, "__arrow_c_stream__"):
        try:
            table = data if isinstance(data, pa.Table) else pa.table(data)
        except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
            raise MalformedInput("not-a-table", name=name, reason=brief(error)) from None
        column = _chosen(table.schema, column, id, name)
        batches = table.to_batches()
        arrays = (array_at(batch, column) for batch in batches)
        matrix = _filled(arrays, _type_of(table.schema, column), table.num_rows, name)
        return Vectors(matrix, name, None if id is None else _ids([array_at(batch, id) for batch in batches], id, name))
    _refuse_columns(column, id, inherited, name)
    if isinstance(data, list | tuple):
        refuse_file_names(data)
    if isinstance(data, str | bytes) or not (hasattr(data, "__array__") or isinstance(data, list | tuple)):
        raise InvalidOption("not-vectors", type=type(data).__name__)
    if not hasattr(data, "__len__"):  # an array of another library, whose conversion may fail
        try:
            data = np.asarray(data)
        except Exception as error:
            raise MalformedInput("not-an-array", name=name, reason=brief(error)) from None
    return Vectors(data, name)


def _from_files(paths: Sequence[str], column: str | None, id: str | None, inherited: Collection[str]) -> Vectors:
    npy = all(path.lower().endswith(SUFFIX) for path in paths)
    try:
        found = find_files(paths, SUFFIX[1:] if npy else None, lambda file: "vectors")
    except NoInput:
        if len(paths) > 1 or not os.path.isdir(*paths):
            raise
        raise NoInput("no-parquet-files", name=paths[0]) from None
    name, warnings = found.name, found.warnings
    files = [decompressed(file) for file in found.files]
    kinds = {_kind(file) for file in files}
    if len(kinds) > 1:
        raise InputError("npy-and-parquet", name=name)
    if kinds == {"npy"}:
        _refuse_columns(column, id, inherited, name)
        return Vectors(_from_npy(files), name, None, files, warnings)
    return _from_parquet(files, column, id, name, warnings)


def _kind(file: File) -> str:
    with file.open() as stream, reading(file.name):
        head = stream.read(len(MAGIC))
    if head == MAGIC:
        return "npy"
    if head.startswith(b"PAR1"):
        return "parquet"
    raise MalformedInput("not-a-vector-file", name=file.name)


def _from_npy(files: Sequence[File]) -> npt.NDArray[Any]:
    arrays = [_mapped(file) for file in files]
    if len(arrays) == 1:
        return arrays[0]
    for file, array in zip(files, arrays, strict=True):
        if array.shape[1] != arrays[0].shape[1] or array.dtype != arrays[0].dtype:
            raise MalformedInput(
                "vector-files-differ",
                first=files[0].name,
                width=arrays[0].shape[1],
                type=str(arrays[0].dtype),
                other=file.name,
                other_width=array.shape[1],
                other_type=str(array.dtype),
            )
    return np.concatenate(arrays)


def _mapped(file: File) -> npt.NDArray[Any]:
    with reading(file.name):
        try:
            if file.system is not None:
                with file.open() as stream:
                    array = np.load(stream, allow_pickle=False)
            else:
                array = np.load(Path(file.path), mmap_mode="r", allow_pickle=False)
        except (ValueError, EOFError, SyntaxError, TypeError, TokenError) as error:
            raise MalformedInput("damaged-array", name=file.name, reason=brief(error)) from None
    if array.ndim != 2:
        raise MalformedInput("not-one-vector-per-row", name=file.name, shape=str(array.shape))
    return np.asarray(array)


def _from_parquet(
    files: Sequence[File], column: str | None, id: str | None, name: str, warnings: Sequence[Notice]
) -> Vectors:
    import pyarrow.parquet as pq  # slow to import, and every search for pairs calls `are_vectors`

    opened = []
    for file in files:
        with reading(file.name):
            source = file.open_stored() if file.system is not None else open_arrow(file.path)
            opened.append(pq.ParquetFile(source, page_checksum_verification=True))
    columns = {
        _chosen(parquet.schema_arrow, column, id, file.name) for parquet, file in zip(opened, files, strict=True)
    }
    if len(columns) > 1:
        raise InputError("vectors-in-different-columns", name=name, columns=columns)
    (column,) = columns
    ids: list[pa.Array] = []

    def arrays() -> Iterator[pa.Array]:
        for parquet, file in zip(opened, files, strict=True):
            with reading(file.name):
                for batch in parquet.iter_batches(1 << 14, columns=[column] if id is None else [column, id]):
                    if id is not None:
                        ids.append(array_at(batch, id))
                    yield array_at(batch, column)

    rows = sum(parquet.metadata.num_rows for parquet in opened)
    matrix = _filled(arrays(), _type_of(opened[0].schema_arrow, column), rows, name)
    return Vectors(matrix, name, None if id is None else _ids(ids, id, name), files, warnings)


def _chosen(schema: pa.Schema, column: str | None, id: str | None, name: str) -> str:
    """Returns the name of the column of vectors: `column` if given, otherwise the only such column."""
    for needed, option in ((column, COLUMN), (id, ID)):
        if needed is None:
            continue
        check_column(option, needed)
        if field_at(schema, needed) is None:
            raise no_such_column(needed, names_in(schema), name, option)
        if schema.names.count(needed) > 1:
            raise MalformedInput("repeated-column", where=name, column=needed)
    if column is not None:
        if not _holds_vectors(_type_of(schema, column)):
            kind = str(_type_of(schema, column))
            raise MalformedInput("not-a-vector-column", name=name, column=column, type=kind, option=COLUMN)
        return column
    found = [field.name for field in schema if _holds_vectors(field.type)]
    if len(found) == 1:
        return str(found[0])
    if not found:
        raise InputError("no-vector-column", name=name)
    raise InputError("several-vector-columns", name=name, columns=found)


def _type_of(schema: pa.Schema, column: str) -> pa.DataType:
    field = field_at(schema, column)
    assert field is not None
    return field.type


def _holds_vectors(kind: pa.DataType) -> bool:
    if pa.types.is_fixed_size_binary(kind):
        return True
    if not (pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return False
    return bool(pa.types.is_floating(kind.value_type) or pa.types.is_integer(kind.value_type))


def _filled(arrays: Iterable[pa.Array], kind: pa.DataType, rows: int, name: str) -> npt.NDArray[Any]:
    """Copies the rows of all arrays to one matrix, which is allocated when the width of the first array is known."""
    out: npt.NDArray[Any] | None = None
    start = 0
    for array in arrays:
        if not len(array):
            continue
        part = _matrix(array, start, None if out is None else out.shape[1], name)
        if out is None:
            out = np.empty((rows, part.shape[1]), part.dtype)
        if part.dtype != out.dtype:
            where = Notice("row", name=name, row=start)
            raise MalformedInput("vector-types-differ", where=where, expected=str(out.dtype), type=str(part.dtype))
        out[start : start + len(part)] = part
        start += len(part)
    return _no_rows(kind) if out is None else out


def _no_rows(kind: pa.DataType) -> npt.NDArray[Any]:
    if pa.types.is_fixed_size_binary(kind):
        return np.zeros((0, kind.byte_width), np.uint8)
    width = kind.list_size if pa.types.is_fixed_size_list(kind) else 1
    return np.zeros((0, width), kind.value_type.to_pandas_dtype())


def _matrix(array: pa.Array, start: int, width: int | None, name: str) -> npt.NDArray[Any]:
    """Converts vectors of equal length to a matrix. Raises an error for missing values or different lengths."""
    if array.null_count:
        row = array.is_null().index(True).as_py()
        raise MalformedInput("missing-vector", where=Notice("row", name=name, row=start + row))
    if pa.types.is_fixed_size_binary(array.type):
        lengths = np.full(len(array), array.type.byte_width)
    else:
        lengths = to_numpy(call_function("list_value_length", [array]))
    width = int(lengths[0]) if width is None else width
    odd = np.flatnonzero(lengths != width)
    if len(odd):
        where = Notice("row", name=name, row=start + int(odd[0]))
        raise MalformedInput("vectors-differ-in-length", where=where, expected=width, length=int(lengths[odd[0]]))
    if pa.types.is_fixed_size_binary(array.type):
        first, last = array.offset * width, (array.offset + len(array)) * width
        return np.frombuffer(array.buffers()[1], np.uint8)[first:last].reshape(len(array), width)
    values = array.flatten()
    if values.null_count:
        row = values.is_null().index(True).as_py() // max(1, width)
        raise MalformedInput("missing-number", where=Notice("row", name=name, row=start + row))
    return to_numpy(values).reshape(len(array), width)


def _ids(chunks: Sequence[pa.Array], id: str, name: str) -> pa.Array:
    if not chunks:
        return pa.array([], pa.large_string())
    kind = id_type(chunks[0].type, id, name) or pa.large_string()
    ids = pa.concat_arrays([convert(chunk, kind, name, id) for chunk in chunks])
    check_ids(ids, id, lambda row: Notice("row", name=name, row=row))
    return ids


def _refuse_columns(column: str | None, id: str | None, inherited: Collection[str], name: str) -> None:
    for option, value in (("column", column), ("id", id)):
        if value is not None and option not in inherited:
            raise InvalidOption("array-has-no-columns", name=name, option=option)
