"""The program as a process: pipes, terminals and signals."""

from __future__ import annotations

import json
import os
import pty
import select
import shlex
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
    """A corpus that keeps the reference engine busy for a while."""
    path = tmp_path / "long.jsonl"
    with path.open("w") as file:
        for i in range(1500):
            file.write(json.dumps({"text": " ".join(f"w{(i * 7 + j * j) % 997}" for j in range(25))}) + "\n")
    return path


def test_a_pipe_in_and_a_pipe_out(tmp_path: Path) -> None:
    news = write_news(tmp_path).read_text()
    ran = lookalike("pairs", "-", "--id", "id", "--shingles", "words:2", cwd=tmp_path, input=news)
    assert ran.returncode == 0
    assert [json.loads(line)["right"] for line in ran.stdout.splitlines()] == ["c", "d", "d"]
    assert "documents        5 from standard input" in ran.stderr


def test_standard_input_is_still_there_for_output_and_report(tmp_path: Path) -> None:
    """Standard input can be read only once. Kept rows and sample texts are read from its temporary copy."""
    news = write_news(tmp_path).read_text()
    ran = lookalike("dedupe", "-", "--out", "u.jsonl", "--report", "r.html", cwd=tmp_path, input=news)
    assert ran.returncode == 0, ran.stderr
    assert len((tmp_path / "u.jsonl").read_text().splitlines()) == 3
    assert "committee" in (tmp_path / "r.html").read_text()


def test_a_log_gets_a_plain_line_for_every_stage(tmp_path: Path) -> None:
    write_news(tmp_path)
    short = lookalike("pairs", "news.jsonl", "--out", "p.parquet", cwd=tmp_path)
    assert short.stderr.startswith("documents "), "a short run prints its summary only"
    patched = "from lookalike.display import progress; progress.PATIENCE = 0; from lookalike.cli import main; main()"
    command = [sys.executable, "-c", patched, "pairs", "news.jsonl", "--out", "q.parquet"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
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


def test_a_reader_of_both_streams_that_stops_early_is_no_error(tmp_path: Path) -> None:
    """`2>&1 | head -1` gave exit code 1 without a message: click hides the broken pipe of the progress line."""
    ran = in_shell("pairs news.jsonl 2>&1 | true; exit ${PIPESTATUS[0]}", tmp_path)
    assert (ran.returncode, ran.stderr) == (141, "")


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
    """A limit on the size of files simulates a full disk: writing fails in the middle."""
    write_news(tmp_path)
    limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)); "
    limit = [sys.executable, "-c", limited + "os.execv(sys.argv[1], sys.argv[1:])"]
    command = [*limit, *PROGRAM, "dedupe", "news.jsonl", "--out", "u.jsonl", "--quiet"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 4
    assert ran.stderr.startswith("lookalike: error: u.jsonl.removed.parquet cannot be written")
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


@pytest.mark.parametrize(("number", "said"), [(signal.SIGTERM, "terminated"), (signal.SIGHUP, "hung up")])
def test_other_signals_end_like_ctrl_c_with_a_code_of_their_own(long_corpus: Path, number: int, said: str) -> None:
    folder = long_corpus.parent
    command = [*PROGRAM, "dedupe", "long.jsonl", "--engine", "reference", "--out", "u.jsonl"]
    heed = partial(signal.signal, number, signal.SIG_DFL)
    running = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True, preexec_fn=heed)
    assert running.stderr is not None
    assert running.stderr.readline().startswith("lookalike: ")
    running.send_signal(number)
    _, rest = running.communicate(timeout=30)
    assert running.returncode == 128 + number
    assert rest.endswith(f"lookalike: {said}\n")
    assert [path.name for path in folder.iterdir()] == ["long.jsonl"]


def test_sigterm_in_the_middle_of_writing_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    script = """if True:
        import os, signal, time
        from lookalike.cli.process import Ended, raise_on_signals, end_on_signals
        from lookalike.io.sinks import open_sink
        end_on_signals(), raise_on_signals()
        try:
            with open_sink("u.jsonl") as sink:
                sink.write(b"half")
                assert len(os.listdir()) == 1
                os.kill(os.getpid(), signal.SIGTERM)
                time.sleep(10)
        except Ended:
            assert os.listdir() == []
            print("clean")
    """
    heed = partial(signal.signal, signal.SIGTERM, signal.SIG_DFL)
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, preexec_fn=heed)
    assert (ran.stdout, ran.stderr) == ("clean\n", "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize(
    "arguments", ["explain", "compare <(cat news.jsonl) <(cat news.jsonl)", "--help", "--version", "pairs -h"]
)
@pytest.mark.parametrize("where", ["/dev/full", "&-"])
def test_a_standard_output_that_takes_nothing_is_an_output_error(tmp_path: Path, arguments: str, where: str) -> None:
    ran = in_shell(f"{arguments} >{where}", tmp_path)
    assert ran.returncode == 4
    assert ran.stderr.startswith("lookalike: error: standard output cannot be written: ")
    assert ran.stderr.count("\n") == 1


def test_compare_for_a_reader_that_stops_early_ends_with_141(tmp_path: Path) -> None:
    ran = in_shell("compare <(cat news.jsonl) <(cat news.jsonl) | true; exit ${PIPESTATUS[0]}", tmp_path)
    assert (ran.returncode, ran.stderr) == (141, "")


def test_closed_streams_are_not_taken_for_others(tmp_path: Path) -> None:
    error_closed = in_shell("pairs none.jsonl 2>&-", tmp_path)
    assert (error_closed.returncode, error_closed.stdout, error_closed.stderr) == (3, "", "")
    input_closed = in_shell("compare - news.jsonl <&-", tmp_path)
    assert input_closed.returncode == 3
    assert "standard input is closed" in input_closed.stderr
    all_closed = in_shell("dedupe news.jsonl --out u.jsonl <&- >&- 2>&-", tmp_path)
    assert all_closed.returncode == 0
    assert [json.loads(line)["id"] for line in (tmp_path / "u.jsonl").read_text().splitlines()] == ["a", "b", "e"]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_compare_shows_any_text_in_any_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_text("smörgås 😀 日本", encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    ran = lookalike("compare", "a.txt", "a.txt", cwd=tmp_path, env=environment, encoding=encoding)
    assert ran.returncode == 0
    assert "\\U0001f600 \\u65e5" in ran.stdout
    ran = lookalike("compare", "a.txt", "a.txt", "--json", cwd=tmp_path, env=environment, encoding=encoding)
    assert "smörgås 😀 日本" in json.loads(ran.stdout)["summary"]["passages"][0]["text"]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [("pairs news.jsonl", 3), ("pairs ../news.jsonl", 3), ("dedupe $OLDPWD/news.jsonl --out u.jsonl", 4),
     ("explain --save-plan p.toml", 4), ("dedupe $OLDPWD/news.jsonl --out $OLDPWD/u.jsonl", 0)],
)  # fmt: skip
def test_a_deleted_working_directory_is_no_fault_of_the_program(tmp_path: Path, arguments: str, code: int) -> None:
    (tmp_path / "gone").mkdir()
    ran = in_shell(arguments, tmp_path, before="cd gone; rmdir ../gone; ")
    assert ran.returncode == code, ran.stderr


def test_kept_rows_do_not_stay_without_the_account_of_the_removed(tmp_path: Path) -> None:
    """The limit on the size of files is exceeded by the kept rows, but not by the table of removed rows."""
    write_news(tmp_path)
    limited = "import os, resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)); "
    limit = [sys.executable, "-c", limited + "os.execv(sys.argv[1], sys.argv[1:])"]
    command = [*limit, *PROGRAM, "dedupe", "news.jsonl", "--out", "u.jsonl", "--quiet"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 4
    assert ran.stderr.startswith("lookalike: error: u.jsonl.removed.parquet cannot be written")
    assert [path.name for path in tmp_path.iterdir()] == ["news.jsonl"]
    for name in ("u.jsonl", "u.jsonl.removed.parquet"):
        (tmp_path / name).write_text(f"the old {name}")
    ran = subprocess.run([*command, "--force"], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert ran.returncode == 4
    for name in ("u.jsonl", "u.jsonl.removed.parquet"):
        assert (tmp_path / name).read_text() == f"the old {name}"


def in_shell(arguments: str, cwd: Path, before: str = "") -> subprocess.CompletedProcess[str]:
    """Runs the program in bash, in a folder with the corpus."""
    write_news(cwd)
    command = f"{before}{shlex.join(PROGRAM)} {arguments}"
    return subprocess.run(["bash", "-c", command], cwd=cwd, capture_output=True, text=True, timeout=60)


def test_a_terminal_gets_a_moving_line_that_is_gone_at_the_end(long_corpus: Path) -> None:
    """Progress is shown after half a second; here at once, so that the test does not depend on the machine."""
    at_once = (
        "from lookalike.display import progress; import rich.live; progress.PATIENCE, progress.INTERVAL = 0, 0.001"
    )
    program = [sys.executable, "-c", f"{at_once}; from lookalike.cli import main; main()"]
    shown = on_a_terminal([*program, "clusters", "long.jsonl", "--out", "c.parquet"], long_corpus.parent)
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


@pytest.mark.parametrize(("arguments", "code"), [(["--version"], 0), (["pairs", "none.jsonl"], 3)])
def test_exit_handlers_run_and_the_exit_code_is_that_of_the_command(arguments: list[str], code: int) -> None:
    """The process ends without the interpreter's clean-up, which must not skip the handlers of other packages."""
    script = "import atexit, sys; atexit.register(print, 'handler'); from lookalike.cli import main; main()"
    ran = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, timeout=60)
    assert (ran.returncode, ran.stdout.splitlines()[-1]) == (code, "handler")


def test_a_profiler_and_a_running_thread_see_the_normal_exit() -> None:
    """Both do their work after `main`: a profiler prints its figures, a thread of another package finishes."""
    for before in ("sys.setprofile(lambda *_: None)", "threading.Timer(0.3, print, ['late']).start()"):
        script = f"""
import sys, threading
from lookalike.cli import main
{before}
try:
    main()
except SystemExit as end:
    sys.setprofile(None)
    print("normal exit", end.code)
"""
        command = [sys.executable, "-c", script, "--version"]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
        assert "normal exit 0" in ran.stdout and ("Timer" not in before or ran.stdout.endswith("late\n"))
