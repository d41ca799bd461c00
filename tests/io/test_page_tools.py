"""The native functions for large pages of Parquet files, compared with Arrow's codecs."""

from __future__ import annotations

import contextlib
import struct
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.kernel import _native

CODECS = {"snappy": "snappy", "lz4": "lz4_raw"}
contents = st.lists(st.tuples(st.binary(max_size=40), st.integers(1, 3000)), max_size=12).map(
    lambda runs: b"".join(data * times for data, times in runs)
)


def unpacked(unpacker: _native.Unpacker, packed: bytes, size: int) -> bytes:
    return b"".join(unpacker.feed(packed[i : i + size]) for i in range(0, len(packed), size))


@pytest.mark.parametrize("name", CODECS)
@given(content=contents, size=st.sampled_from([1, 7, 100, 10_000, 1 << 20]))
def test_pieces_of_a_block_give_the_whole(name: str, content: bytes, size: int) -> None:
    packed = pa.Codec(CODECS[name]).compress(content, asbytes=True)
    unpacker = _native.Unpacker(name, len(content))
    assert unpacked(unpacker, packed, size) == content


@pytest.mark.parametrize("name", CODECS)
@given(content=contents, place=st.floats(0, 1), junk=st.binary(min_size=1, max_size=4))
def test_a_damaged_block_never_gives_more_bytes_than_declared(
    name: str, content: bytes, place: float, junk: bytes
) -> None:
    packed = bytearray(pa.Codec(CODECS[name]).compress(content, asbytes=True))
    at = int(place * len(packed))
    packed[at : at + len(junk)] = junk
    unpacker, made = _native.Unpacker(name, len(content)), 0
    with contextlib.suppress(ValueError):
        for i in range(0, len(packed), 50):
            made += len(unpacker.feed(bytes(packed[i : i + 50])))
    assert made <= len(content)


@given(values=st.lists(st.binary(max_size=300)), cut=st.integers(0, 400), most=st.integers(0, 50))
def test_complete_strings_are_split_from_their_lengths(values: list[bytes], cut: int, most: int) -> None:
    data = b"".join(struct.pack("<I", len(value)) + value for value in values)
    data = data[: max(0, len(data) - cut)]
    offsets, contents, read = _native.plain_values(data, most)
    got = [bytes(contents[a:b]) for a, b in pairwise(offsets.tolist())]
    assert got == values[: len(got)]
    assert read == sum(4 + len(value) for value in got)
    rest = data[read:]
    assert len(got) == most or len(rest) < 4 or len(rest) - 4 < struct.unpack("<I", rest[:4])[0]
