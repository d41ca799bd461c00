"""Postings and records agree with their definition, and damage is detected."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryFile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.flow.arrays import Hashes
from lookalike.kernel import Cpu
from lookalike.kernel.stored import Postings
from lookalike.text.definitions import hash128

PAGE, POSTINGS = 4096, 341


@contextmanager
def written(
    keys: Hashes, left_out: np.ndarray | None = None, threads: int = 1, most_kept: int = 0
) -> Iterator[Postings]:
    """The postings of a table of keys, in a file."""
    made = [Cpu().posting_pages(keys, band, None, left_out) for band in range(keys.shape[1])]
    with TemporaryFile() as file:
        for some in made:
            file.write(some.pages.tobytes())
        file.flush()
        counts = np.array([some.count for some in made], np.uint64)
        firsts = np.concatenate([some.firsts for some in made])
        yield Cpu(threads).postings(file.fileno(), counts, firsts, most_kept)


def pairs(keys: Hashes, queries: Hashes, left_out: np.ndarray) -> list[tuple[int, int]]:
    """The hits by definition: equal keys in some band."""
    equal = (queries[:, None, :] == keys[None, :, :]).any(axis=2) & ~left_out[None, :]
    return [(int(q), int(p)) for q, p in np.argwhere(equal)]


@st.composite
def tables(draw: st.DrawFn) -> tuple[Hashes, Hashes, np.ndarray]:
    """Keys and queries with many, few or no equal keys, and buckets that span several pages.

    Some keys are spread like hashes, and others far from it: each is a power of two, less 1.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows, bands = draw(st.sampled_from([0, 1, 5, 340, 341, 342, 1500])), draw(st.integers(1, 3))
    distinct = draw(st.sampled_from([1, 2, 3, 10, 1000, 2**63]))
    scale = draw(st.sampled_from([1, 2**63 // distinct + 1]))
    draws = rng.integers(0, distinct, (rows + 20, bands), np.uint64) * np.uint64(scale)
    if draw(st.booleans()):
        powers = np.array([2**exponent - 1 for exponent in range(65)], np.uint64)
        draws = powers[draws % np.uint64(len(powers))]
    return draws[:rows], draws[rows - rows // 10 :], rng.random(rows) < draw(st.sampled_from([0, 0.3, 1]))


@given(tables(), st.integers(0, 5000), st.integers(1, 3), st.sampled_from([0, 3, 4096]))
def test_lookups_agree_with_the_definition(
    drawn: tuple[Hashes, Hashes, np.ndarray], most: int, threads: int, most_kept: int
) -> None:
    keys, queries, left_out = drawn
    found: list[tuple[int, int]] = []
    with written(keys, left_out, threads, most_kept) as postings:
        start = 0
        while start < len(queries):
            hits = postings.find(queries, start=start, most=most)
            assert hits.next > start and not len(hits.cut_queries)
            assert not len(hits.queries) or (hits.queries[0] >= start and hits.queries[-1] < hits.next)
            found += zip(hits.queries.tolist(), hits.positions.tolist(), strict=True)
            start = hits.next
    assert found == pairs(keys, queries, left_out)


@given(tables(), st.integers(1, 20))
def test_a_cap_keeps_the_lowest_positions_and_names_what_was_cut(
    drawn: tuple[Hashes, Hashes, np.ndarray], cap: int
) -> None:
    keys, queries, left_out = drawn
    with written(keys, left_out, most_kept=4096 * (cap % 2)) as postings:
        hits = postings.find(queries, cap=cap)
    kept, cut = set(), set()
    for q in range(len(queries)):
        for band in range(keys.shape[1]):
            bucket = np.flatnonzero((keys[:, band] == queries[q, band]) & ~left_out)
            kept |= {(q, int(p)) for p in bucket[:cap]}
            cut |= {(q, band)} if len(bucket) > cap else set()
    assert list(zip(hits.queries.tolist(), hits.positions.tolist(), strict=True)) == sorted(kept)
    assert set(zip(hits.cut_queries.tolist(), hits.cut_bands.tolist(), strict=True)) == cut


@given(tables())
def test_a_band_can_be_read_in_order(drawn: tuple[Hashes, Hashes, np.ndarray]) -> None:
    keys, queries, left_out = drawn
    present = np.flatnonzero(~left_out)
    with written(keys, left_out) as postings:
        for band, pages in enumerate(postings.pages):
            order = present[np.argsort(keys[present, band], kind="stable")]
            read, positions = postings.read(band, 0, pages)
            assert read.tolist() == keys[order, band].tolist() and positions.tolist() == order.tolist()
            for key in queries[:5, band].tolist():
                page = postings.page_of(band, key)
                assert not page or keys[order[page * POSTINGS], band] < key
                assert (read[: page * POSTINGS] < np.uint64(key)).all()


def test_a_page_has_the_documented_layout() -> None:
    """A known answer: entries of 12 bytes, then the check, which is the low half of the first number of hash128."""
    keys = np.array([[7], [3], [7]], np.uint64)
    made = Cpu().posting_pages(keys, 0, np.array([10, 11, 12], np.uint32))
    page = made.pages.tobytes()
    assert len(page) == PAGE and made.count == 3 and made.firsts.tolist() == [3]
    assert [struct.unpack_from("<QI", page, 12 * i) for i in range(3)] == [(3, 11), (7, 10), (7, 12)]
    assert struct.unpack_from("<I", page, 4092)[0] == hash128(page[:4092])[0] & 0xFFFFFFFF


@given(st.integers(1, 4092), st.integers(0, 300), st.integers(0, 2**32))
def test_records_come_back(width: int, count: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    records = rng.integers(0, 256, (count, width), np.uint8)
    positions = rng.integers(0, max(count, 1), 20 if count else 0)
    with TemporaryFile() as file:
        file.write(Cpu().record_pages(records).tobytes())
        file.flush()
        assert (Cpu().read_records(file.fileno(), count, width, positions) == records[positions]).all()


def test_pages_that_are_kept_are_read_once(tmp_path: Path) -> None:
    keys = np.arange(1000, dtype=np.uint64)[:, None]
    made = Cpu().posting_pages(keys, 0)
    path = tmp_path / "keys"
    path.write_bytes(made.pages.tobytes())
    with path.open("rb") as file:
        counts = np.array([made.count], np.uint64)
        kept, other = (Cpu().postings(file.fileno(), counts, made.firsts, most_kept) for most_kept in (3, 2))
    assert kept.find(keys[:1]).positions.tolist() == other.find(keys[:1]).positions.tolist() == [0]
    path.write_bytes(b"")
    assert kept.find(keys[:1]).positions.tolist() == [0]
    for postings, query in ((kept, 999), (other, 0)):
        with pytest.raises(OSError, match="Input/output"):
            postings.find(keys[query : query + 1])


@pytest.mark.parametrize("most_kept", [0, 3])
def test_a_damaged_page_is_an_error(tmp_path: Path, most_kept: int) -> None:
    keys = np.arange(1000, dtype=np.uint64)[:, None]
    made = Cpu().posting_pages(keys, 0)
    damaged = made.pages.copy()
    damaged[PAGE + 17] ^= 1
    path = tmp_path / "keys"
    path.write_bytes(damaged.tobytes())
    with path.open("rb") as file:
        postings = Cpu().postings(file.fileno(), np.array([made.count], np.uint64), made.firsts, most_kept)
    assert postings.find(keys[:5]).positions.tolist() == [0, 1, 2, 3, 4]
    with pytest.raises(RuntimeError, match="page 1 is damaged"):
        postings.find(keys[500:501])
    path.write_bytes(damaged[:PAGE].tobytes())
    with pytest.raises(OSError, match="Input/output"):
        postings.find(keys[500:501])


def test_bad_arguments_are_refused(tmp_path: Path) -> None:
    keys = np.zeros((2, 2), np.uint64)
    with written(keys) as postings:
        with pytest.raises(ValueError, match="have 2 bands"):
            postings.find(np.zeros((1, 3), np.uint64))
        with pytest.raises(ValueError, match="have 2 bands"):
            postings.find(keys, band=1)
        with pytest.raises(ValueError, match="one of the queries"):
            postings.find(keys, start=3)
        with pytest.raises(ValueError, match="no such pages"):
            postings.read(0, 0, 2)
    with TemporaryFile() as file, pytest.raises(ValueError, match="one first key per page"):
        Cpu().postings(file.fileno(), np.array([500], np.uint64), np.zeros(1, np.uint64))
