"""Rows are the same in any format, compression, batch size and range."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.flow.documents import TEXT
from lookalike.io.formats import delimited, line_blocks
from lookalike.io.open import Paths, open_source
from lookalike.io.source import Source
from tests.io.making import CODECS, FORMATS, Rows, read_rows, texts, write
from tests.refusals import refused

ROWS: Rows = [
    {"id": f"n{i}", "text": text, "note": f"{i % 3}"}
    for i, text in enumerate(
        [
            "plain",
            "two\nlines",
            'with "quotes", commas',
            "tab\there",
            "",
            "naïve 漢字 🎉",
            "trailing space ",
            "nul\0inside",
        ]
        * 5
    )
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("formats")
    for format in FORMATS:
        for codec in CODECS:
            write(folder / f"rows.{format}{codec}", ROWS)
    for format in FORMATS:
        for part in range(4):
            write(folder / format / f"part-{part}.{format}", ROWS[part * 10 : part * 10 + 10])
    return folder


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few rows, so that these little files have many of them."""
    monkeypatch.setattr(line_blocks, "BLOCK", 100)
    monkeypatch.setattr(delimited, "CHUNK_ROWS", 3)


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("codec", CODECS)
def test_every_format_and_compression_gives_the_same_rows(folder: Path, format: str, codec: str) -> None:
    source = open_source(str(folder / f"rows.{format}{codec}"), id="id")
    assert read_rows(source) == ROWS
    assert texts(source) == [row["text"] for row in ROWS]
    assert source.columns == ["id", "text", "note"]
    assert source.malformed == 0
    assert source.total_rows() == len(ROWS)
    batch = next(source.read(["text", "id"]))
    assert batch.data.schema.names == ["text", "id"]
    assert batch.data.schema.types == [TEXT, TEXT]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("batch_rows", [1, 3, 8192])
def test_the_size_of_batches_and_blocks_changes_nothing(folder: Path, format: str, batch_rows: int) -> None:
    source = open_source(str(folder / f"rows.{format}"), id="id", batch_rows=batch_rows)
    assert read_rows(source) == ROWS
    assert max(map(len, source.read(["text"]))) <= batch_rows


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("codec", ["", ".gz"])
@pytest.mark.parametrize("format", [*FORMATS, "folder"])
def test_a_range_of_rows_is_a_slice_of_all_rows(folder: Path, format: str, codec: str) -> None:
    path = folder / "jsonl" if format == "folder" else folder / f"rows.{format}{codec}"
    known = open_source(str(path), batch_rows=4)
    assert read_rows(known) == ROWS
    for start in range(0, 45, 7):
        for stop in (None, start, start + 1, start + 11, 100):
            fresh = open_source(str(path), batch_rows=4)
            for source in (fresh, known):  # one that must find the rows, and one that has an index of them
                assert read_rows(source, None, start, stop) == ROWS[start:stop]
                assert texts(source, start, stop) == [row["text"] for row in ROWS[start:stop]]


@settings(max_examples=30, deadline=None)
@given(
    ranges=st.lists(st.tuples(st.integers(0, 45), st.integers(0, 45)), min_size=1, max_size=6),
    format=st.sampled_from(FORMATS),
)
def test_ranges_read_in_any_order_are_slices(folder: Path, ranges: list[tuple[int, int]], format: str) -> None:
    source = open_source(str(folder / format), batch_rows=3)
    for start, stop in ranges:
        assert read_rows(source, ["id", "text"], start, stop) == [
            {"id": row["id"], "text": row["text"]} for row in ROWS[start:stop]
        ]


@pytest.mark.parametrize("format", FORMATS)
def test_many_files_are_numbered_through_in_sorted_order(folder: Path, format: str) -> None:
    for data in (
        str(folder / format),
        folder / format,
        str(folder / format / f"*.{format}"),
        str(folder / "**" / f"part-*.{format}"),
        Paths(folder / format),
        Paths([folder / format / f"part-{part}.{format}" for part in range(4)]),
        [folder / format / f"part-{part}.{format}" for part in range(4)],
    ):
        assert read_rows(open_source(data, id="id")) == ROWS


def test_paths_keep_the_order_they_were_given_in(folder: Path) -> None:
    source = open_source(Paths([str(folder / "csv" / "part-1.csv"), str(folder / "csv" / "part-0.csv")]))
    assert read_rows(source) == ROWS[10:20] + ROWS[:10]


@pytest.mark.parametrize("format", FORMATS)
def test_a_source_can_be_sent_to_another_process(folder: Path, format: str) -> None:
    source = open_source(str(folder / format), id="id")
    assert len(read_rows(source, None, 0, 15)) == 15
    copy: Source = pickle.loads(pickle.dumps(source))
    assert read_rows(copy, None, 12) == ROWS[12:]
    assert copy.identity() == source.identity()


@pytest.mark.parametrize("format", FORMATS)
def test_only_the_columns_asked_for_are_read_in_the_order_asked(folder: Path, format: str) -> None:
    source = open_source(str(folder / f"rows.{format}"))
    assert list(read_rows(source, ["note", "text"])[0]) == ["note", "text"]
    assert read_rows(source, ["note"]) == [{"note": row["note"]} for row in ROWS]
    with refused("no-such-column", column="nope", columns=("id", "text", "note")):
        next(iter(source.read(["nope"])))


@pytest.mark.parametrize("format", FORMATS)
def test_the_wrong_column_is_answered_with_those_there_are(folder: Path, format: str) -> None:
    path = str(folder / f"rows.{format}")
    with refused("no-such-column", column="body", columns=("id", "text", "note"), options=("column",)):
        open_source(path, column="body")
    with refused("no-such-column", column="body", columns=("id", "text", "note"), options=("id",)):
        open_source(path, id="body")


@pytest.mark.parametrize("format", FORMATS)
def test_a_file_without_the_column_among_files_with_it_is_named(tmp_path: Path, format: str) -> None:
    write(tmp_path / f"a.{format}", ROWS[:3])
    write(tmp_path / f"b.{format}", [{"id": "1", "body": "x"}])
    if format == "jsonl":  # lines need not have every field
        assert texts(open_source(str(tmp_path)))[3:] == [""]
        return
    with refused("no-such-column", where=str(tmp_path / f"b.{format}"), column="text"):
        open_source(str(tmp_path))


@pytest.mark.parametrize("format", FORMATS)
def test_columns_that_only_some_files_have_are_null_elsewhere(tmp_path: Path, format: str) -> None:
    write(tmp_path / f"a.{format}", [{"text": "x", "more": "m"}])
    write(tmp_path / f"b.{format}", [{"text": "y"}])
    source = open_source(str(tmp_path))
    assert source.columns == ["text", "more"]
    assert read_rows(source) == [{"text": "x", "more": "m"}, {"text": "y", "more": None}]


@pytest.mark.parametrize("format", [*FORMATS, "memory"])
def test_the_identity_changes_with_the_data(tmp_path: Path, format: str) -> None:
    def identity(rows: Rows, id: str | None = None) -> str:
        if format == "memory":
            return open_source(rows, id=id).identity()
        path = tmp_path / f"a.{format}"
        path.unlink(missing_ok=True)
        return open_source(str(write(path, rows)), id=id).identity()

    first = identity(ROWS)
    assert open_source(ROWS).identity() == open_source(ROWS).identity()
    assert identity(ROWS[:-1]) != first
    assert identity(ROWS, id="id") != identity(ROWS)


@pytest.mark.parametrize("format", ["parquet", "jsonl"])
def test_ids_are_integers_or_strings(tmp_path: Path, format: str) -> None:
    path = write(tmp_path / f"a.{format}", [{"text": "x", "id": 2**60 + 1}, {"text": "y", "id": -5}])
    source = open_source(str(path), id="id")
    assert read_rows(source, ["id"]) == [{"id": 2**60 + 1}, {"id": -5}]
    assert str(next(source.read(["id"])).data.schema.field("id").type) == "int64"


def test_invalid_options_are_refused(folder: Path) -> None:
    path = str(folder / "rows.csv")
    with refused("not-one-of", option="format", value="xml"):
        open_source(path, format="xml")
    with refused("not-one-of", option="on_error", allowed=("fail", "skip"), value="ignore"):
        open_source(path, on_error="ignore")  # type: ignore[arg-type]
    with refused("not-a-whole-number", option="batch_rows", least=1, value=0):
        open_source(path, batch_rows=0)
    with refused("no-paths"):
        open_source(Paths([]))


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("format", FORMATS)
def test_threads_may_read_one_source_at_the_same_time(folder: Path, format: str) -> None:
    source = open_source(str(folder / format), batch_rows=2)

    def part(start: int) -> Rows:
        return read_rows(source, ["id"], start, start + 10)

    with ThreadPoolExecutor(4) as pool:
        for start, rows in zip(range(0, 40, 5), pool.map(part, range(0, 40, 5)), strict=True):
            assert rows == [{"id": row["id"]} for row in ROWS[start : start + 10]]
    assert read_rows(source) == ROWS


@pytest.mark.parametrize("format", FORMATS)
def test_texts_and_ids_need_different_columns(folder: Path, format: str) -> None:
    with refused("one-column-for-texts-and-ids", column="text"):
        open_source(str(folder / f"rows.{format}"), id="text", format=format)
    with refused("one-column-for-texts-and-ids"):
        open_source(["a"], id="text")


def test_many_and_long_columns_are_listed_in_short(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text(",".join(["x" * 100_000, *(f"c{i}" for i in range(1000))]) + "\n", encoding="utf-8")
    with refused("no-such-column", column="text") as caught:
        open_source(path)
    assert len(str(caught.value)) < 500
