"""Adding, replacing and deleting documents, and everything that is refused."""

from __future__ import annotations

import errno
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lookalike as la
from lookalike.errors import (
    InputError,
    InvalidOption,
    MalformedInput,
    NoInput,
    OutputError,
    OutputExists,
    PlanMismatch,
    WorkTaken,
)
from lookalike.index.catalogue import Catalogue
from lookalike.notices import Notice
from tests.index.laws import PLAN, texts
from tests.index.test_queries import index


def content(ix: la.Index) -> dict[int, str]:
    """The texts of an index, by id."""
    rows = ix.store.all_rows()
    ids, stored = ix.store.ids_of(rows).to_pylist(), ix.store.texts_of(rows).to_pylist()
    return dict(zip(ids, stored, strict=True))


def same_as_new(ix: la.Index, expected: dict[int, str]) -> None:
    """The index answers like a run over its documents, which are these, in this order."""
    assert list(content(ix).items()) == list(expected.items()) and len(ix) == len(expected)
    data, names = [*expected.values()], [*expected]
    if not data:
        assert len(ix.clusters().labels) == 0
        return
    assert ix.clusters().labels.tolist() == la.find_clusters(data, plan=ix.plan).labels.tolist()
    found = ix.query(data)
    places = {name: place for place, name in enumerate(names)}
    right = [places[name] for name in found.right.to_pylist()]
    pairs = la.find_pairs(data, plan=ix.plan)
    every = sorted((q, r) for q, r in zip(found.left_rows.tolist(), right, strict=True) if q < r)
    assert every == list(zip(pairs.left_rows.tolist(), pairs.right_rows.tolist(), strict=True))


@settings(max_examples=60)
@given(
    texts(20), st.lists(st.integers(0, 19), max_size=12), st.lists(st.tuples(st.integers(0, 25), texts(1)), max_size=5)
)
def test_what_is_deleted_or_replaced_is_gone(
    data: list[str], deleted: list[int], replaced: list[tuple[int, list[str]]]
) -> None:
    expected = dict(enumerate(data))
    with index(data) as ix:
        there = {id for id in deleted if id in expected}
        assert ix.delete(deleted) == len(there)
        expected = {id: text for id, text in expected.items() if id not in there}
        if data:
            for id, some in replaced:
                for text in some:
                    assert ix.add({"id": [id], "text": [text]}, id="id").replaced == (id in expected)
                    expected.pop(id, None)
                    expected[id] = text
        same_as_new(ix, expected)
        ix.clusters()
        ix.store.fold()  # type: ignore[attr-defined]
        same_as_new(ix, expected)


def test_a_hub_that_is_deleted_leaves_the_others_connected() -> None:
    """The others are connected again, whether they are few or many."""
    base = [f"w{n}" for n in range(60)]
    for size in (20, 1500):
        family = [" ".join(base)] + [" ".join([*base[: i % 59], f"x{i}", *base[i % 59 + 1 :]]) for i in range(size)]
        with index(family) as ix:
            assert ix.delete(0) == 1
            rest = la.find_clusters(family[1:], plan=ix.plan)
            assert ix.clusters().labels.tolist() == rest.labels.tolist()
            assert len(ix.cluster_of(1)) == len(rest[0])


def test_an_index_is_there_after_it_was_closed(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        ix.add(["one two three", "four five six"])
        ix.add_if_new("one two three four", id=9)
        plan, before = ix.plan, content(ix)
    with la.Index.open(tmp_path / "x.index") as ix:
        assert ix.plan == plan and content(ix) == before and ix.info()["documents"] == len(before) == 2
        ix.verify()


def test_readers_see_what_a_writer_committed(tmp_path: Path) -> None:
    writer = la.Index.create(tmp_path / "x.index", **PLAN)
    reader = la.Index.open(tmp_path / "x.index")
    assert len(reader.query("one two three")) == 0 and reader.clusters().labels.tolist() == []
    writer.add(["one two three"])
    assert reader.query("one two three").right.to_pylist() == [0]
    writer.add(["one two three four"])
    assert len(reader) == 2 and reader.cluster_of(1) == [0, 1]
    writer.delete(0)
    assert reader.query("one two three").right.to_pylist() == [1]
    with pytest.raises(WorkTaken) as refused:
        reader.add(["five six"])
    assert refused.value.code == "index-in-use"
    writer.close()
    reader.add(["five six seven"])
    assert content(reader) == {1: "one two three four", 2: "five six seven"}
    reader.close()


def test_the_plan_is_frozen_by_the_first_add(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", threshold=0.8) as ix:
        before = ix.plan
        assert isinstance(before, la.Plan) and before.method == "lsh" and before.seed != 0
        ix.add(["def f(x): return [x, x]; # {}" * 3] * 3)
        plan = ix.plan
        assert not isinstance(plan, la.Plan) and plan.shingles.kind == "symbols"
        ix.add(["plain prose, without any signs"] * 50)
        assert ix.plan == plan
        assert ix.signature(0) == la.signature("def f(x): return [x, x]; # {}" * 3, plan=plan)


def refused(code: str, kind: type[Exception], call: Any) -> Notice:
    with pytest.raises(kind) as error:
        call()
    notice: Notice = error.value.notice  # type: ignore[attr-defined]
    assert notice.code == code and str(notice)
    return notice


def test_bad_input_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.index"
    refused("no-such-index", NoInput, lambda: la.Index.open(path))
    refused("not-an-option-of-an-index", InvalidOption, lambda: la.Index.create(path, linkage="star"))
    notice = refused("not-an-option-of-an-index", InvalidOption, lambda: la.Index.create(path, thresold=0.7))
    assert dict(notice.values) == {"option": "thresold", "meant": "threshold"}
    refused("index-verifies", InvalidOption, lambda: la.Index.create(path, verify="none"))
    refused("lsh-at-full-recall", InvalidOption, lambda: la.Index.create(path, recall=1.0))
    refused("not-a-path", InvalidOption, lambda: la.Index.open(7))  # type: ignore[arg-type]
    (tmp_path / "file").write_text("text")
    refused("index-is-a-file", InputError, lambda: la.Index.open(tmp_path / "file"))
    refused("not-an-index", InputError, lambda: la.Index.open(tmp_path))
    for odd in ("no", None, 0):  # "no" kept the texts
        refused("not-true-or-false", InvalidOption, lambda odd=odd: la.Index.create(path, texts=odd))
    ix = la.Index.create(path, **PLAN)
    refused("not-true-or-false", InvalidOption, lambda: ix.query("one", distinct="no"))  # type: ignore[arg-type]
    refused("index-exists", OutputExists, lambda: la.Index.create(path, **PLAN))
    ix.add({"id": [4, 5], "text": ["one two three", "four five six"]}, id="id")
    refused("below-threshold-of-index", InvalidOption, lambda: ix.query("one", threshold=0.4))
    refused("index-ids-of-another-type", InvalidOption, lambda: ix.add({"a": "one"}))
    refused("index-ids-of-another-type", InvalidOption, lambda: ix.delete(["a"]))
    refused("no-such-id", InvalidOption, lambda: ix.cluster_of(0))
    refused("not-an-id", InvalidOption, lambda: ix.delete([0.5]))
    twice = refused(
        "id-given-twice", MalformedInput, lambda: ix.add({"id": [1, 2, 1], "text": ["a", "b", "c"]}, id="id")
    )
    assert (twice.values["id"], twice.values["first"], twice.values["second"]) == (1, 0, 2)
    many = {"id": [*range(10, 500), 11], "text": [f"t{i} a b" for i in range(491)]}
    refused("id-given-twice", MalformedInput, lambda: ix.add(many, id="id"))
    refused("tokens-not-cut", InvalidOption, lambda: ix.add([["a", "b"]]))
    assert content(ix) == {4: "one two three", 5: "four five six"}
    assert len(list((path / "segments").iterdir())) == len(ix.store.segments) * 3  # type: ignore[attr-defined]
    ix.close()
    with Catalogue(path).writing() as transaction:
        transaction.set(format=99)
    refused("index-of-another-format", PlanMismatch, lambda: la.Index.open(path))


def test_string_ids_must_be_given() -> None:
    with index() as ix:
        ix.add({"a": "one two three"})
        refused("index-needs-ids", InvalidOption, lambda: ix.add(["four five six"]))
        refused("index-needs-ids", InvalidOption, lambda: ix.add_if_new("four five six"))


@pytest.mark.parametrize("suffix", [".keys", ".rows", ".texts"])
def test_damage_is_found(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "x.index"
    with la.Index.create(path, **PLAN) as ix:
        ix.add([f"text number {i} of many" for i in range(500)])
    (file,) = (path / "segments").glob(f"*{suffix}")
    good = file.read_bytes()
    for place in (0, len(good) // 3, len(good) - 30):
        bad = bytearray(good)
        bad[place] ^= 64
        file.write_bytes(bad)
        with pytest.raises(MalformedInput) as error, la.Index.open(path) as ix:
            ix.verify()
        assert error.value.code in ("damaged-segment", "damaged-file") and file.name in str(error.value)
    file.write_bytes(good[:-5])
    refused("damaged-segment", MalformedInput, lambda: la.Index.open(path))


@pytest.mark.parametrize("documents", [0, 300])
def test_an_add_to_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, documents: int) -> None:
    """The first part of an index is finished in another thread, which meets the error."""
    path = tmp_path / "x.index"
    with la.Index.create(path, **PLAN) as ix:
        if documents:
            ix.add([f"old text {i} of many" for i in range(documents)])
        before = sorted((path / "segments").iterdir())

        def is_full(*_: object) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr("lookalike.corpus.segment_writer.SegmentWriter.finish_with", is_full)
            refused("unwritable", OutputError, lambda: ix.add([f"new text {i} of many" for i in range(300)]))
        assert len(ix) == documents and sorted((path / "segments").iterdir()) == before
        ix.add(["one two three four"])
        assert len(ix) == documents + 1


DYING = """
import os, sys
import lookalike as la
from lookalike.index import embedded_bulk
def dies(*_):
    os._exit(9)
setattr(*{what}, dies)
la.Index.open(sys.argv[1]).add([f"new text {{i}} with words" for i in range(400)])
"""


@pytest.mark.parametrize("what", ['(embedded_bulk, "sync_folder")', '(embedded_bulk.EmbeddedBulk, "commit")'])
def test_an_add_that_is_killed_leaves_nothing(tmp_path: Path, what: str) -> None:
    path = tmp_path / "x.index"
    with la.Index.create(path, **PLAN) as ix:
        ix.add(["one two three"])
    done = subprocess.run([sys.executable, "-c", DYING.format(what=what), str(path)], capture_output=True)
    assert done.returncode == 9, done.stderr
    assert len(list((path / "segments").iterdir())) > 3
    with la.Index.open(path) as ix:
        assert len(ix) == 1
        ix.add(["one two three four"])
        assert len(list((path / "segments").iterdir())) == 3 and content(ix) == {
            0: "one two three",
            1: "one two three four",
        }
