"""A folder is replaced whole or not at all, whenever the process ends."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lookalike.storage import whole_folders
from lookalike.storage.whole_folders import replace_folder

REPLACING = [sys.executable, str(Path(__file__).parent / "replacing.py")]


def fill(folder: Path, content: str) -> None:
    (folder / "a").write_text(content)
    (folder / "inner").mkdir(exist_ok=True)
    (folder / "inner" / "b").write_text(content)


def content_of(folder: Path) -> str:
    """The content of a folder, in which all files are equal."""
    (content,) = {path.read_text() for path in (folder / "a", folder / "inner" / "b")}
    return content


@pytest.mark.parametrize("there", [False, True], ids=["new", "replaced"])
def test_a_crash_at_any_step_leaves_the_old_folder_or_the_new_one(tmp_path: Path, there: bool) -> None:
    outcomes = []
    for moment in range(1, 100):
        target = tmp_path / str(moment) / "target"
        target.parent.mkdir()
        if there:
            target.mkdir()
            fill(target, "old")
        died = subprocess.run([*REPLACING, str(moment), str(target), "new"], capture_output=True, timeout=60)
        outcomes.append(content_of(target) if target.exists() else "nothing")
        if died.returncode == 0:
            break
        assert died.returncode == -signal.SIGKILL, died.stderr
    before = "old" if there else "nothing"
    assert outcomes == sorted(outcomes, key=[before, "new"].index), "first the one, then the other, and never neither"
    assert outcomes[0] == before and outcomes[-2:] == ["new", "new"], "and the new one before the last step"
    assert [path.name for path in target.parent.iterdir()] == ["target"], "nothing is left of a run that ended well"


@pytest.mark.parametrize("able", [True, False], ids=["exchanged", "in two steps"])
def test_a_block_that_fails_leaves_the_folder_as_it_was(
    tmp_path: Path, able: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not able:
        monkeypatch.setattr(whole_folders, "_exchange", lambda one, other: False)
    target = tmp_path / "target"
    for content in ("one", "two"):
        with replace_folder(target) as new:
            fill(new, content)
        assert content_of(target) == content
    with pytest.raises(FileNotFoundError), replace_folder(target) as new:
        fill(new / "nowhere", "three")
    assert content_of(target) == "two" and [path.name for path in tmp_path.iterdir()] == ["target"]


def test_where_names_cannot_be_exchanged_a_crash_still_removes_nothing(tmp_path: Path) -> None:
    for moment in range(1, 100):
        target = tmp_path / str(moment) / "target"
        target.mkdir(parents=True)
        fill(target, "old")
        died = subprocess.run([*REPLACING, str(moment), str(target), "new", "unable"], timeout=60)
        whole = []
        for folder in target.parent.iterdir():
            if (folder / "inner" / "b").exists() and (folder / "a").exists():
                whole.append(content_of(folder))
        assert "new" in whole or "old" in whole
        if died.returncode == 0:
            assert whole == ["new"]
            return
    raise AssertionError("it never ends")
