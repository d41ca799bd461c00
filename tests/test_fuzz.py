"""The fuzzer: a few cases in every run, and regressions that it found. `make fuzz` searches for more."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookalike.kernel import _native
from tools import fuzz
from tools.fuzz.kernel_calls import Recorder

ROOT = Path(fuzz.__file__).parents[2]


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_cases_of_every_target_end_in_answers_or_documented_errors(target: str) -> None:
    before = _native.path()
    try:
        for number in range(10 * fuzz.TURNS[target]):
            fuzz.run_case(target, 0, number)
    finally:
        _native.force(before)


def test_every_function_of_the_kernel_gives_an_answer_in_some_case() -> None:
    """Cases whose arguments are always rejected test nothing. This fails when the parameters of a function change."""
    stub = ast.parse((ROOT / "src/lookalike/kernel/_native.pyi").read_text(encoding="utf-8"))
    wanted = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)} - {"paths", "force"}
    wanted |= {node.name for node in stub.body if isinstance(node, ast.ClassDef)}
    Recorder.answered.clear()
    before = _native.path()
    try:
        for number in range(5000):
            fuzz.run_case("kernel", 1, number)
            if wanted <= Recorder.answered:
                break
    finally:
        _native.force(before)
    assert wanted <= Recorder.answered


@pytest.mark.slow
def test_a_minute_of_new_cases() -> None:
    done = subprocess.run([*fuzz.SELF, "--minutes", "1"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout


def test_a_failing_case_is_named(tmp_path: Path) -> None:
    """A case fails by an exception or by a crash of the process."""
    dying = tmp_path / "dying.py"
    dying.write_text(
        "import os\nfrom tools import fuzz\nfuzz.TARGETS['kernel'] = lambda rng: os.abort()\nfuzz.main()",
        encoding="utf-8",
    )
    code = (
        f"import sys\nfrom tools import fuzz\nfuzz.SELF = [sys.executable, {str(dying)!r}]\nsys.exit(fuzz.fuzz(0.1, 7))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.returncode == 1 and "To repeat: python -m tools.fuzz --case kernel:7:0" in done.stdout


# Regressions: bugs that the fuzzer found.


def counting(*, items: bytes = b"ab", threads: int = 1) -> Any:
    strings = np.arange(len(items) + 1, dtype=np.int64)
    return _native.PairPass(np.frombuffer(items, np.uint8), strings, [], 1 << 20, 1 << 16)


def test_a_pass_over_pairs_must_be_told_what_to_count() -> None:
    """These calls used a null table and crashed the process."""
    with pytest.raises(ValueError, match="say what to count"):
        counting().take_text(b"a b\n", 0, 1)
    with pytest.raises(ValueError, match="no pairs"):
        counting().finish(1)
    with pytest.raises(ValueError, match="everything was counted"):
        counting().next()
    with pytest.raises(ValueError, match="no buckets"):
        counting().bitmap(1)
    assert counting().table_bytes == 0


def test_a_pass_that_counts_only_buckets_has_no_pairs() -> None:
    buckets = counting()
    buckets.count_buckets(0, 3, 1)
    buckets.take_text(b"a b\n", 0, 1)
    with pytest.raises(ValueError, match="no pairs"):
        buckets.finish(1)


def test_a_triangle_cannot_be_used_with_more_threads_than_it_was_made_for() -> None:
    """A third thread wrote beyond the end of the triangles of two threads."""
    triangle = counting()
    triangle.count_triangle(2)
    with pytest.raises(ValueError, match="more threads"):
        triangle.take_text(b"a b\n" * 100, 0, 3)
    triangle.take_text(b"a b\n" * 100, 0, 2)
    assert triangle.finish(1)[1].tolist() == [100]
