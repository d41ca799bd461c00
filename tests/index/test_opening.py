"""Where an index is, and who may use an open one: paths, other working directories, other processes, and closing."""

from __future__ import annotations

from pathlib import Path

import pytest

import lookalike as la
from lookalike.errors import InvalidOption
from tests.index.laws import PLAN
from tests.index.test_changes import content, refused


def test_an_index_stays_the_same_if_the_process_changes_its_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder was looked up again at each write. So the first add after a change of directory locked the index of the
    same relative name in the new directory, and removed its segments, which the catalogue of the first did not name."""
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
        refused("not-a-path-of-an-index", InvalidOption, lambda what=what: what(path))  # type: ignore[misc]
