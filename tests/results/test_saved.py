"""A saved result is there whole or not at all, and a folder that is no saved result is refused in one sentence."""

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
    with refused("result-not-written"):
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


@pytest.mark.parametrize("kind", ["Plan", "nothing", "os", "__version__"])
def test_a_kind_that_is_no_result_is_refused(tmp_path: Path, kind: str) -> None:
    folder = OLD.save(tmp_path / "r")
    about = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    (folder / "summary.json").write_text(json.dumps(about | {"kind": kind}), encoding="utf-8")
    with refused("damaged-result"):
        la.load(folder)


def test_damage_is_noticed(tmp_path: Path) -> None:
    folder = OLD.save(tmp_path / "r")
    (folder / "clusters.parquet").write_bytes(b"PAR1")
    with refused("damaged-result"):
        la.load(folder)
    (folder / "summary.json").write_bytes(b'{"format": "\xff"}')
    with refused("damaged-result"):
        la.load(folder)
