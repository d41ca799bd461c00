"""What can go wrong around an index: damage, a full disk, an index that was removed. Each is one clear error."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.errors import InputError, MalformedInput, OutputError
from lookalike.index.merging import FOLDED
from tests.index.laws import PLAN
from tests.index.test_changes import content, same_as_new
from tests.index.test_compaction import words

DATA = [words(i, 20) for i in range(300)]


def damage(path: Path, suffix: str) -> dict[Path, bytes]:
    """Damages every page and block of all files with this suffix, but not their tails. Returns what they contained."""
    before = {}
    for file in (path / "segments").glob(f"*{suffix}"):
        before[file] = good = file.read_bytes()
        bad = np.frombuffer(good, np.uint8).copy()
        bad[7 : int.from_bytes(good[-24:-16], "little") : 100] ^= 1
        file.write_bytes(bad.tobytes())
    return before


def compacted(ix: la.Index) -> None:
    ix.delete([5])
    ix.compact()


CALLS: dict[str, Callable[[la.Index], Any]] = {
    "query": lambda ix: ix.query(DATA[7] + " more"),
    "batch": lambda ix: ix.query([text + " more" for text in DATA]),
    "add_if_new": lambda ix: ix.add_if_new(DATA[7] + " more", id=9999),
    "bulk": lambda ix: ix.add([text + " more" for text in DATA]),
    "replace": lambda ix: ix.add({"id": [7], "text": [DATA[7] + " more"]}, id="id"),
    "documents": lambda ix: ix.documents([3]),
    "export": lambda ix: list(ix),
    "compact": compacted,
    "verify": lambda ix: ix.verify(),
}

NEEDED = {
    ".keys": {"query", "batch", "add_if_new", "bulk", "replace", "documents", "compact", "verify"},
    ".rows": {"query", "batch", "add_if_new", "bulk", "replace", "documents", "export", "compact", "verify"},
    ".texts": {"query", "batch", "add_if_new", "bulk", "replace", "documents", "export", "compact", "verify"},
}
"""The calls that read each kind of file."""


@pytest.mark.parametrize("suffix", NEEDED)
@pytest.mark.parametrize("call", CALLS)
def test_whatever_reads_a_damaged_page_says_so_and_nothing_is_lost(tmp_path: Path, suffix: str, call: str) -> None:
    path = tmp_path / "x.index"
    with la.Index.create(path, **PLAN) as ix:
        ix.add(DATA)
    before = damage(path, suffix)
    with la.Index.open(path) as ix:
        if call in NEEDED[suffix]:
            with pytest.raises(MalformedInput) as error:
                CALLS[call](ix)
            assert error.value.code in ("damaged-segment", "damaged-file") and suffix in str(error.value)
        else:
            CALLS[call](ix)
    for file, good in before.items():
        file.write_bytes(good)
    with la.Index.open(path) as ix:
        expected = dict(enumerate(DATA))
        if call == "compact" and suffix != ".keys":  # which find the row of an id
            del expected[5]
        same_as_new(ix, expected)


LIMITED = """
import resource, sys
import lookalike as la
from lookalike.errors import LookalikeError
from tests.index.test_compaction import words
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
try:
    with la.Index.open(sys.argv[1]) as ix:
        for n in range(100_000):
            if sys.argv[3] == "one":
                ix.add({"id": [n], "text": [words(n, 200)]}, id="id")
            else:
                ids = list(range(n * 1000, n * 1000 + 1000))
                ix.add({"id": ids, "text": [words(i, 40) for i in ids]}, id="id")
            print(n, flush=True)
except LookalikeError as error:
    print(error.code, file=sys.stderr)
    sys.exit(3)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits of file sizes")
@pytest.mark.parametrize(("how", "limit"), [("one", 900_000), ("many", 250_000), ("many", 400_000)])
def test_adds_that_the_system_refuses_lose_nothing_that_was_acknowledged(tmp_path: Path, how: str, limit: int) -> None:
    """A limit of file sizes acts like a full disk: writes fail in the middle, wherever they are."""
    path = tmp_path / "x.index"
    la.Index.create(path, like=DATA, **PLAN).close()
    command = [sys.executable, "-c", LIMITED, str(path), str(limit), how]
    done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stderr) == (3, "unwritable\n")
    added = len(done.stdout.split())
    with la.Index.open(path) as ix:
        expected = range(added) if how == "one" else range(1000 * added)
        assert sorted(content(ix)) == list(expected)
        ix.verify()
        ix.add({"id": [10**6], "text": ["one two three"]}, id="id")
        assert len(list((path / "segments").iterdir())) == 3 * ix.info()["segments"]
        assert len(ix.clusters().labels) == len(expected) + 1


def test_an_index_that_is_full_can_be_read(tmp_path: Path) -> None:
    """A writer whose commit fails goes on with what was committed."""
    path = tmp_path / "x.index"
    script = """
import resource, sys
import lookalike as la
from lookalike.errors import OutputError
ix = la.Index.open(sys.argv[1])
ix.add({"id": [0], "text": ["one two three four"]}, id="id")
resource.setrlimit(resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
for call in (lambda: ix.add_if_new("five six seven", id=1), lambda: ix.delete([0]), ix.compact):
    try:
        call()
        sys.exit("it was not refused")
    except OutputError as error:
        assert error.code == "unwritable", error
    assert [row["id"] for row in ix] == [0] and ix.query("one two three four").right.to_pylist() == [0]
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert ix.add_if_new("five six seven", id=1) is None and ix.delete([0]) == 1
"""
    la.Index.create(path, like=DATA, **PLAN).close()
    done = subprocess.run([sys.executable, "-c", script, str(path)], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    with la.Index.open(path) as ix:
        same_as_new(ix, {1: "five six seven"})


@pytest.mark.parametrize("again", [False, True])
def test_an_index_that_was_removed_or_replaced_is_noticed(tmp_path: Path, again: bool) -> None:
    """Otherwise, a service would add documents to files without a name, which are lost when it ends."""
    path = tmp_path / "x.index"
    with la.Index.create(path, **PLAN) as ix, la.Index.open(path) as reader:
        ix.add(DATA)
        reader.query(DATA[0])
        shutil.rmtree(path)
        if again:
            la.Index.create(path, **PLAN).close()
        for call in (lambda: ix.add(["one two"]), lambda: ix.delete([1]), ix.compact, lambda: reader.query(DATA[0])):
            with pytest.raises(InputError) as error:
                call()
            assert error.value.code == "index-replaced"


LARGE = """
import lookalike as la
from tests.index.laws import PLAN
from tests.index.test_changes import content

with la.Index.create("x.index", memory="500MiB", **PLAN) as ix:
    ix.add(["one two three"])
    try:
        ix.add({"text": ["four five six", "lorem ipsum dolor " * 30_000_000]})
    except la.errors.InvalidOption as error:
        print(error.code, "at least" in str(error), content(ix))
"""


def test_a_document_larger_than_the_memory_budget_is_refused(tmp_path: Path) -> None:
    """In a process of its own, because earlier tests may have left more than the budget."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", LARGE], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout == "memory-too-small True {0: 'one two three'}\n"


def test_merging_postpones_damaged_segments(tmp_path: Path) -> None:
    """Adds that were acknowledged do not fail because an old segment is damaged."""
    path = tmp_path / "x.index"
    with la.Index.create(path, **PLAN) as ix:
        ix.add(DATA)
    damage(path, ".texts")
    with la.Index.open(path) as ix:
        for start in range(0, 1500, 300):
            ix.add([words(1000 + start + i, 9) for i in range(300)])
        for n in range(20):
            ix.add([words(5000 + n, 9)])
        assert len(ix) == 300 + 1500 + 20 and ix.info()["recent"] < FOLDED
        assert ix.store._upkeep.postponed is not None  # type: ignore[attr-defined]


def test_an_index_on_a_read_only_file_system_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.index"
    writer = la.Index.create(path, **PLAN)
    writer.add(DATA)
    shutil.copytree(path, tmp_path / "copied.index")
    writer.close()
    monkeypatch.setattr("lookalike.index.catalogue._is_read_only", lambda folder: True)
    with la.Index.open(path) as ix:
        assert not list(path.glob("*-shm")), "SQLite has written a file to read the catalogue"
        same_as_new(ix, dict(enumerate(DATA)))
        with pytest.raises(OutputError) as error:
            ix.add(["one two"])
        assert error.value.code == "unwritable"
    with pytest.raises(InputError) as refused:
        la.Index.open(tmp_path / "copied.index")
    assert refused.value.code == "index-copied-while-open"
