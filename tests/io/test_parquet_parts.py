"""Row groups that several threads encode give the same bytes as Arrow's writer, which encodes one after another."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.io import writers
from lookalike.io.formats import parquet, row_groups
from lookalike.io.formats.parquet_parts import JoinedFile
from lookalike.io.open import open_source
from lookalike.io.scan import ON_ERROR, OnError
from tests.io.making import write_kept

COLUMNS = {
    "text": pa.large_string(),
    "number": pa.int64(),
    "share": pa.float64(),
    "tags": pa.list_(pa.string()),
    "inner": pa.struct([("a", pa.int32()), ("b", pa.string())]),
}
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "text": st.text(max_size=20),
    "number": st.integers(-(2**63), 2**63 - 1),
    "share": st.floats(allow_nan=False),
    "tags": st.lists(st.text(max_size=3), max_size=3),
    "inner": st.fixed_dictionaries({"a": st.none() | st.integers(0, 9), "b": st.text(max_size=2)}),
}
ROW = st.fixed_dictionaries({name: st.none() | kind for name, kind in VALUES.items()})


def written(table: pa.Table, **how: Any) -> pa.Buffer:
    """The bytes of a file with one row group per chunk of the table."""
    sink = pa.BufferOutputStream()
    with pq.ParquetWriter(sink, table.schema, **how) as writer:
        for batch in table.to_batches():
            writer.write_table(pa.Table.from_batches([batch]))
    return sink.getvalue()


def joined(files: list[pa.Buffer]) -> bytes:
    whole = JoinedFile()
    pages = [bytes(whole.add(file)) for file in files]
    return b"".join([*pages, whole.footer()])


@given(
    st.lists(st.lists(ROW, min_size=1, max_size=9), min_size=1, max_size=20),
    st.sampled_from(["none", "snappy", "zstd", "gzip"]),
    st.booleans(),
    st.dictionaries(st.text(max_size=3), st.text(max_size=3), max_size=2),
)
def test_joined_files_are_the_file_that_arrow_writes(
    groups: list[list[dict[str, Any]]], codec: str, dictionary: bool, metadata: dict[str, str]
) -> None:
    schema = pa.schema(COLUMNS, metadata)
    batches = [pa.RecordBatch.from_pylist(rows, schema=schema) for rows in groups]
    how: dict[str, Any] = {"compression": codec, "use_dictionary": dictionary}
    whole = joined([written(pa.Table.from_batches([batch]), **how) for batch in batches])
    assert whole == written(pa.Table.from_batches(batches), **how).to_pybytes()


@pytest.mark.parametrize("groups", [1, 2, 14, 15, 16, 200])
def test_the_list_of_row_groups_may_be_long(groups: int) -> None:
    table = pa.concat_tables([pa.table({"n": [number]}) for number in range(groups)])
    parts = [written(table.slice(number, 1)) for number in range(groups)]
    assert joined(parts) == written(table).to_pybytes()


@pytest.mark.parametrize("group_bytes", [1 << 10, 1 << 14, 1 << 30])
def test_the_bytes_do_not_depend_on_the_threads(group_bytes: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "GROUP_BYTES", group_bytes)
    monkeypatch.setattr(writers, "FIRST_ROWS", 8)
    table = pa.table({"text": [f"text {number} " * (number % 50) for number in range(500)], "n": range(500)})
    files = []
    for threads in (1, 2, 5):
        sink = io.BytesIO()
        writers.write_parquet(table.to_batches(37), sink, table.schema, threads=threads)
        files.append(sink.getvalue())
    assert files[0] == files[1] == files[2]
    assert pq.read_table(io.BytesIO(files[0])).equals(table)


@pytest.mark.parametrize("on_error", ON_ERROR)
@pytest.mark.parametrize("files", [1, 2, 7])
def test_kept_rows_are_the_same_bytes_whatever_the_threads(
    tmp_path: Path, files: int, on_error: OnError, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (row_groups, parquet):
        monkeypatch.setattr(module, "BATCH_BYTES", 1 << 12)
    monkeypatch.setattr(parquet, "LANE_BYTES", 1 << 13)
    monkeypatch.setattr(writers, "GROUP_BYTES", 1 << 14)
    rows = 1_000
    for number in range(files):
        (tmp_path / "in").mkdir(exist_ok=True)
        table = pa.table({"text": [f"{number} {row} " * (row % 30) for row in range(rows)], "row": range(rows)})
        pq.write_table(table, tmp_path / "in" / f"{number}.parquet", row_group_size=70)
    source = open_source(str(tmp_path / "in"), on_error=on_error)
    kept = np.random.default_rng(files).random(rows * files) < 0.7
    found: list[dict[str, bytes]] = []
    for threads in (1, 2, 7):
        out = tmp_path / str(threads)
        paths = [*write_kept(source, kept, out / "all", threads=threads)]
        paths += write_kept(source, kept, out / "one.parquet", threads=threads)
        found.append({path.name: path.read_bytes() for path in paths})
    assert found[0] == found[1] == found[2]
    whole = pq.read_table(tmp_path / "1" / "one.parquet")["row"].to_numpy()
    assert whole.tolist() == (np.flatnonzero(kept) % rows).tolist()
