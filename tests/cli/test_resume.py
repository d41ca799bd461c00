"""A run that was killed at any moment can be resumed, and writes the same bytes."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import partial
from itertools import count
from pathlib import Path
from shutil import rmtree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.io.making import write

from .conftest import Run
from .test_process import PROGRAM

DYING = [sys.executable, str(Path(__file__).parent / "dying.py")]

COMMANDS = {
    "pairs": ["pairs", "--out", "out.parquet"],
    "clusters": ["clusters", "--out", "out.jsonl", "--keep", "longest", "--save-plan", "plan.toml"],
    "dedupe": ["dedupe", "--out", "out", "--removed", "removed.csv", "--keep", "best:score"],
}
OUTPUTS = ("out.parquet", "out.jsonl", "out", "removed.csv", "plan.toml")


EXACT = ("--method", "exact", "--shingles", "words:2")
"""An exact join, which leaves out documents first, and divides the others into groups if they do not fit."""


def corpus(folder: Path, format: str, files: int, rows: int, words: int = 12) -> list[str]:
    """Writes files of texts. Every third text is a copy or near-copy of an earlier one; some lines of JSON are
    broken."""
    rng = random.Random(format)
    texts: list[str] = []
    names = []
    for f in range(files):
        for _ in range(rows):
            fresh = " ".join(f"w{rng.randrange(3000)}" for _ in range(words))
            old = f"{rng.choice(texts)}{rng.choice(['', ' more'])}" if texts else fresh
            texts.append(rng.choice([fresh, fresh, old]))
        mine = [{"id": f"{f}-{i}", "text": text, "score": rng.randrange(9)} for i, text in enumerate(texts[-rows:])]
        path = folder / f"part-{f}.{format}"
        if format == "parquet":
            pq.write_table(pa.Table.from_pylist(mine), path, row_group_size=rows // 4)
        else:
            write(path, mine)
        if format == "jsonl":
            lines = path.read_bytes().splitlines(keepends=True)
            lines.insert(rng.randrange(1, rows), b"broken\n")
            path.write_bytes(b"".join(lines))
        names.append(path.name)
    return names


def outputs(folder: Path) -> dict[str, bytes]:
    """Every file that a command wrote."""
    found: dict[str, bytes] = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.relative_to(folder).parts[0] in OUTPUTS:
            found[str(path.relative_to(folder))] = path.read_bytes()
            path.unlink()
    if (folder / "out").is_dir():
        (folder / "out").rmdir()
    return found


def arguments(command: str, files: Sequence[str], *more: str) -> list[str]:
    return [*COMMANDS[command], *files, "--id", "id", "--on-error", "skip", "--threshold", "0.7", "--quiet", *more]


def ended(program: Sequence[str], folder: Path) -> str:
    """Runs a program that is expected to succeed, and returns what it printed."""
    ran = subprocess.run(program, cwd=folder, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    return ran.stderr


def check_moments(folder: Path, command: str, format: str, step: int, *more: str) -> int:
    """Kills a run at every `step`-th of its moments, and each time also the run that resumes it. Returns the number of
    kills."""
    files = corpus(folder, format, files=3, rows=50)
    ended([*DYING, "0", *arguments(command, files, *more)], folder)
    expected = outputs(folder)
    assert expected
    for moment in count(1, step):
        program = arguments(command, files, "--work", "w", *more)
        died = subprocess.run([*DYING, str(moment), *program], cwd=folder, capture_output=True, text=True, timeout=120)
        if died.returncode == 0:
            assert outputs(folder) == expected
            return moment // step
        assert died.returncode == -signal.SIGKILL, died.stderr
        again = [*DYING, str(1 + moment // 3), *program, "--resume"]
        if subprocess.run(again, cwd=folder, capture_output=True, timeout=120).returncode:
            ended([*DYING, "0", *program, "--resume"], folder)
        assert outputs(folder) == expected, f"killed at moment {moment}"
        assert not (folder / "w").exists(), "the work folder goes when all is done"
        assert not list(folder.glob(".*")), "and so does what was half written"
    raise AssertionError("unreachable")


@pytest.mark.parametrize(("command", "format"), [("pairs", "parquet"), ("dedupe", "jsonl")])
def test_killed_at_some_moments(tmp_path: Path, command: str, format: str) -> None:
    assert check_moments(tmp_path, command, format, 13) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("command", "format"), [("pairs", "jsonl"), ("clusters", "csv"), ("dedupe", "parquet")])
def test_killed_at_every_moment(tmp_path: Path, command: str, format: str) -> None:
    assert check_moments(tmp_path, command, format, 1) > 20


@pytest.mark.parametrize("command", ["pairs", "clusters"])
def test_exact_joins_killed_at_some_moments(tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WITHOUT_ROOM", "1")
    assert check_moments(tmp_path, command, "parquet", 17, *EXACT) > 0


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_exact_joins_killed_at_every_moment(tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WITHOUT_ROOM", "1")
    assert check_moments(tmp_path, command, "parquet", 1, *EXACT) > 20


def check_kills(folder: Path, command: str, format: str, kills: int, *more: str, words: int = 12) -> None:
    """Kills runs at random times. They are resumed with other numbers of threads and other memory budgets."""
    files = corpus(folder, format, 4, 20_000, words)
    program = [*PROGRAM, *arguments(command, files, *more)]
    began = time.perf_counter()
    ended(program, folder)
    taken = time.perf_counter() - began
    expected = outputs(folder)
    rng = random.Random(f"{command} {format}")
    for _ in range(kills):
        one, other = rng.choice([("1", "2"), ("2", "1")])
        small = "320MiB" if more else "512MiB"
        before, after = (rng.choice([[], ["--memory", "2GiB"], ["--memory", small]]) for _ in range(2))
        with subprocess.Popen([*program, "--work", "w", "--threads", one, *before], cwd=folder) as victim:
            try:
                victim.wait(rng.uniform(0.2, 1.2) * taken)
            except subprocess.TimeoutExpired:
                victim.kill()
            assert victim.wait() in (0, -signal.SIGKILL)
        done = any((folder / name).exists() for name in OUTPUTS) and not (folder / "w" / "run.json").exists()
        if victim.returncode and not done:  # it may be killed with nothing left to do
            ended([*program, "--work", "w", "--threads", other, *after, "--resume"], folder)
        assert outputs(folder) == expected


@pytest.mark.parametrize(("command", "format"), [("clusters", "jsonl"), ("dedupe", "parquet")])
def test_killed_at_random(tmp_path: Path, command: str, format: str) -> None:
    check_kills(tmp_path, command, format, 2)


@pytest.mark.slow
@pytest.mark.parametrize("format", ["parquet", "jsonl"])
@pytest.mark.parametrize("command", COMMANDS)
def test_killed_at_random_over_and_over(tmp_path: Path, command: str, format: str) -> None:
    """The runs are killed thirty times in total."""
    check_kills(tmp_path, command, format, 5)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["pairs", "clusters"])
def test_exact_joins_killed_at_random(tmp_path: Path, command: str) -> None:
    """With 320 MiB, the sets do not fit."""
    check_kills(tmp_path, command, "parquet", 15, *EXACT, words=100)


def spoil(path: Path) -> None:
    """Makes the rows of a file unreadable, but leaves its size and time unchanged.

    The part that is read when a file is opened stays intact: the first line, or the footer of Parquet.
    """
    stat, content = path.stat(), path.read_bytes()
    if path.suffix == ".parquet":
        start, stop = 4, len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    else:
        start, stop = content.index(b"\n") + 1, len(content)
    path.write_bytes(content[:start] + b"\xff" * (stop - start) + content[stop:])
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.mark.parametrize(("command", "format"), [("pairs", "jsonl"), ("clusters", "parquet")])
def test_a_run_that_only_lacks_its_output_reads_nothing_again(tmp_path: Path, command: str, format: str) -> None:
    files = corpus(tmp_path, format, files=2, rows=50)
    program = [*PROGRAM, *arguments(command, files, "--work", "w", "--keep-work")]
    ended(program, tmp_path)
    expected = outputs(tmp_path)
    for name in files:
        spoil(tmp_path / name)
    ended([*program, "--resume"], tmp_path)
    assert outputs(tmp_path) == expected


@pytest.mark.parametrize(("command", "format"), [("pairs", "jsonl"), ("clusters", "parquet")])
def test_what_finished_parts_were_made_from_is_not_read_again(tmp_path: Path, command: str, format: str) -> None:
    """The run is killed in the third file, when the first two are completely in parts. Then these two files are
    damaged."""
    files = corpus(tmp_path, format, files=3, rows=50)
    ended([*DYING, "0", *arguments(command, files)], tmp_path)
    expected = outputs(tmp_path)
    program = arguments(command, files, "--work", "w", "--resume")
    for moment in count(14):
        rmtree(tmp_path / "w", ignore_errors=True)  # a resumed run could finish all parts before it is killed
        died = subprocess.run([*DYING, str(moment), *program], cwd=tmp_path, capture_output=True, timeout=120)
        assert died.returncode == -signal.SIGKILL
        if (tmp_path / "w" / "sign-000000000000096.part").exists():
            break
    assert not (tmp_path / "w" / "source.part").exists(), "the input was not read to its end"
    for name in files[:2]:
        spoil(tmp_path / name)
    ended([*DYING, "0", *program], tmp_path)
    assert outputs(tmp_path) == expected


def test_a_disk_that_takes_no_more_can_be_mended(tmp_path: Path) -> None:
    """A limit on the size of files simulates a full disk, which only root could create here."""
    files = corpus(tmp_path, "jsonl", files=2, rows=50)
    ended([*DYING, "0", *arguments("pairs", files)], tmp_path)
    expected = outputs(tmp_path)
    program = [*DYING, "0", *arguments("pairs", files, "--work", "w", "--resume")]
    failures = 0
    for size in (0, 100, 2000, 4000, 8000, 1 << 20):
        ran = subprocess.run(
            program, cwd=tmp_path, capture_output=True, text=True, timeout=60,
            preexec_fn=partial(resource.setrlimit, resource.RLIMIT_FSIZE, (size, size)),
        )  # fmt: skip
        if not ran.returncode:
            break
        assert ran.returncode == 4, ran.stderr
        assert len(ran.stderr.splitlines()) == 1 and "larger than this system allows" in ran.stderr
        failures += 1
    assert failures >= 3
    assert outputs(tmp_path) == expected


def test_a_damaged_part_is_named_and_made_again(lookalike: Run) -> None:
    first = lookalike("pairs", "news.jsonl", "--work", "w", "--keep-work")
    for part in Path("w").glob("*.part"):
        content = part.read_bytes()
        part.write_bytes(content[:-30] + bytes(10) + content[-20:])
    again = lookalike("pairs", "news.jsonl", "--work", "w", "--resume")
    assert (again.code, again.rows) == (0, first.rows)
    assert "w/sign-000000000000000.part was damaged, so it was computed again" in " ".join(again.err.split())
    assert not Path("w").exists()


def test_what_is_written_again_and_what_is_not_may_differ_from_run_to_run(lookalike: Run) -> None:
    """Parts do not depend on the outputs, the survivor rule, the number of threads or the engine."""
    lookalike("clusters", "news.jsonl", "--work", "w", "--keep-work", "--out", "a.parquet")
    more = ("--keep", "longest", "--threads", "1", "--out", "b.jsonl")
    resumed = lookalike("clusters", "news.jsonl", "--work", "w", "--resume", *more)
    assert "resumed          from" in resumed.err
    by_resuming = Path("b.jsonl").read_bytes()
    lookalike("clusters", "news.jsonl", "--force", *more)
    assert Path("b.jsonl").read_bytes() == by_resuming


def test_outputs_that_were_there_before_are_still_refused(lookalike: Run) -> None:
    Path("p.jsonl").write_text("precious")
    lookalike("pairs", "news.jsonl", "--work", "w", "--keep-work", "--out", "q.jsonl")
    ran = lookalike("pairs", "news.jsonl", "--work", "w", "--resume", "--out", "p.jsonl")
    assert (ran.code, Path("p.jsonl").read_text()) == (4, "precious")
    again = lookalike("pairs", "news.jsonl", "--work", "w", "--resume", "--out", "q.jsonl")
    assert again.code == 0


@pytest.mark.parametrize("option", ["--resume", "--keep-work"])
def test_what_is_about_the_work_folder_needs_one(lookalike: Run, option: str) -> None:
    ran = lookalike("pairs", "news.jsonl", option)
    ran.refused(2, "resume-without-work", {"option": option.removeprefix("--").replace("-", "_")})


def test_whoever_interrupts_a_run_is_told_how_to_go_on(tmp_path: Path) -> None:
    corpus(tmp_path, "jsonl", files=1, rows=3000)
    program = [*PROGRAM, "pairs", "part-0.jsonl", "--on-error", "skip", "--engine", "reference", "--work", "w"]
    with subprocess.Popen(program, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as run:
        assert run.stderr is not None and run.stderr.readline().startswith("lookalike: read")
        run.send_signal(signal.SIGTERM)
        assert "progress is saved in w. To continue, repeat the run with --resume" in run.stderr.read()
    assert run.returncode == 143
