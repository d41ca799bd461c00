"""Reading any bytes ends with rows or with one of our errors."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.errors import LookalikeError
from lookalike.io.formats import line_blocks
from lookalike.io.open import open_source
from tests.io.making import compress, encode, read_rows

NAMES = [
    f"a.{format}{codec}"
    for format in ("parquet", "jsonl", "csv", "tsv", "txt", "xyz", "json")
    for codec in ("", ".gz", ".zst", ".bz2")
]
SEEDS = [
    encode([{"text": "one", "id": "a"}, {"text": "two é", "id": "b"}], format)
    for format in ("parquet", "jsonl", "csv", "tsv")
]


def read_anyhow(name: str, content: bytes, format: str | None, on_error: Literal["fail", "skip"]) -> None:
    """Reads the file in every way. Only errors that are not ours are raised."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        for columns in (None, ["text"]):
            message = "fine"
            try:
                source = open_source(str(path), format=format, on_error=on_error, batch_rows=3)
                rows = read_rows(source, columns)
                assert source.total_rows() == len(rows)
                assert read_rows(source, columns, 1, 3) == rows[1:3] or "nan" in repr(rows)
                assert bool(source.malformed) <= bool(source.warnings)
            except LookalikeError as error:
                message = str(error)
            assert message
            assert "\n" not in message


@settings(max_examples=150, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    content=st.binary(max_size=80) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")),
    format=st.sampled_from([None, None, "jsonl", "csv", "lines", "text", "parquet"]),
    on_error=st.sampled_from(["fail", "skip"]),
)
def test_random_bytes_give_rows_or_our_errors(
    name: str, content: bytes, format: str | None, on_error: Literal["fail", "skip"]
) -> None:
    read_anyhow(name, content, format, on_error)


@settings(max_examples=150, deadline=None)
@given(
    data=st.data(),
    seed=st.sampled_from(range(4)),
    codec=st.sampled_from(["", "", ".gz", ".zst", ".bz2"]),
    on_error=st.sampled_from(["fail", "skip"]),
)
def test_damaged_files_give_rows_or_our_errors(
    data: st.DataObject, seed: int, codec: str, on_error: Literal["fail", "skip"]
) -> None:
    content = bytearray(compress(SEEDS[seed], codec))
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 3))] = data.draw(st.binary(max_size=3))
        content = content or bytearray(b"x")
    read_anyhow(f"a.{('parquet', 'jsonl', 'csv', 'tsv')[seed]}{codec}", bytes(content), None, on_error)


@settings(max_examples=50, deadline=None)
@given(values=st.lists(st.binary(max_size=6), max_size=8), tokens=st.booleans(), block=st.sampled_from([1, 7, 1 << 20]))
def test_strings_that_are_not_utf8_are_found_in_every_format(values: list[bytes], tokens: bool, block: int) -> None:
    """Law: the remaining rows are those that can be decoded, in every format."""
    good = []
    for value in values:
        try:
            good.append(value.decode())
        except UnicodeDecodeError:
            continue
    array = pa.array(
        [[value] for value in values] if tokens else values, pa.list_(pa.binary()) if tokens else pa.binary()
    )
    table = pa.table({"text": array.view(pa.list_(pa.string()) if tokens else pa.string())})
    expected = [{"text": [text]} if tokens else {"text": text} for text in good]
    with tempfile.TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_blocks, "BLOCK", block)
        folder = Path(name)
        pq.write_table(table, folder / "a.parquet", row_group_size=3)
        sources = [open_source(table, on_error="skip"), open_source(str(folder / "a.parquet"), on_error="skip")]
        if not tokens and not any(set(b"\r\n") & set(value) for value in values):
            (folder / "a.txt").write_bytes(b"".join(value + b"\n" for value in values))
            if not b"".join(values).startswith(b"\xef\xbb\xbf"):
                sources.append(open_source(str(folder / "a.txt"), format="lines", on_error="skip"))
        for source in sources:
            assert read_rows(source, ["text"]) == expected
            assert source.malformed == len(values) - len(good)
