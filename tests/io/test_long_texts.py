"""Rows with long texts: the same bytes as those of all other rows, with little memory."""

from __future__ import annotations

import io
import tracemalloc

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.errors import LookalikeError
from lookalike.io import long_texts, writers
from lookalike.io.outputs import WRITABLE

FORMATS = [format for format in WRITABLE if format != "parquet"]

rows = st.lists(
    st.fixed_dictionaries(
        {
            "text": st.one_of(st.none(), st.text(st.sampled_from('a"\\,;\t\n\r\ufeff\x00é語😀'), max_size=60)),
            "n": st.one_of(st.none(), st.integers(0, 9)),
            "scores": st.lists(st.floats(), max_size=2),
        }
    ),
    max_size=5,
)


def written(table: pa.Table, format: str) -> bytes:
    sink = io.BytesIO()
    writers.WRITERS[format](table.to_batches(), sink, table.schema)
    return sink.getvalue()


@given(rows, st.sampled_from(FORMATS), st.sampled_from([pa.string(), pa.large_string()]), st.integers(4, 9))
def test_pieces_of_a_text_make_the_same_bytes_as_the_whole(
    values: list[dict[str, object]], format: str, kind: pa.DataType, piece: int
) -> None:
    schema = pa.schema([("text", kind), ("n", pa.int64()), ("scores", pa.list_(pa.float64()))])
    table = pa.Table.from_pylist(values, schema)
    expected = written(table, format)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writers, "LARGE", 0)
        patch.setattr(long_texts, "PIECE", piece)
        assert written(table, format) == expected


@pytest.mark.parametrize("format", FORMATS)
def test_a_long_text_is_never_a_python_string_as_a_whole(format: str) -> None:
    """A text of 44 MB with one emoji became a string of 176 MB, and its JSON another one."""
    table = pa.table({"text": ["a" * 20_000_000 + "😀"]})

    class Nothing(io.RawIOBase):
        def write(self, data: object) -> int:
            return 0

    tracemalloc.start()
    writers.WRITERS[format](table.to_batches(), Nothing(), table.schema)  # type: ignore[arg-type]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000


@pytest.mark.parametrize("format", FORMATS)
def test_a_long_text_that_is_not_utf8_is_refused(format: str) -> None:
    long = pa.array([b"a" * 20_000_000 + b"\xff"]).view(pa.string())
    with pytest.raises(LookalikeError, match="text"):
        written(pa.table({"text": long}), format)
