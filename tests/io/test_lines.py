"""Blocks of whole lines: the same wherever reading starts, however long the lines are; and texts, one per line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lookalike.io.files import File
from lookalike.io.formats import line_blocks
from lookalike.io.open import open_source
from lookalike.storage.budget import LEAST, PER_BYTE, Budget
from tests.io.making import texts
from tests.refusals import refused


@given(st.lists(st.integers(0, 60)), st.booleans(), st.integers(1, 12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_blocks_do_not_depend_on_where_reading_starts(
    tmp_path: Path, lengths: list[int], ended: bool, most: int
) -> None:
    """A long line is read in pieces. Bytes of the next lines in the last piece must not become part of its block.

    A block has few lines, because the signatures of 350,000 short lines took 30 times as much memory as the lines.
    """
    path = tmp_path / "lines.txt"
    path.write_bytes(b"\n".join(b"x" * length for length in lengths) + b"\n" * ended)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_blocks, "PIECE", 25)
        patch.setattr(line_blocks, "MOST_LINES", most)
        blocks = list(line_blocks.read_blocks(File.local(path, "lines.txt"), size=10))
        assert b"".join(block.data for block in blocks) == path.read_bytes()
        for nth, block in enumerate(blocks):
            assert block.data.count(b"\n") <= most
            assert block.data.count(b"\n") <= 1 or len(block.data) <= 10, "a long line has a block of its own"
            assert list(line_blocks.read_blocks(File.local(path, "lines.txt"), block.next, 10)) == blocks[nth + 1 :]


@given(st.lists(st.text("ab\r é\U0001f600", max_size=4)), st.sampled_from(["\n", "\r\n"]), st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_line_is_a_text_without_its_end(tmp_path: Path, rows: list[str], end: str, ended: bool) -> None:
    path = tmp_path / "lines.txt"
    path.write_bytes((end.join(rows) + end * ended).encode())
    wanted = [line.removesuffix("\r") for line in path.read_bytes().decode().split("\n")]
    assert texts(open_source(path, format="lines")) == (wanted if wanted[-1:] != [""] else wanted[:-1])


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt"])
def test_a_line_that_exceeds_the_budget_is_refused_before_it_is_read_whole(tmp_path: Path, name: str) -> None:
    """The refusal of one line of 300 MB, compressed, took 1.6 GiB."""
    size, path = 3 << 20, tmp_path / name
    path.write_text('{"text": "short"}\n' if name == "a.jsonl" else "text\n")
    with path.open("a") as file:
        file.write('{"text": "' + "w " * (size // 2) + '"}\n' if name == "a.jsonl" else "w " * (size // 2) + "\n")
    stored = path.stat().st_size - path.read_bytes().index(b"\n") - 1
    for budget, fits in ((LEAST + PER_BYTE * stored, True), (LEAST + PER_BYTE * (stored - 1), False)):
        with Budget(budget).in_force():
            source = open_source(path, format="lines" if name == "a.txt" else None)
        if fits:
            assert len(texts(source)) in (1, 2)
        else:
            with refused("memory-too-small", limit=budget, least=-(-(LEAST + PER_BYTE * stored) // 2**20) * 2**20):
                texts(source)
