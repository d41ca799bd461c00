"""A result is saved whole or not at all. A folder without a saved result is refused in one sentence."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike import Clusters, Summary
from lookalike.notices import Notice
from lookalike.notices.readable import printable
from tests.refusals import refused

ROOT = Path(__file__).parents[2]
SAVING = [sys.executable, str(Path(__file__).parent / "saving.py")]
OLD = Clusters(np.array([0, 1]), summary=Summary(documents=2))


@pytest.mark.parametrize("there", [False, True], ids=["new", "replaced"])
def test_a_crash_at_any_step_of_saving_leaves_the_old_result_or_the_new_one(tmp_path: Path, there: bool) -> None:
    seen = []
    for moment in range(1, 100):
        folder = tmp_path / str(moment) / "result"
        if there:
            OLD.save(folder)
        died = subprocess.run(
            [*SAVING, str(moment), str(folder)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            timeout=60,
        )
        seen.append(la.load(folder).summary.documents if folder.exists() else 0)
        if died.returncode == 0:
            break
        assert died.returncode == -signal.SIGKILL, died.stderr
    assert set(seen) == {2 if there else 0, 3} and seen[-1] == 3


def test_saving_does_not_overwrite_unless_told(tmp_path: Path) -> None:
    OLD.save(tmp_path / "r")
    with refused("output-exists"):
        OLD.save(tmp_path / "r")
    Clusters(np.array([0, 0])).save(tmp_path / "r", force=True)
    assert len(la.load(tmp_path / "r")) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["r"], "nothing temporary is left"


def test_a_result_replaces_nothing_but_results(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work", encoding="utf-8")
    with refused("folder-of-other-files", file="thesis.txt"):
        OLD.save(tmp_path / "mine", force=True)
    with refused("not-a-folder-to-replace"):
        OLD.save(tmp_path / "mine" / "thesis.txt", force=True)
    assert (tmp_path / "mine" / "thesis.txt").read_text(encoding="utf-8") == "years of work"
    with refused("unwritable"):
        OLD.save(tmp_path / "mine" / "thesis.txt" / "result")


def test_a_result_may_be_saved_where_it_was_loaded_from(tmp_path: Path) -> None:
    """The kept rows are read from the folder that is being replaced."""
    la.dedupe(["a b c", "a b c", "x y z"]).save(tmp_path / "r")
    again = la.load(tmp_path / "r")
    again.save(tmp_path / "r", force=True)
    assert again.kept["text"].to_pylist() == la.load(tmp_path / "r").kept["text"].to_pylist() == ["a b c", "x y z"]


def test_loading_what_is_no_saved_result_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "nowhere"):
        with refused("not-a-saved-result"):
            la.load(path)
    (tmp_path / "summary.json").write_text('{"total": 7}', encoding="utf-8")
    with refused("not-a-saved-result"):
        la.load(tmp_path)


@pytest.mark.parametrize(
    "about", [{"version": 1, "kind": "pairs", "summary": {}, "ids": False}, {"format": 3, "kind": "Pairs"}]
)
def test_a_result_of_another_version_is_refused(tmp_path: Path, about: dict[str, Any]) -> None:
    (tmp_path / "summary.json").write_text(json.dumps(about), encoding="utf-8")
    with refused("result-of-another-version", found=about.get("format", 1)):
        la.load(tmp_path)


def test_a_folder_or_a_link_with_a_name_of_ours_is_not_replaced(tmp_path: Path) -> None:
    folder = OLD.save(tmp_path / "r")
    table = folder / "clusters.parquet"
    table.rename(tmp_path / "table")
    table.symlink_to(tmp_path / "table")
    with refused("folder-of-other-files", file=table.name):
        OLD.save(folder, force=True)
    table.unlink()
    table.mkdir()
    (table / "thesis.txt").write_text("years of work", encoding="utf-8")
    with refused("folder-of-other-files", file=table.name):
        OLD.save(folder, force=True)
    assert (table / "thesis.txt").read_text(encoding="utf-8") == "years of work"


def test_a_link_to_a_saved_result_stays_a_link(tmp_path: Path) -> None:
    OLD.save(tmp_path / "r")
    (tmp_path / "link").symlink_to(tmp_path / "r")
    assert Clusters(np.array([0, 0])).save(tmp_path / "link", force=True) == tmp_path / "link"
    assert len(la.load(tmp_path / "r")) == 1 and (tmp_path / "link").is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"r", "link"}, "nothing temporary is left"


@pytest.mark.parametrize("path", [None, 3, b"S", ["S"]])
def test_what_is_no_path_is_refused(path: Any) -> None:
    for use in (OLD.save, la.load):
        with refused("not-a-path", option="path", type=type(path).__name__):
            use(path)


def test_paths_that_no_folder_can_have_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for use in (OLD.save, la.load):
        with refused("empty-option", option="path"):
            use("")
    for path in ("~nouser9/x", "a\0b", "\ud800", "x" * 300):
        with refused("unwritable", path=printable(path)):
            OLD.save(path)
    with refused("no-such-file", reason=Notice("unknown-user")):
        la.load("~nouser9/x")
    for path in ("a\0b", "\ud800"):
        with refused("not-a-saved-result"):
            la.load(path)
    with refused("unreadable"):
        la.load("x" * 300)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["pairs.parquet", "pairs.CSV"])
def test_the_name_of_a_table_is_refused(tmp_path: Path, name: str) -> None:
    """`pairs.save("pairs.parquet")` wrote a folder of this name."""
    with refused("table-instead-of-folder", suffix=Path(name).suffix.lower()):
        OLD.save(tmp_path / name)
    assert not (tmp_path / name).exists() and OLD.save(tmp_path / "pairs.v2").is_dir()


def test_force_is_true_or_false(tmp_path: Path) -> None:
    OLD.save(tmp_path / "r")
    with refused("not-true-or-false", option="force", value="no"):
        OLD.save(tmp_path / "r", force="no")  # type: ignore[arg-type]
