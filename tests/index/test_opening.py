"""Where an index is, and who may use an open one: paths, other working directories, other processes, and closing."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import lookalike as la
from lookalike.errors import InputError, InvalidOption
from tests.index.laws import PLAN
from tests.index.test_changes import content, refused


def test_an_index_stays_the_same_if_the_process_changes_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder was looked up again at each write. So the first add after a change of directory locked the index of
    the same relative name in the new directory, and removed its segments, which its own catalogue did not name."""
    many = [f"text {i} of the other index" for i in range(300)]
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        with la.Index.create("x.index", **PLAN) as ix:
            ix.add(["only this text"] if name == "one" else many)
    monkeypatch.chdir(tmp_path / "one")
    with la.Index.open("x.index") as ix:
        monkeypatch.chdir(tmp_path / "other")
        ix.add(["another text"])
        ix.add([f"text {i}" for i in range(300)])
        ix.compact()
        assert ix.info()["documents"] == 302
        assert not (tmp_path / "other" / "x.index" / "LOCK").exists()
    assert not (tmp_path / "one" / "x.index" / "LOCK").exists()
    with la.Index.open("x.index") as ix:
        assert [*content(ix).values()] == many
        ix.verify()


@pytest.mark.parametrize("path", ["x\0.index", "~a_user_that_nobody_is/x.index", "x" * 300])
def test_a_path_that_cannot_exist_is_one_sentence(path: str) -> None:
    for what in (la.Index.create, la.Index.open):
        refused("not-a-path-of-an-index", InvalidOption, lambda what=what: what(path))


def in_a_fork(code: str, tmp_path: Path) -> str:
    """Runs code with the index `ix` and the function `fork`, which calls a function in a forked process.

    Another process does that, because this one has threads.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORKING + code, str(tmp_path / "x.index")],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


FORKING = """
import os, pickle, sys
import lookalike as la
ix = la.Index.create(sys.argv[1], threshold=0.5, shingles="words:2")
ix.add(["one two three"])
def fork(function):
    if (child := os.fork()) == 0:
        try:
            print(function(), flush=True)
        except la.LookalikeError as error:
            print(error.code, flush=True)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
"""


def test_a_forked_process_does_not_write_beside_its_parent(tmp_path: Path) -> None:
    """It shared the lock of the parent. Both added documents under the same numbers, so the parent could not add any
    more; and when the child closed the index, it removed the lock that the parent still relied on."""
    shown = in_a_fork(
        """
fork(lambda: ix.add(["four five six"]))
fork(lambda: ix.query("one two three"))
fork(lambda: next(iter(ix)))
fork(ix.close)
fork(lambda: la.Index.open(sys.argv[1]).query("one two three").top())
fork(lambda: la.Index.open(sys.argv[1]).add(["four five six"]))
ix.add(["seven eight nine"])
print(len(ix), os.path.exists(sys.argv[1] + "/LOCK"))
""",
        tmp_path,
    )
    refusals = ["index-of-another-process"] * 3 + ["None", "[(0, 0, 1.0)]", "index-in-use"]
    assert shown.splitlines() == [*refusals, "2 True"]


def test_an_open_index_cannot_be_pickled(tmp_path: Path) -> None:
    with la.Index.create(tmp_path / "x.index", **PLAN) as ix:
        refused("index-of-another-process", InvalidOption, lambda: pickle.dumps(ix))


def test_a_closed_index_says_so(tmp_path: Path) -> None:
    """A stream that was read further reported that a file was damaged: its descriptor was closed. A descriptor that is
    used again would have been that of another file."""
    ix = la.Index.create(tmp_path / "x.index", **PLAN)
    ix.add([f"text {i}" for i in range(20_000)])
    stream = ix.to_reader(clusters=False)
    stream.read_next_batch()
    ix.close()
    ix.close()
    for call in (
        stream.read_next_batch,
        lambda: len(ix),
        lambda: ix.query("text"),
        lambda: ix.add(["text"]),
        ix.compact,
    ):
        refused("index-closed", InputError, call)
    assert repr(ix).endswith("x.index', index-closed)")


def test_a_stream_of_documents_that_a_compaction_has_removed_says_so(tmp_path: Path) -> None:
    """It raised a ValueError of the kernel, or returned fewer documents beside the clusters of others."""
    for gone in (range(10_000, 10_100), range(19_000, 20_000)):
        with la.Index.create(tmp_path / f"{gone.start}.index", **PLAN) as ix:
            ix.add([f"text {i}" for i in range(20_000)])
            stream = ix.to_reader(clusters=False)
            stream.read_next_batch()
            ix.delete(gone)
            ix.compact()
            refused("documents-deleted-meanwhile", InputError, stream.read_all)
