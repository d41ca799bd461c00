"""Temporary files disappear with the process that created them, however it ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from lookalike.storage.unnamed_files import Unnamed

SPOOLED = "from lookalike.io.open import open_source; source = open_source('-', format='jsonl')"
GROUPED = (
    "from lookalike.io.open import open_source; source = open_source('-', format='csv', basket='set', column='item')"
)


def test_a_file_without_a_name_is_opened_by_its_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    file = Unnamed()
    Path(file.path).write_bytes(b"some")
    assert Path(file.path).read_bytes() == b"some"
    other = subprocess.run([sys.executable, "-c", f"print(open({file.path!r}).read())"], capture_output=True, text=True)
    assert other.stdout == "some\n"
    assert list(tmp_path.iterdir()) == []
    path = file.path
    del file
    assert not Path(path).exists()


def test_where_files_need_names_they_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr("os.path.samestat", lambda one, other: False)  # /proc is of other processes, or not there
    file = Unnamed()
    Path(file.path).write_bytes(b"some")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"some"]
    if (child := os.fork()) == 0:  # which does not own it
        del file
        os._exit(0)
    os.waitpid(child, 0)
    assert list(tmp_path.iterdir()) != []
    del file
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize(("program", "given"), [(SPOOLED, b'{"text": "a b"}\n'), (GROUPED, b"set,item\na,1\na,2\n")])
def test_nothing_is_left_of_a_process_that_was_killed(
    tmp_path: Path, program: str, given: bytes, end: signal.Signals
) -> None:
    """In a program that handles no signals; the command line does."""
    program = f"{program}; print(len(list(source.documents(0, None))), flush=True); import time; time.sleep(60)"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-c", program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(given)
        process.stdin.close()
        assert process.stdout.readline() == b"1\n"
        process.send_signal(end)
        assert process.wait() == -end
    assert list(tmp_path.iterdir()) == []
