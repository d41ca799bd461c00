"""The program as a process: pipes, terminals and signals."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from .conftest import write_news

PROGRAM = [sys.executable, "-c", "from lookalike.cli import main; main()"]


def lookalike(*arguments: str, cwd: Path, **options: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # type: ignore[call-overload,no-any-return]
        [*PROGRAM, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, **options
    )


@pytest.fixture
def long_corpus(tmp_path: Path) -> Path:
    """Enough for the reference engine to be busy for a good while."""
    path = tmp_path / "long.jsonl"
    with path.open("w") as file:
        for i in range(3000):
            file.write(json.dumps({"text": " ".join(f"w{(i * 7 + j * j) % 997}" for j in range(80))}) + "\n")
    return path


def test_a_pipe_in_and_a_pipe_out(tmp_path: Path) -> None:
    news = write_news(tmp_path).read_text()
    ran = lookalike("pairs", "-", "--id", "id", "--shingles", "words:2", cwd=tmp_path, input=news)
    assert ran.returncode == 0
    assert [json.loads(line)["right"] for line in ran.stdout.splitlines()] == ["c", "d", "d"]
    assert "documents        5 from standard input" in ran.stderr


def test_standard_input_is_still_there_for_output_and_report(tmp_path: Path) -> None:
    """Standard input can be read once only; kept rows and sample texts come from what was spooled."""
    news = write_news(tmp_path).read_text()
    ran = lookalike("dedupe", "-", "--out", "u.jsonl", "--report", "r.html", cwd=tmp_path, input=news)
    assert ran.returncode == 0, ran.stderr
    assert len((tmp_path / "u.jsonl").read_text().splitlines()) == 3
    assert "committee" in (tmp_path / "r.html").read_text()


def test_a_log_gets_a_plain_line_for_every_stage(tmp_path: Path) -> None:
    write_news(tmp_path)
    ran = lookalike("pairs", "news.jsonl", "--out", "p.parquet", cwd=tmp_path)
    lines = ran.stderr.splitlines()
    assert lines[0].startswith("lookalike: sign 5: ")
    assert "\r" not in ran.stderr
    assert "\x1b" not in ran.stderr


def test_a_reader_that_stops_early_is_no_error(tmp_path: Path) -> None:
    with (tmp_path / "same.jsonl").open("w") as file:
        file.writelines(json.dumps({"text": "the very same text again and again"}) + "\n" for _ in range(400))
    command = f"{subprocess.list2cmdline(PROGRAM)} pairs same.jsonl --quiet | head -n 1; echo ${{PIPESTATUS[0]}}"
    ran = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    first, code = ran.stdout.splitlines()
    assert json.loads(first) == {"left": 0, "right": 1, "similarity": 1.0}
    assert (code, ran.stderr) == ("141", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_no_space_left_is_one_sentence(tmp_path: Path) -> None:
    write_news(tmp_path)
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [*PROGRAM, "pairs", "news.jsonl", "--quiet"],
            cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
        )  # fmt: skip
    assert ran.returncode == 4
    assert ran.stderr == "lookalike: error: standard output cannot be written: no space left on the device\n"


def test_a_disk_that_fills_up_leaves_nothing_half_written(tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk: writing fails in the middle."""
    write_news(tmp_path)
    limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
    limit = [sys.executable, "-c", limited + "os.execv(sys.argv[1], sys.argv[1:])"]
    command = [*limit, *PROGRAM, "dedupe", "news.jsonl", "--out", "u.jsonl", "--quiet"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 4
    assert ran.stderr.startswith("lookalike: error: u.jsonl cannot be written")
    assert [path.name for path in tmp_path.iterdir()] == ["news.jsonl"]


def test_ctrl_c_ends_with_130_and_leaves_nothing_behind(long_corpus: Path) -> None:
    folder = long_corpus.parent
    command = [*PROGRAM, "dedupe", "long.jsonl", "--engine", "reference", "--out", "u.jsonl", "--report", "r.html"]
    # a job in the background, as CI may be, ignores Ctrl-C, and so would its children
    heed = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    running = subprocess.Popen(
        command, cwd=folder, stderr=subprocess.PIPE, text=True, start_new_session=True, preexec_fn=heed
    )
    assert running.stderr is not None
    # the first stage is done, it is in the middle of its work
    assert running.stderr.readline().startswith("lookalike: ")
    os.killpg(running.pid, signal.SIGINT)
    _, said = running.communicate(timeout=30)
    assert running.returncode == 130
    assert said.endswith("lookalike: interrupted\n")
    assert "Traceback" not in said
    assert [path.name for path in folder.iterdir()] == ["long.jsonl"]


def test_a_terminal_gets_a_moving_line_that_is_gone_at_the_end(long_corpus: Path) -> None:
    shown = on_a_terminal([*PROGRAM, "clusters", "long.jsonl", "--out", "c.parquet"], long_corpus.parent)
    assert "sign" in shown
    assert "\x1b[" in shown  # the line moved
    assert "documents/s" in shown.splitlines()[-2]
    assert (long_corpus.parent / "c.parquet").exists()


def test_compare_on_a_terminal_is_in_colour(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the cat sat on the mat")
    (tmp_path / "b.txt").write_text("the cat sat on a mat")
    shown = on_a_terminal([*PROGRAM, "compare", "a.txt", "b.txt", "--shingles", "words:2"], tmp_path)
    assert "[[" not in shown
    assert "\x1b[30;102mthe cat sat on\x1b[0m" in shown


def on_a_terminal(command: list[str], cwd: Path) -> str:
    """What the command writes to a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "100"}
    environment.pop("NO_COLOR", None)
    running = subprocess.Popen(command, cwd=cwd, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    parts = []
    while True:
        ready, _, _ = select.select([ours], [], [], 60)
        try:
            part = os.read(ours, 65536) if ready else b""
        except OSError:  # the other end was closed
            break
        if not part:
            break
        parts.append(part)
    os.close(ours)
    assert running.wait(timeout=30) == 0
    return b"".join(parts).decode()
