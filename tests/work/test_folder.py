"""A work folder: locked by one run, recognised as its own, and removed after success."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import lookalike as la
from lookalike.errors import LookalikeError
from lookalike.io.open import open_source
from lookalike.notices import Notice
from lookalike.work.folder import Work
from lookalike.work.manifest import Manifest
from tests.crafting import crafted
from tests.io.making import write
from tests.refusals import refused

TEXTS = [{"id": f"r{i}", "text": f"one of {i} texts that have little in common, {i * i}"} for i in range(20)]


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        write(tmp_path / "crawl" / f"{name}.jsonl", TEXTS)
    return tmp_path / "crawl"


def begin(folder: Path, corpus: Path | str, plan: dict[str, Any] | None = None, **options: Any) -> Work:
    """A run that has started, but will not finish."""
    work = Work(folder, **options)
    source = open_source(corpus)
    try:
        work.start(Manifest.of("1.0", plan or {"threshold": "0.8"}, source), source)
    except BaseException:
        work.close()
        raise
    return work


def test_an_unfinished_run_is_only_resumed_on_request(tmp_path: Path, corpus: Path) -> None:
    begin(tmp_path / "w", corpus).close()
    with refused("work-folder-has-unfinished-run", folder=str(tmp_path / "w"), input=str(corpus)):
        Work(tmp_path / "w")
    begin(tmp_path / "w", corpus, resume=True).close()


def test_resuming_in_an_empty_folder_starts_a_run(tmp_path: Path, corpus: Path) -> None:
    """A job that restarts with its machine can then always use --resume."""
    begin(tmp_path / "w", corpus, resume=True).close()
    assert (tmp_path / "w" / "run.json").exists()


def test_two_runs_cannot_share_a_folder(tmp_path: Path, corpus: Path) -> None:
    first = begin(tmp_path / "w", corpus)
    with refused("work-folder-in-use", folder=str(tmp_path / "w")) as caught:
        Work(tmp_path / "w", resume=True)
    assert caught.value.values["by"].startswith(f"process {os.getpid()} on ")
    first.close()
    Work(tmp_path / "w", resume=True).close()


HOLD = """
import sys, time
from lookalike.storage.lock import Lock
from pathlib import Path
lock = Lock(Path(sys.argv[1]))
print("held", flush=True)
time.sleep(60)
"""


def test_a_killed_process_releases_its_lock(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", HOLD, tmp_path], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None and holder.stdout.readline() == b"held\n"
        with refused("work-folder-in-use") as caught:
            Work(tmp_path)
        assert caught.value.values["by"].startswith(f"process {holder.pid} on ")
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        Work(tmp_path).close()


def _change(corpus: Path, how: str) -> None:
    a, b = corpus / "a.jsonl", corpus / "b.jsonl"
    if how == "grown":
        with a.open("a") as file:
            file.write("\n" * 4096)
    elif how == "rewritten":
        stat = a.stat()
        os.utime(a, ns=(stat.st_atime_ns, stat.st_mtime_ns + 2_000_000_000))
    elif how == "removed":
        b.unlink()
    elif how == "added":
        (corpus / "c.jsonl").write_bytes(a.read_bytes())


@pytest.mark.parametrize(
    ("how", "code", "file"),
    [
        ("grown", "file-resized", "a.jsonl"),
        ("rewritten", "file-rewritten", "a.jsonl"),
        ("removed", "file-removed", "b.jsonl"),
        ("added", "file-added", "c.jsonl"),
    ],
)
def test_input_that_changed_is_refused_and_named(tmp_path: Path, corpus: Path, how: str, code: str, file: str) -> None:
    begin(tmp_path / "w", corpus).close()
    there = sorted((tmp_path / "w").iterdir())
    _change(corpus, how)
    with refused("work-folder-of-another-input", folder=str(tmp_path / "w"), more=None) as caught:
        begin(tmp_path / "w", corpus, resume=True)
    (difference,) = caught.value.values["differences"]
    assert (difference.code, difference.values["name"]) == (code, str(corpus / file))
    assert sorted((tmp_path / "w").iterdir()) == there, "nothing is lost"


def test_input_that_changed_on_either_side_is_named(tmp_path: Path, corpus: Path) -> None:
    sides = corpus / "a.jsonl", corpus / "b.jsonl"
    for new, old in (sides, sides[::-1]):
        options: dict[str, Any] = {"against": old, "work": Work(tmp_path / "w", resume=True, keep=True)}
        with options["work"]:
            la.dedupe(new, **options)
        _change(corpus, "rewritten")
        with refused("work-folder-of-another-input") as caught:
            la.dedupe(new, against=old, work=tmp_path / "w", resume=True)
        (difference,) = caught.value.values["differences"]
        assert (difference.code, difference.values["name"]) == ("file-rewritten", str(corpus / "a.jsonl"))
        for path in (tmp_path / "w").iterdir():
            path.unlink()


def test_another_plan_is_refused_and_named(tmp_path: Path, corpus: Path) -> None:
    begin(tmp_path / "w", corpus, {"threshold": "0.8", "seed": 0}).close()
    differences = (
        Notice("setting-changed", name="threshold", then="0.8", now="0.7"),
        Notice("setting-changed", name="bands", then=Notice("not-given"), now="4"),
    )
    with refused("work-folder-of-another-plan", differences=differences, more=None):
        begin(tmp_path / "w", corpus, {"threshold": "0.7", "seed": 0, "bands": 4}, resume=True)


def test_the_spelling_of_a_path_does_not_matter(tmp_path: Path, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin(tmp_path / "w", corpus).close()
    monkeypatch.chdir(tmp_path)
    begin(tmp_path / "w", "crawl/*.jsonl", resume=True).close()


def test_data_in_memory_is_identified_by_its_content(tmp_path: Path) -> None:
    texts = [row["text"] for row in TEXTS]
    work = Work(tmp_path / "w")
    first = la.find_pairs(texts, work=work)
    work.close()
    with refused("work-folder-of-another-input", differences=(Notice("data-changed", name="the list given"),)):
        la.find_pairs([*texts, "more"], work=tmp_path / "w", resume=True)
    assert list(la.find_pairs(list(texts), work=tmp_path / "w", resume=True)) == list(first)


def test_folders_with_other_files_are_refused_and_left_unchanged(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with refused("work-folder-has-other-files", name="notes.txt"):
        Work(tmp_path)
    (tmp_path / "notes.txt").rename(tmp_path / "sign-0.part")
    with refused("work-folder-has-unknown-parts", name="sign-0.part"):
        Work(tmp_path, resume=True)
    assert [path.name for path in tmp_path.iterdir()] == ["sign-0.part"]


def test_other_files_beside_the_parts_are_kept(tmp_path: Path, corpus: Path) -> None:
    work = begin(tmp_path / "w", corpus)
    (tmp_path / "w" / "notes.txt").write_text("mine")
    work.finish()
    work.close()
    assert [path.name for path in (tmp_path / "w").iterdir()] == ["notes.txt"]


@pytest.mark.parametrize("was_there", [False, True])
def test_a_successful_run_restores_the_folder(tmp_path: Path, corpus: Path, was_there: bool) -> None:
    """Also if the folder was created by an earlier run."""
    if was_there:
        (tmp_path / "w").mkdir()
    begin(tmp_path / "w", corpus).close()
    with begin(tmp_path / "w", corpus, resume=True):
        pass
    assert (tmp_path / "w").exists() == was_there
    assert not was_there or not list((tmp_path / "w").iterdir())


def test_parts_can_be_kept(tmp_path: Path, corpus: Path) -> None:
    with begin(tmp_path / "w", corpus, keep=True):
        pass
    assert (tmp_path / "w" / "run.json").exists()
    begin(tmp_path / "w", corpus, resume=True).close()


def test_a_run_that_was_refused_leaves_no_folder(tmp_path: Path) -> None:
    with refused("no-such-file"):
        la.find_pairs(tmp_path / "nothing.jsonl", work=tmp_path / "w")
    assert not (tmp_path / "w").exists()


def test_a_damaged_manifest_is_refused(tmp_path: Path, corpus: Path) -> None:
    begin(tmp_path / "w", corpus).close()
    manifest = tmp_path / "w" / "run.json"
    layout = json.loads(manifest.read_text())["layout"]
    manifest.write_text(manifest.read_text().replace(f'"layout": {layout}', f'"layout": {layout - 1}'))
    with refused("work-folder-of-another-version", version="1.0"):
        Work(tmp_path / "w", resume=True)
    manifest.write_bytes(b"\0" * 100)
    with refused("damaged-manifest", path=str(manifest)):
        Work(tmp_path / "w", resume=True)


@pytest.mark.parametrize("output", ["", ".", "/", "out.csv", "../out.csv"])
def test_outputs_of_a_manifest_are_absolute_paths_of_files(tmp_path: Path, corpus: Path, output: str) -> None:
    """An empty one ended with exit code 70."""
    begin(tmp_path / "w", corpus).close()
    manifest = tmp_path / "w" / "run.json"
    manifest.write_text(json.dumps(json.loads(manifest.read_text()) | {"outputs": [output]}))
    with refused("damaged-manifest", path=str(manifest)):
        Work(tmp_path / "w", resume=True)


def test_a_crafted_manifest_is_refused_or_harmless(tmp_path: Path, corpus: Path) -> None:
    begin(tmp_path / "w", corpus).close()
    manifest = tmp_path / "w" / "run.json"
    about = manifest.read_text()
    for _, _, other in crafted(json.loads(about)):
        manifest.write_text(json.dumps(other))
        with suppress(LookalikeError):
            begin(tmp_path / "w", corpus, resume=True).close()
    manifest.write_text(about)
    begin(tmp_path / "w", corpus, resume=True).close()


def test_saved_positions_may_be_truncated(tmp_path: Path, corpus: Path) -> None:
    """After a power cut within a line, only that line is lost, and its rows are read again."""
    work = begin(tmp_path / "w", corpus)
    assert work.parts.before_put is not None
    noted = tmp_path / "w" / "READING"
    source = open_source(corpus)
    work.start(Manifest.of("1.0", {"threshold": "0.8"}, source), source)
    list(source.read(["text"]))
    work.parts.before_put()
    work.close()
    whole = noted.read_bytes()
    for cut in (0, 5, len(whole) - 1, len(whole)):
        noted.write_bytes(whole[:cut])
        again = open_source(corpus)
        work = Work(tmp_path / "w", resume=True)
        work.start(Manifest.of("1.0", {"threshold": "0.8"}, again), again)
        work.close()
        assert again.total_rows() == (40 if cut == len(whole) else None)
        assert noted.read_bytes() == (whole if cut == len(whole) else b"")


def test_outputs_of_the_interrupted_run_may_be_overwritten(tmp_path: Path, corpus: Path) -> None:
    (tmp_path / "old.jsonl").write_text("{}")
    work = Work(tmp_path / "w")
    work.claim([tmp_path / "new.jsonl", tmp_path / "old.jsonl", "-"])
    source = open_source(corpus)
    work.start(Manifest.of("1.0", {"threshold": "0.8"}, source), source)
    work.close()
    (tmp_path / "new.jsonl").write_text("{}")
    again = begin(tmp_path / "w", corpus, resume=True)
    again.close()
    assert again.claimed(tmp_path / "new.jsonl")
    assert not again.claimed(tmp_path / "old.jsonl") and not again.claimed("-")


def test_a_work_folder_inside_the_input_is_refused(tmp_path: Path) -> None:
    """Every file in a folder of texts is a document, including the files of a work folder."""
    (tmp_path / "a.txt").write_text("one text")
    with refused("work-folder-in-input", folder=str(tmp_path / "w")):
        la.find_pairs(tmp_path, format="text", work=tmp_path / "w")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_run_with_a_work_folder_beside_the_input_can_be_resumed(tmp_path: Path, corpus: Path) -> None:
    """The file of saved positions was once taken for a document."""
    with Work(corpus / "w", keep=True) as work:
        wanted = la.find_pairs(corpus, work=work, threshold=0.5)
    assert (corpus / "w" / "READING").exists()
    found = la.find_pairs(corpus, work=corpus / "w", resume=True, threshold=0.5)
    assert found.to_arrow().equals(wanted.to_arrow()) and len(found) and not (corpus / "w").exists()


@pytest.mark.parametrize(("work", "code"), [(5, "not-a-path"), ("", "empty-option"), (b"w", "not-a-path")])
def test_a_work_folder_must_be_a_path(work: Any, code: str) -> None:
    with refused(code, option="work"):
        la.find_pairs(["a"], work=work)


def test_resuming_needs_a_folder() -> None:
    with refused("resume-without-work", option="resume"):
        la.find_pairs(["a"], resume=True)


def test_files_are_not_work_folders(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with refused("work-folder-is-a-file", folder=str(tmp_path / "file")):
        Work(tmp_path / "file")
    with refused("unwritable", reason=Notice("parent-is-a-file", folder=str(tmp_path / "file"))):
        Work(tmp_path / "file" / "w")
    with refused("unwritable", reason="file name too long"):
        Work(tmp_path / ("w" * 300))


# Files at names that others can guess


@pytest.mark.parametrize("name", ["LOCK", "READING"])
@pytest.mark.parametrize("kind", ["link", "dangling link", "hard link", "pipe"])
def test_nothing_is_written_through_a_link(tmp_path: Path, corpus: Path, name: str, kind: str) -> None:
    """LOCK was opened through links, and truncated: a link to ~/.ssh/authorized_keys would have emptied it."""
    begin(tmp_path / "w", corpus).close()
    precious, planted = tmp_path / "precious", tmp_path / "w" / name
    precious.write_text("precious", encoding="utf-8")
    planted.unlink(missing_ok=True)
    if kind == "hard link":
        planted.hardlink_to(precious)
    elif kind == "pipe":
        os.mkfifo(planted)
    else:
        planted.symlink_to(precious if kind == "link" else tmp_path / "missing")
    with refused("not-our-file", path=str(planted)):
        begin(tmp_path / "w", corpus, resume=True)
    assert precious.read_text(encoding="utf-8") == "precious" and not (tmp_path / "missing").exists()


@pytest.mark.parametrize("name", ["run.json", "KEY", "READING", "survey.part"])
@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_nothing_but_files_is_read(tmp_path: Path, corpus: Path, name: str, kind: str) -> None:
    """A pipe in place of a part was opened, which took forever, and a folder ended with exit code 70."""
    begin(tmp_path / "w", corpus).close()
    planted = tmp_path / "w" / name
    planted.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(planted)
    elif kind == "folder":
        planted.mkdir()
    else:
        planted.symlink_to(corpus)
    with refused("not-our-file", path=str(planted)):
        begin(tmp_path / "w", corpus, resume=True)


def test_a_run_that_is_killed_before_it_starts_leaves_no_folder(tmp_path: Path) -> None:
    """It reads standard input first, which may take long: an empty folder with a lock was left behind."""
    program = ["-m", "lookalike", "pairs", "-", "--work", str(tmp_path / "w"), "--out", str(tmp_path / "p.csv")]
    with subprocess.Popen([sys.executable, *program], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as run:
        assert run.stdin is not None
        run.stdin.write(b"x" * (1 << 20))  # more than a pipe holds: the run has read some of it
        run.stdin.flush()
        run.kill()
    assert list(tmp_path.iterdir()) == []


def test_of_two_runs_that_create_one_folder_one_is_refused(tmp_path: Path, corpus: Path) -> None:
    late = Work(tmp_path / "w")
    early = begin(tmp_path / "w", corpus)
    source = open_source(corpus)
    with refused("work-folder-in-use", by=Notice("another-process")):
        late.start(Manifest.of("1.0", {}, source), source)
    early.close()
    late.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["crawl", "w"]
    assert (tmp_path / "w" / "run.json").exists()
