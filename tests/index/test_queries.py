"""An index answers like a run over the same documents under the same plan."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from tests.index.laws import PLAN, texts
from tests.refusals import refused


@contextmanager
def index(*added: Any, **options: Any) -> Iterator[la.Index]:
    """An index in a temporary folder, to which these data were added one after another."""
    with TemporaryDirectory() as folder, la.Index.create(Path(folder) / "x.index", **{**PLAN, **options}) as made:
        for data in added:
            made.add(data)
        yield made


def own_pairs(ix: la.Index, data: list[Any]) -> list[tuple[int, int, float]]:
    """The answers to a corpus queried against its own index, each pair once."""
    found = ix.query(data)
    rows = zip(found.left.to_pylist(), found.right.to_pylist(), found.similarity.tolist(), strict=True)
    return sorted((q, r, s) for q, r, s in rows if q < r)


def pairs(data: list[Any], plan: Any) -> list[tuple[int, int, float]]:
    found = la.find_pairs(data, plan=plan)
    assert found.similarity is not None
    return list(zip(found.left_rows.tolist(), found.right_rows.tolist(), found.similarity.tolist(), strict=True))


@settings(max_examples=60)
@given(st.lists(texts(), min_size=1, max_size=4), st.booleans())
def test_a_corpus_queried_against_its_own_index_gives_its_pairs(batches: list[list[str]], folds: bool) -> None:
    every = [text for batch in batches for text in batch]
    with index(*batches) as ix:
        if folds:
            ix.store.fold()  # type: ignore[attr-defined]
        assert len(ix) == len(every)
        assert own_pairs(ix, every) == (pairs(every, ix.plan) if every else [])


@settings(max_examples=60)
@given(st.lists(texts(), min_size=1, max_size=4), st.booleans())
def test_clusters_are_those_of_a_run(batches: list[list[str]], folds: bool) -> None:
    every = [text for batch in batches for text in batch]
    with index(*batches) as ix:
        if folds:
            ix.store.fold()  # type: ignore[attr-defined]
        expected = la.find_clusters(every, plan=ix.plan).labels.tolist() if every else []
        assert ix.clusters().labels.tolist() == expected
        for row in range(0, len(every), 7):
            assert ix.cluster_of(row) == [i for i, label in enumerate(expected) if label == expected[row]]


@settings(max_examples=60)
@given(texts(40))
def test_adding_what_is_new_keeps_what_dedupe_keeps(data: list[str]) -> None:
    with index() as ix:
        for row, text in enumerate(data):
            ix.add_if_new(text, id=row)
        expected = la.dedupe(data, plan=ix.plan, keep="first").kept_rows.tolist() if data else []
        assert ix.store.ids_of(ix.store.all_rows()).to_pylist() == expected


@given(texts(30), texts(5), st.integers(1, 4))
def test_top_keeps_the_most_similar_and_a_threshold_the_similar(data: list[str], queries: list[str], top: int) -> None:
    with index(data) as ix:
        every = ix.query(queries).to_arrow().to_pylist()
        for query in range(len(queries)):
            mine = [row for row in every if row["left"] == query]
            assert mine == sorted(mine, key=lambda row: (-row["similarity"], row["right"]))
            best = [row for row in ix.query(queries, top=top).to_arrow().to_pylist() if row["left"] == query]
            assert best == mine[:top]
            high = [row for row in ix.query(queries, threshold=0.8).to_arrow().to_pylist() if row["left"] == query]
            assert high == [row for row in mine if row["similarity"] >= 0.8]
            labels = ix.clusters().labels
            seen, single = set(), []
            for row in mine:
                single += [row] if labels[row["right"]] not in seen else []
                seen.add(labels[row["right"]])
            distinct = ix.query(queries, distinct=True).to_arrow().to_pylist()
            assert [row for row in distinct if row["left"] == query] == single


@pytest.mark.parametrize("name", ["new.txt", "new.parquet"])
def test_the_name_of_a_file_is_not_a_text(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("one two three")
    with index(["one two three"]) as ix:
        with refused("file-name-instead-of-text", name=str(tmp_path / name)):
            ix.query(str(tmp_path / name))
        with refused("file-name-instead-of-text", name=str(tmp_path / name)):
            ix.query(str(tmp_path / name), column="text")


def test_ids_can_be_strings() -> None:
    table = pa.table({"name": ["a", "b", "c"], "text": ["one two three", "one two three", "four five six"]})
    with index() as ix:
        added = ix.add(table, id="name")
        assert added.ids.to_pylist() == ["a", "b", "c"] and ix.query("one two three").right.to_pylist() == ["a", "b"]
        assert ix.cluster_of("b") == ["a", "b"]
        assert ix.add({"c": "one two three"}).replaced == 1
        assert ix.query("one two three").right.to_pylist() == ["a", "b", "c"] and len(ix) == 3


@pytest.mark.parametrize("folds", [False, True])
def test_documents_are_returned_by_id(folds: bool) -> None:
    with index() as empty:
        assert empty.documents(["a"]).num_rows == 0 and empty.documents([]).num_rows == 0
    with index({"a": "the cat sat on the mat", "b": "", "c": "a dog"}) as ix:
        ix.delete("c")
        ix.add({"a": "another text"})
        if folds:
            ix.store.fold()  # type: ignore[attr-defined]
        assert ix.documents(["b", "?", "c", "a", "a"]).to_pylist() == [
            {"id": "b", "text": ""},
            {"id": "a", "text": "another text"},
            {"id": "a", "text": "another text"},
        ]
        assert ix.documents([]).num_rows == 0
        with refused("index-ids-of-another-type", first=7):
            ix.documents([7])


def test_a_large_add_has_several_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lookalike.index.embedded_bulk.MOST_ROWS", 400)
    rng = np.random.default_rng(1)
    data = [" ".join(f"w{n}" for n in rng.integers(0, 5000, 20)) for _ in range(700)]
    data += [text.replace("w1", "w2", 1) for text in data[:300]] + data[:200]
    with index() as ix:
        ix.add(data, batch_rows=100)
        assert ix.info()["segments"] > 2
        assert own_pairs(ix, data) == pairs(data, ix.plan)
        assert ix.clusters().labels.tolist() == la.find_clusters(data, plan=ix.plan).labels.tolist()


def test_a_family_of_near_copies_is_no_burden() -> None:
    """Thousands of near-copies share every bucket."""
    base = [f"w{n}" for n in range(60)]
    family = [" ".join([*base[: i % 59], f"x{i}", *base[i % 59 + 1 :]]) for i in range(3000)]
    with index(family[:2000]) as ix:
        ix.add(family[2000:])
        assert len(ix.clusters()) == 1
        best = ix.query(family[17], top=3)
        assert best.right.to_pylist()[0] == 17 and best.similarity.tolist() == sorted(best.similarity, reverse=True)
        assert len(ix.query(" ".join(base))) == 3000
        ix.delete(range(10))
        assert len(ix.clusters()) == 1 and len(ix.clusters().labels) == 2990


def test_a_result_can_be_saved(tmp_path: Path) -> None:
    with index(["one two three", "one two three four"]) as ix:
        found = ix.query({"q": "one two three"})
        found.save(tmp_path / "found")
        again = la.load(tmp_path / "found")
        assert again.to_arrow() == found.to_arrow() and again.of("q") == found.of("q") == [(0, 1.0), (1, 2 / 3)]


QUERIES = """
import sys
import lookalike as la
with la.Index.open(sys.argv[1]) as ix:
    ix.query("one two three")
    ix.add_if_new("six seven eight", id="c")
    ix.query("six seven eight", distinct=True)
    ix.cluster_of("a"), ix.delete(["a"]), ix.documents(["b"])
print([name for name in ("pandas", "pyarrow.compute") if name in sys.modules])
"""


def test_single_calls_do_not_load_slow_libraries(tmp_path: Path) -> None:
    """Arrow loads pandas for some conversions of lists, which takes 40 MB and a quarter of a second."""
    path = tmp_path / "x.index"
    with la.Index.create(path, **PLAN) as ix:
        ix.add({"a": "one two three", "b": "three four five"})
    done = subprocess.run([sys.executable, "-c", QUERIES, str(path)], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
