"""Two sources in one: the same rows for any range and batch size, with the ids of both sides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.io.chained_source import ChainedSource
from lookalike.io.open import open_source
from tests.io.making import encode, read_rows
from tests.refusals import refused

texts = st.lists(st.text(alphabet="ab ", max_size=4), max_size=6)


def rows(words: list[str], prefix: str) -> list[dict[str, Any]]:
    return [{"id": f"{prefix}{i}", "text": word, "more": i} for i, word in enumerate(words)]


@given(texts, texts, st.integers(0, 12), st.none() | st.integers(0, 12), st.integers(1, 4))
def test_a_range_of_the_chain_is_that_of_both_laid_end_to_end(
    old: list[str], new: list[str], start: int, stop: int | None, size: int
) -> None:
    one, two = rows(old, "o"), rows(new, "n")
    if not one or not two:  # a list without rows has no columns to name
        return
    chain = ChainedSource(*(open_source(side, id="id", batch_rows=size) for side in (one, two)))
    whole = [{**row, "more": None} for row in one] + two
    assert read_rows(chain, ["id", "text", "more"], start, stop) == whole[start:stop]
    assert [d.to_pylist() for d in chain.documents()] == [d.to_pylist() for d in chain.documents(0, len(whole))]
    assert (chain.reference_rows, chain.total_rows()) == (len(one), len(whole))


@pytest.mark.parametrize("format", ["jsonl", "parquet", "csv"])
def test_files_that_do_not_say_how_many_rows_they_have_are_counted(tmp_path: Path, format: str) -> None:
    for name, prefix in (("old", "o"), ("new", "n")):
        content = [{"id": row["id"], "text": row["text"]} for row in rows([*"abcde"], prefix)]
        (tmp_path / f"{name}.{format}").write_bytes(encode(content, format))
    chain = ChainedSource(
        *(open_source(tmp_path / f"{name}.{format}", id="id", batch_rows=2) for name in ("old", "new"))
    )
    assert [row["id"] for row in read_rows(chain, ["id"], 4, 7)] == ["o4", "n0", "n1"]
    before = chain.identity()
    assert [row["id"] for row in read_rows(chain, ["id"])][4:6] == ["o4", "n0"]
    (tmp_path / f"old.{format}").write_bytes(encode([{"id": "x", "text": "y"}], format))
    assert chain.identity() != before


def test_ids_of_two_types_are_texts_and_rows_without_any_go_by_position() -> None:
    numbered = open_source([{"id": 7, "text": "a"}], id="id")
    named = open_source([{"key": "x", "text": "b"}], id="key")
    plain = open_source(["c", "d"])
    assert [row["key"] for row in read_rows(ChainedSource(numbered, named), ["key"])] == ["7", "x"]
    assert [row["id"] for row in read_rows(ChainedSource(plain, numbered), ["id"])] == [0, 1, 7]
    assert [row["position"] for row in read_rows(ChainedSource(named, plain), ["position", "text"])] == ["x", "0", "1"]
    assert ChainedSource(plain, plain).id is None


def test_texts_and_lists_are_not_mixed() -> None:
    with refused("reference-of-another-kind", column="text"):
        read_rows(ChainedSource(open_source(["a"]), open_source([["a"]])), ["text"])
