"""Known answers of the format of an index: the files that this code writes must stay readable, byte for byte."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.flow import Words
from tests.index.test_changes import same_as_new

TEXTS = ["one two three four", "one two three four!", "", "five six seven", "Ünï côdé wörds"] + [
    f"text {n} of many, number {n * n}" for n in range(300)
]

PAGES = {
    "keys": "f13ca207fd0a1ddb680f2a4831f24be8e0441c56094b8acc3e169c1c8be8427d",
    "rows": "0d5792987c13e512c1fbd01320caa86f0e44409c0726bf261c829551a7de7ca8",
}
"""SHA-256 of the pages of a segment with these texts."""


PASSAGES = "92ed5f68010f3c4cd6748a77877b41e3cee9d3a60c95a3b82639a64e67b907bb"
"""SHA-256 of the pages with the chosen shingles of these texts and of a long one."""


@pytest.fixture
def segment(tmp_path: Path) -> Path:
    return written(tmp_path / "x.index")


def written(path: Path, *more: str, contain: bool = False) -> Path:
    """Writes a segment with these texts and more."""
    plan: dict[str, Any] = {
        "shingles": Words(2, key=3),
        "threshold": 0.5,
        "seed": 7,
        "hashes": 16,
        "bands": 8,
        "rows": 2,
    }
    texts = [*TEXTS, *more]
    with la.Index.create(path, contain=contain, **plan) as ix:
        ix.add({"id": [*range(1000, 1000 + len(texts))], "text": texts}, id="id")
    return path / "segments" / "000000"


def tail(path: Path) -> tuple[bytes, dict[str, bytes], dict[str, object]]:
    """The data, arrays and facts of a file, read as docs/reference/index-format.md describes them."""
    whole = path.read_bytes()
    end = whole[-24:]
    position, length, crc = (int.from_bytes(end[a:b], "little") for a, b in ((0, 8), (8, 12), (12, 16)))
    assert end[16:] == b"lookseg1" and zlib.crc32(whole[position:-24]) == crc
    about = json.loads(whole[len(whole) - 24 - length : -24])
    arrays, at = {}, position
    for name, (kind, count) in about["arrays"].items():
        size = sum(np.dtype(field[1]).itemsize for field in kind) * count
        arrays[name] = whole[at : at + size]
        at += size
    return whole[:position], arrays, about["facts"]


@pytest.mark.parametrize("kind", PAGES)
def test_pages_are_the_same_bytes_on_every_machine(segment: Path, kind: str) -> None:
    data, _, _ = tail(segment.with_suffix(f".{kind}"))
    assert len(data) % 4096 == 0
    assert hashlib.sha256(data).hexdigest() == PAGES[kind]


def test_files_are_as_the_format_says(segment: Path) -> None:
    data, arrays, facts = tail(segment.with_suffix(".rows"))
    assert facts == {"bands": 8, "first": 0, "ids": "int", "rows": 305} and arrays == {}
    first = data[:52]
    assert int.from_bytes(first[32:40], "little") == 1000  # the id
    assert [int.from_bytes(first[at : at + 4], "little") for at in (40, 44, 48)] == [18, 18, 0]
    assert int.from_bytes(data[2 * 52 + 48 : 2 * 52 + 52], "little") == 1  # the third text is empty
    assert first[:16] == data[52:68] and first[16:32] != data[68:84]  # the same words, other bytes
    data, arrays, facts = tail(segment.with_suffix(".keys"))
    counts, firsts = (np.frombuffer(arrays[name], "<u8") for name in ("counts", "firsts"))
    assert counts.tolist() == [304] * 8 + [305] and len(firsts) * 4096 == len(data)
    ids = np.frombuffer(data[8 * 4096 : 8 * 4096 + 24], "<u4")  # the first page of the last band
    assert ids.tolist() == [1000, 0, 0, 1001, 0, 1]
    data, arrays, facts = tail(segment.with_suffix(".texts"))
    first_text, size, raw, crc = np.frombuffer(arrays["blocks"][:16], "<u4").tolist()
    block = data[:size]
    assert (first_text, zlib.crc32(block), facts) == (0, crc, {"texts": 305})
    plain = pa.Codec("zstd").decompress(block, raw).to_pybytes()
    lengths = np.frombuffer(plain[: 4 * 305], "<u4")
    assert lengths[:5].tolist() == [len(text.encode()) for text in TEXTS[:5]]
    assert plain[4 * 305 :].decode() == "".join(TEXTS)


def test_passages_are_one_more_band_after_pages_that_do_not_change(tmp_path: Path) -> None:
    long = " ".join(f"word{n}" for n in range(400))
    plain, _, _ = tail(written(tmp_path / "x.index", long).with_suffix(".keys"))
    data, arrays, _ = tail(written(tmp_path / "y.index", long, contain=True).with_suffix(".keys"))
    assert data[: len(plain)] == plain
    assert np.frombuffer(arrays["counts"], "<u8")[9] == 304 + 91
    assert hashlib.sha256(data[len(plain) :]).hexdigest() == PASSAGES


OLD = Path(__file__).parent / "format-2.zip"
"""An index of format 2 that was written when the format was published: a segment, three recent rows, one deletion."""


def test_an_index_that_was_written_before_is_read(tmp_path: Path) -> None:
    """A later version may refuse it, but must not misread it."""
    path = tmp_path / "old.index"
    with zipfile.ZipFile(OLD) as packed:
        packed.extractall(path)
    with la.Index.open(path) as ix:
        assert ix.cluster_of(7) == [7, 9] and ix.info()["deleted"] == 1
        assert ix.query("one two three four").top() == [(0, 7, 1.0), (0, 9, 0.75)]
        ix.verify()
        expected = {7: "one two three four", 9: "one two three four five", 8: "six seven eight"}
        same_as_new(ix, expected)
        ix.compact()
        same_as_new(ix, expected)
