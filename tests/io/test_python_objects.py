"""Data as people have it in Python: dictionaries, tuples, rows of databases, lazy tables and Hugging Face datasets."""

from __future__ import annotations

import json
import sqlite3
from collections import namedtuple
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.io.open import open_source
from lookalike.io.records import read_records
from tests.conftest import MISSING
from tests.io.making import read_rows, texts
from tests.refusals import refused

CAT, COPY, DOG = "the cat sat on the mat today", "The cat sat on the mat, today!", "a dog went home"
BY_ID = {"a": CAT, "b": COPY, "c": DOG}
FIND: Any = {"threshold": 0.8, "shingles": "words:2"}
Row = namedtuple("Row", ["id", "text"])


def library(name: str) -> Any:
    return pytest.importorskip(name, reason=f"{MISSING}{name} (pip install {name})")


def database() -> Any:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.execute("create table t (id, text)")
    connection.executemany("insert into t values (?, ?)", BY_ID.items())
    return connection.execute("select * from t")


@pytest.mark.parametrize(
    "make",
    [
        lambda: [{"id": key, "text": text} for key, text in BY_ID.items()],
        lambda: ({"id": key, "text": text} for key, text in BY_ID.items()),
        lambda: [Row(key, text) for key, text in BY_ID.items()],
        lambda: list(BY_ID.items()),
        lambda: zip(BY_ID, BY_ID.values(), strict=True),
        lambda: BY_ID,
        lambda: {key: {"text": text} for key, text in BY_ID.items()},
        database,
        lambda: library("polars").LazyFrame({"id": list(BY_ID), "text": list(BY_ID.values())}),
        lambda: pa.dataset.dataset(pa.table({"id": list(BY_ID), "text": list(BY_ID.values())})),
        lambda: pa.dataset.dataset(pa.table({"id": list(BY_ID), "text": list(BY_ID.values())})).scanner(),
    ],
    ids="dictionaries generator namedtuples tuples zip mapping rows-by-id sqlite lazyframe dataset scanner".split(),
)
def test_every_kind_of_texts_with_ids_gives_the_same_pairs(make: Any) -> None:
    assert list(la.find_pairs(make(), id="id", **FIND)) == [("a", "b", 1.0)]


def test_the_keys_of_a_dictionary_and_numbers_before_texts_are_ids() -> None:
    assert list(la.find_pairs(BY_ID, **FIND)) == [("a", "b", 1.0)]
    assert list(la.find_pairs([(7, CAT), (8, DOG), (9, COPY)], **FIND)) == [(7, 9, 1.0)]
    assert list(la.find_pairs({"x": {"milk", "bread"}, "y": {"bread", "milk"}}, threshold=0.5)) == [("x", "y", 1.0)]
    removed = la.dedupe(BY_ID, **FIND)
    assert removed.removed["id"].to_pylist() == ["b"] and removed.kept.column_names == ["id", "text"]
    assert list(la.frequent_pairs({"x": {"milk", "bread"}, "y": {"bread", "milk"}}, support=2)) == [
        ("bread", "milk", 2)
    ]


@given(st.dictionaries(st.text(max_size=3) | st.text("ab", max_size=2), st.none() | st.text(max_size=5), min_size=1))
def test_a_dictionary_of_texts_keeps_every_id_and_text(data: dict[str, str | None]) -> None:
    data = {key: text for key, text in data.items() if key != "text"}
    if any(text is not None for text in data.values()):
        source = open_source(data)
        assert [row["id"] for row in read_rows(source)] == list(data)
        assert texts(source) == [text or "" for text in data.values()]


def test_a_dictionary_may_be_empty_but_must_contain_texts_or_columns() -> None:
    assert open_source({}).total_rows() == 0 and len(la.find_pairs({})) == 0
    for data in ({"a": 1}, {"a": "text", "b": 3}):
        with refused("neither-texts-nor-columns"):
            open_source(data)


def test_a_malformed_text_is_skipped_with_its_id() -> None:
    source = open_source({"a": "one", "b": "\ud800", "c": "two"}, on_error="skip")
    assert [row["id"] for row in read_rows(source)] == ["a", "c"] and source.malformed == 1


def test_bytes_are_texts_in_utf8() -> None:
    assert texts(open_source([b"bytes", None, "é".encode()])) == ["bytes", "", "é"]


PAIRS_OF_TEXTS = [("milk", "bread"), ("beer", "chips")]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (PAIRS_OF_TEXTS, "tuples-of-two-texts"),
        (zip(*PAIRS_OF_TEXTS, strict=True), "tuples-of-two-texts"),
        ([(1, CAT, "en"), (2, DOG, "en")], "tuples-without-names"),
        (["a.jsonl", "b.jsonl"], "list-of-file-names"),
        (np.array(["part/*.csv.gz"]), "list-of-file-names"),
        (pa.array(["a.txt"]), "list-of-file-names"),
        ({"text": CAT}, "text-instead-of-column"),
    ],
)
def test_data_with_two_readings_is_refused_with_what_to_write(data: Any, code: str) -> None:
    """All of these were read as texts or sets of tokens, and gave an answer about something else."""
    with refused(code):
        la.find_pairs(data, **FIND)


def test_what_the_refusals_say_to_write_works(tmp_path: Path) -> None:
    assert len(la.find_pairs([list(pair) for pair in PAIRS_OF_TEXTS])) == 0
    assert la.find_pairs(PAIRS_OF_TEXTS, id="id").summary.documents == 2
    assert la.find_pairs({"text": ["a.jsonl", "a.jsonl"]}).top() == [(0, 1, 1.0)]
    for name, text in BY_ID.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    names = [str(tmp_path / f"{name}.txt") for name in BY_ID]
    with refused("list-of-file-names", first=names[0]):
        la.find_pairs(names, **FIND)
    assert list(la.find_pairs([Path(name) for name in names], **FIND)) == [("a.txt", "b.txt", 1.0)]
    assert list(la.find_pairs([Path(names[0]), *names[1:]], **FIND)) == [("a.txt", "b.txt", 1.0)]


def test_names_of_files_are_refused_by_every_verb() -> None:
    for call in (
        lambda: la.dedupe([CAT], against=["a.jsonl"]),
        lambda: la.join(["a.txt"], ["b.txt"]),
        lambda: la.contamination([CAT], ["test.jsonl"]),
        lambda: la.frequent_pairs(["a.csv"], support=1),
        lambda: la.nearest(["vectors.npy"]),
        lambda: la.resolve(["a.csv"]),
        lambda: la.plagiarism(["a.txt"]),
    ):
        with refused("list-of-file-names"):
            call()


@pytest.mark.parametrize("data", [[CAT, DOG], BY_ID, list(BY_ID.items()), [["Ann", "Rome"]], pa.array([CAT])])
def test_records_need_columns(data: Any) -> None:
    """`resolve` of plain texts found nothing, and said nothing."""
    with refused("records-without-columns"):
        la.resolve(data)
    with refused("records-without-columns"):
        la.link([{"name": "Ann"}], data)


def test_an_open_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "a"}\n')
    with (tmp_path / "a.jsonl").open() as file, refused("open-file"):
        la.find_pairs(file)


def test_compare_reads_paths_and_refuses_names(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(CAT, encoding="utf-8")
    pa.output_stream(str(tmp_path / "b.txt.gz"), compression="gzip").write(COPY.encode())
    paths = tmp_path / "a.txt", tmp_path / "b.txt.gz"
    assert (
        la.compare(*paths, shingles="words:2").similarity == la.compare(CAT, COPY, shingles="words:2").similarity == 1
    )
    with refused("file-name-instead-of-text", name=str(paths[0])):
        la.compare(str(paths[0]), CAT)
    for name in ("a.jsonl", Path("b.csv")):
        with refused("table-instead-of-text"):
            la.compare(CAT, name)


def test_a_lazy_table_that_cannot_be_loaded_is_named() -> None:
    polars = library("polars")
    with refused("table-not-loaded", type="LazyFrame"):
        la.find_pairs(polars.LazyFrame({"text": [CAT]}).select("nope"))


def test_deduplicating_a_dataset_gives_one_back_with_all_columns() -> None:
    """With features, not only values: a class label is stored as a number."""
    datasets = library("datasets")
    features = datasets.Features(
        {
            "text": datasets.Value("string"),
            "label": datasets.ClassLabel(names=["no", "yes"]),
            "id": datasets.Value("int32"),
        }
    )
    columns = {"text": [DOG, CAT, COPY, "x"], "label": [0, 1, 0, 1], "id": [7, 8, 9, 10]}
    given = datasets.Dataset.from_dict(columns, features=features).select([3, 2, 1, 0])
    kept = la.dedupe(given, id="id", **FIND).to_dataset()
    assert kept.features == given.features
    assert kept[:] == {"text": ["x", COPY, DOG], "label": [1, 0, 0], "id": [10, 9, 7]}
    assert kept._fingerprint != given._fingerprint  # which would make `map` return cached rows of the other dataset
    assert la.find_pairs(given.to_iterable_dataset(), id="id", **FIND).top() == [(9, 8, 1.0)]
    assert la.find_pairs(given, id="id", **FIND).to_dataset().column_names == ["left", "right", "similarity"]
    with refused("several-splits", splits=("train",)):
        la.dedupe(datasets.DatasetDict({"train": given}))


def test_a_filtered_frame_comes_back_with_its_index() -> None:
    """It came back with a column __index_level_0__, which was also offered as a column of texts."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": range(8), "text": ["one text for all of them"] * 4 + ["b c", "d", "e f", "g"]})
    even = frame[frame.id % 2 == 0]
    kept = la.dedupe(even, id="id")
    assert kept.to_arrow().column_names == ["id", "text"]
    pandas.testing.assert_frame_equal(kept.to_pandas(), frame.loc[[0, 4, 6]], check_dtype=False)
    for index in (
        pandas.Index([*"pqrstuvw"], name="doc"),
        pandas.RangeIndex(10, 18),
        pandas.RangeIndex(0, 16, 2, name="text"),
        pandas.MultiIndex.from_product([["a", "b"], range(4)], names=["group", None]),
        pandas.date_range("2024-01-01", periods=8, name="day"),
    ):
        labelled = frame.set_axis(index)
        kept = la.dedupe(labelled).to_pandas()
        pandas.testing.assert_frame_equal(kept, labelled.iloc[[0, 4, 5, 6, 7]], check_dtype=False)
    broken = frame.set_axis([*"pqrstuvw"]).assign(text=[b"a b c", b"\xff", *[b"x y z"] * 6])
    assert list(la.dedupe(broken, on_error="skip").to_pandas().index) == ["p", "r"]
    with refused("no-such-column", columns=("id", "text")):
        la.dedupe(even, column="body")
    assert list(read_records(even).columns) == ["id", "text"]


def test_an_iterator_cannot_be_both_inputs() -> None:
    """The second input was read as empty."""
    verbs: list[Any] = [la.join, la.contamination, la.nearest, la.link, la.plagiarism]
    for verb in verbs:
        options = {"top": 1} if verb is la.nearest else {}
        rows = iter(["one two three", "four five six"])
        with refused("iterator-used-twice"):
            verb(rows, rows, **options)
        assert len([*rows]) == 2
    others: dict[str, Any] = {"against": la.dedupe, "template": la.plagiarism}
    for option, verb in others.items():
        rows = iter(["one two three", "four five six"])
        with refused("iterator-used-twice"):
            verb(rows, **{option: rows})


def test_uneven_tuples_of_texts_and_numbers_are_refused() -> None:
    with refused("uneven-tuples"):
        la.find_pairs([("a", "some text"), ("b", "some text", 1)])
    assert la.find_pairs([("a", "b"), ("a", "b", "b")]).summary.documents == 2


def test_the_format_of_a_dataset_is_respected() -> None:
    rows = library("datasets").Dataset.from_dict({"text": ["a b", "a b"], "other": ["x", "y"]})
    with refused("dataset-with-transform"):
        la.dedupe(rows.with_transform(lambda batch: {"text": ["changed"] * len(batch["text"])}))
    assert la.dedupe(rows.with_format("numpy")).kept.column_names == ["text", "other"]
    assert la.dedupe(rows.with_format("numpy", columns=["text"])).kept.column_names == ["text"]


@pytest.mark.parametrize("in_list", [False, True])
@pytest.mark.parametrize("part", [slice(0, 4), slice(1, 4), slice(2, 3)])
def test_list_views_in_structs_keep_their_values(part: slice, in_list: bool) -> None:
    """Arrow's cast mixed up the lists of a slice, and lists that are stored in another order."""
    starts, sizes = pa.array([4, 0, 2, 0], pa.int32()), pa.array([2, 3, 1, 0], pa.int32())
    views = pa.ListViewArray.from_arrays(
        starts, sizes, pa.array([*"abcdef"]), mask=pa.array([False, False, True, False])
    )
    array = pa.StructArray.from_arrays([views, pa.array([1, 2, 3, 4])], ["a", "b"], mask=pa.array([True, *[False] * 3]))
    if in_list:
        array = pa.ListArray.from_arrays([0, 1, 2, 3, 4], array)
    rows = array[part]
    kept = la.dedupe(pa.table({"text": [*"pqrs"][part], "more": rows}), shingles="chars:1").kept
    assert kept["more"].to_pylist() == rows.to_pylist()


@pytest.mark.parametrize("given", ["lists", "table", "dictionaries", "parquet"])
def test_integer_tokens_come_back_as_integers(given: str, tmp_path: Path) -> None:
    """They came back as strings."""
    rows: list[list[int | None] | None] = [[3, 10**18], [3, 10**18], None, [-4, None]]
    table = pa.table({"text": rows})
    pa.parquet.write_table(table, tmp_path / "in.parquet")
    dictionaries = [{"text": row} for row in rows]
    data: Any = {"lists": rows, "table": table, "dictionaries": dictionaries, "parquet": tmp_path / "in.parquet"}[given]
    result = la.dedupe(data, shingles="tokens", out=tmp_path / "out.jsonl")
    assert result.kept["text"].to_pylist() == [rows[0], rows[2], rows[3]]
    assert [json.loads(line)["text"] for line in (tmp_path / "out.jsonl").read_text().splitlines()] == [
        rows[0],
        rows[2],
        rows[3],
    ]
    assert la.load(result.save(tmp_path / "saved")).kept.equals(result.kept)
    none = la.dedupe(pa.table({"text": rows}).slice(4), shingles="tokens").kept
    assert none.schema.field("text").type == result.kept.schema.field("text").type


@pytest.mark.parametrize("of", [np.str_, type("Label", (str,), {}), str.encode, lambda text: bytearray(text.encode())])
def test_a_list_contains_texts_whatever_their_class(of: Any) -> None:
    """Texts of NumPy were taken for paths, and byte arrays for sets of numbers."""
    pairs = la.find_pairs([of(CAT), of(COPY), of(DOG), of(CAT[::-1])], **FIND)
    assert list(pairs) == [(0, 1, 1.0)]


def test_ids_of_mixed_types_are_reported_once() -> None:
    """The error contained itself."""
    with pytest.raises(la.errors.MalformedInput) as caught:
        la.find_pairs({1: CAT, "1": COPY})
    assert str(caught.value).count("the dictionary given") == 1
