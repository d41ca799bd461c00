"""Progress is shown in terminals and notebooks only; every stage is logged."""

from __future__ import annotations

import logging
import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.display.progress import PATIENCE, Stage, Watched, duration, watching
from lookalike.engines.local.engine import Local
from lookalike.engines.stages.memory import Allowance
from lookalike.flow.progress import About
from tests.contracts.test_results import PEOPLE
from tests.refusals import refused

WORK = """
import time
import rich.live
from lookalike.display import progress as module
module.PATIENCE, module.INTERVAL = 0, 0.02
with module.watching({progress}) as progress:
    for done in range(0, 101, 5):
        progress("sign", done, 100)
        time.sleep(0.05)
    print("the answer")
"""
"""A run that takes a second, in which progress is drawn often."""
TEXTS = ["the cat sat on the mat today", "The cat sat on the mat, today, and slept", "a dog"]


def in_terminal(code: str, columns: int = 100) -> str:
    """What a terminal receives from a program in Python, control sequences included."""
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": f"{columns}"}
    environment.pop("NO_COLOR", None)
    leader, follower = pty.openpty()
    program = [sys.executable, "-c", code]
    ran = subprocess.Popen(program, stdin=follower, stdout=follower, stderr=follower, env=environment)
    os.close(follower)
    received = b""
    while True:
        try:
            data = os.read(leader, 65_536)
        except OSError:  # Linux reports the end of a terminal as an error
            break
        if not data:
            break
        received += data
    os.close(leader)
    assert ran.wait(timeout=60) == 0, received.decode()
    return received.decode()


def elsewhere(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)


def test_a_terminal_has_a_line_with_percentage_rate_and_time_left_that_disappears() -> None:
    received = in_terminal(WORK.format(progress=None))
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", received)
    seen = re.findall(r"sign \S+ (\d+)%, (\d+) of 100, [\d,]+/s, (\d:\d\d) left", shown)
    assert len(seen) >= 3 and all(int(percent) == int(done) for percent, done, _ in seen)
    assert [int(done) for _, done, _ in seen] == sorted(int(done) for _, done, _ in seen)
    assert "the answer" in shown, "what is printed meanwhile stays"
    after = received[received.rindex(" left") :]
    assert "\x1b[2K" in after, "the line is erased at the end"
    assert "\x1b[?25h" in after, "the cursor is there again"


@pytest.mark.parametrize(("columns", "bar"), [(80, True), (40, True), (24, False)])
def test_percentage_and_time_left_are_there_in_a_narrow_terminal(columns: int, bar: bool) -> None:
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", in_terminal(WORK.format(progress=None), columns))
    lines = [line for line in re.split(r"[\r\n]+", shown) if line.startswith("sign")]
    assert lines and all(len(line.rstrip()) <= columns for line in lines)
    drawn = "━" if bar else ""
    assert any(re.search(r"\d%, .*\d:\d\d left", line) and drawn in line for line in lines)


def test_a_short_run_shows_nothing_in_a_terminal() -> None:
    patient = "from lookalike.display import progress; progress.PATIENCE = 1000"
    assert in_terminal(f"{patient}; import lookalike as la; print(len(la.find_pairs({TEXTS!r})))") == "0\r\n"


def test_nothing_is_shown_where_nobody_looks() -> None:
    assert elsewhere(WORK.format(progress=None)).stderr == ""
    assert in_terminal(WORK.format(progress=False)) == "the answer\r\n"


def test_true_prints_a_line_per_stage_where_there_is_no_terminal() -> None:
    dedupe = f"la.dedupe({TEXTS!r}, shingles='words:2', threshold=0.5, linkage='connected', progress=True)"
    run = f"import lookalike as la; {dedupe}"
    assert elsewhere(f"from lookalike.display import progress; progress.PATIENCE = 1000; {run}").stderr == ""
    ran = elsewhere(f"from lookalike.display import progress; progress.PATIENCE = 0; {run}")
    stages = [re.sub(r" [\d.]+ s$", "", line) for line in ran.stderr.splitlines()]
    assert stages[0] == "lookalike: sign 3:" and "lookalike: keep 1:" in stages and ran.stdout == ""


def test_the_lines_of_short_stages_are_printed_once_the_run_is_not_short(capsys: pytest.CaptureFixture[str]) -> None:
    watched = Watched(prints=True)
    watched("read", 3, 3)
    watched("sign", 0, 3)
    assert capsys.readouterr().err == "", "the run may be a short one"
    watched._run_began = time.perf_counter() - PATIENCE
    watched("sign", 1, 3)
    assert re.fullmatch(r"lookalike: read 3: [\d.]+ s\n", capsys.readouterr().err)
    watched.close()
    assert re.fullmatch(r"lookalike: sign 1: [\d.]+ s\n", capsys.readouterr().err)


def test_two_runs_at_once_do_not_overwrite_each_other() -> None:
    inner = "".join(f"    {line}\n" for line in WORK.format(progress="None").strip().splitlines())
    outer = "from lookalike.display.progress import watching\nwith watching(None) as outer:\n    outer('outer', 1, 2)\n"
    shown = in_terminal(outer + inner)
    assert "outer" in shown and "sign" not in shown


@pytest.mark.parametrize("value", [5, 0, "yes", 1.5, [], object()])
@pytest.mark.parametrize("verb", ["find_pairs", "dedupe", "join", "frequent_pairs", "contamination", "resolve"])
def test_other_values_are_refused_in_one_sentence(verb: str, value: Any) -> None:
    data: tuple[Any, ...] = (TEXTS, TEXTS) if verb == "contamination" else (TEXTS,)
    more = {"support": 1} if verb == "frequent_pairs" else {}
    with refused("not-a-progress"):
        getattr(la, verb)(*data, progress=value, **more)


def test_a_function_is_called_for_every_stage_with_totals_where_they_are_known(tmp_path: Path) -> None:
    words = [f"{n**7} {n**8} {n**9} {n}" for n in range(2, 9002)]
    data = tmp_path / "texts.jsonl"
    data.write_text(
        "".join(f'{{"text": "{text}", "n": 1}}\n' for text in [*words, *(f"{text} x" for text in words[:50])])
    )
    calls: list[tuple[str, int, int | None]] = []
    found = la.dedupe(
        data, keep="best:n", shingles="words:1", threshold=0.7, out=tmp_path / "out.jsonl", linkage="connected",
        progress=lambda *call: calls.append(call),
    )  # fmt: skip
    assert found.removed.num_rows == 50
    last = {stage: (done, total) for stage, done, total in calls}
    assert last["sign"][0] == 9050 and isinstance(last["sign"][1], int), "estimated from the size of the file"
    assert last["read candidates"][1] == last["read candidates"][0] >= 100 and last["keep"] == (50, 50)
    assert last["write"] == (8192, 9000)
    assert ("keep", 9050, 9050) in calls, "the column of the rule was read"
    assert all(total is None or 0 <= done <= total for _, done, total in calls)


APPLICATIONS: dict[str, Callable[..., Any]] = {
    "resolve": lambda progress: la.resolve(PEOPLE, progress=progress),
    "link": lambda progress: la.link(PEOPLE[:12], PEOPLE[12:], progress=progress),
    "join": lambda progress: la.join(TEXTS, TEXTS, progress=progress),
    "nearest": lambda progress: la.nearest([[1, 0], [0, 1], [1, 2]], progress=progress),
    "frequent_pairs": lambda progress: la.frequent_pairs([["a", "b"], ["a", "b"]], support=2, progress=progress),
    "contamination": lambda progress: la.contamination(TEXTS, TEXTS, progress=progress),
    "plagiarism": lambda progress: la.plagiarism(TEXTS, TEXTS, progress=progress),
    "audit": lambda progress: la.audit(la.find_pairs(TEXTS), TEXTS, progress=progress),
    "forecast": lambda progress: la.forecast(TEXTS, progress=progress),
    "spilling": lambda progress: la.find_clusters(
        TEXTS * 3, engine=Local(allowance=Allowance(60_000, state=0)), method="lsh", progress=progress
    ),
}


@pytest.mark.parametrize("name", APPLICATIONS)
def test_no_stage_is_said_to_be_done_before_it_is(name: str) -> None:
    """`resolve` once reported all records as indexed before it began."""
    calls: list[tuple[str, int, int | None]] = []
    APPLICATIONS[name](lambda *call: calls.append(call))
    first: dict[str, tuple[int, int | None]] = {}
    for stage, done, total in calls:
        assert done >= 0 and (total is None or done <= total)
        assert done >= first.get(stage, (0, None))[0], "progress does not go back"
        first.setdefault(stage, (done, total))
    assert calls


def test_stages_and_warnings_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    rows = [{"id": "a", "text": text} for text in TEXTS]
    with caplog.at_level(logging.DEBUG, "lookalike"):
        la.find_pairs(rows, id="id", shingles="words:2")
    logged = [(record.levelname, record.getMessage()) for record in caplog.records]
    assert ("DEBUG", "sign: started") in logged
    assert any(level == "INFO" and re.fullmatch(r"sign 3: [\d.]+ s", words) for level, words in logged)
    assert ("INFO", "find_pairs: Pairs(0 by jaccard of 0.8 or more, of 3 documents)") in logged
    assert logged[-1][0] == "WARNING" and logged[-1][1].startswith("find_pairs: the ids are not unique: 2 of 3 rows")


def test_a_verb_within_a_verb_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "lookalike"):
        la.stories([{"text": text} for text in TEXTS], language="en")
    assert len([record for record in caplog.records if record.getMessage().startswith("sign")]) == 1


def test_programs_without_logging_print_nothing() -> None:
    """Python prints warnings of loggers without a handler."""
    ran = elsewhere(f"import lookalike as la; assert la.find_pairs({[*TEXTS, 5]!r}, on_error='skip').warnings")
    assert (ran.stdout, ran.stderr, ran.returncode) == ("", "", 0)


def test_ids_that_repeat_are_shown_in_any_program() -> None:
    rows = [{"id": "a", "text": text} for text in TEXTS]
    ran = elsewhere(f"import lookalike as la; la.find_pairs({rows!r}, id='id')")
    assert "LookalikeWarning: the ids are not unique" in ran.stderr


def test_an_error_ends_the_display() -> None:
    code = WORK.format(progress=None).replace('print("the answer")', "raise SystemExit(0)")
    assert "\x1b[?25h" in in_terminal(code)
    with pytest.raises(ZeroDivisionError), watching(None):
        raise ZeroDivisionError


@given(st.integers(0, 10**12), st.none() | st.integers(0, 10**12), st.booleans(), st.floats(0, 1e6))
def test_words_are_true_whatever_the_numbers(done: int, total: int | None, estimated: bool, spent: float) -> None:
    stage = Stage("sign", done, About(total) if estimated and total is not None else total, 0.0)
    words = stage.words(spent)
    assert "-" not in words and "nan" not in words and "inf" not in words
    if share := re.match(r"(\d+)%", words):
        assert total and int(share[1]) <= 100 and (int(share[1]) < 100 or done >= total)
    assert ("left in this stage" in words) == bool(done and total and spent > 0.001)
    full, short, brief = stage.wordings(spent)
    assert full == words and len(full) >= len(short) >= len(brief)


def test_the_time_left_is_that_of_the_stage_unless_the_run_was_forecast() -> None:
    """Users took "0:30 left" for the time until the end of the run."""
    stages: list[Stage] = []
    watched = Watched(stages.append)
    watched("sign", 1, 2)
    watched("sign", 2, 2)
    watched("verify", 1, 2)
    assert [one.run_began for one in stages] == [None, stages[0].began, stages[0].began]
    assert replace(stages[2], began=stages[0].began + 5).words(stages[0].began + 6).endswith("0:06 in all so far")
    watched.expect(3600)
    watched("connect", 1, 2)
    assert stages[-1].words(stages[-1].began + 1).endswith("0:01 left in this stage, about 59:59 in all")


@given(st.integers(0, 10**6))
def test_durations_add_up(seconds: int) -> None:
    parts = [int(part) for part in duration(seconds).split(":")]
    assert sum(part * 60**i for i, part in enumerate(reversed(parts))) == seconds
