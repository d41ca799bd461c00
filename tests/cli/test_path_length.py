"""The path of a row: how many files and functions of the package `dedupe` enters (docs/architecture.md)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.kernel.dispatch import VARIABLE
from tests.corpora import corpus

TRACER = """
import sys, threading
import lookalike
from pathlib import Path
from lookalike.cli import main

root, entered = str(Path(lookalike.__file__).parent), set()

def enter(frame, event, _):
    code = frame.f_code
    in_function = event == "call" and code.co_flags & 0x2 and not code.co_name.startswith("<")  # no class, no lambda
    if in_function and code.co_filename.startswith(root):
        entered.add((code.co_filename.removeprefix(root), code.co_qualname))

threading.setprofile(enter)
sys.setprofile(enter)
try:
    main()
except SystemExit:
    sys.setprofile(None)
entered.discard(("/display/progress.py", "Watched._print"))  # only entered if the machine is slow
print(len({file for file, _ in entered}), len(entered))
"""


def test_the_path_of_a_row_is_short(tmp_path: Path) -> None:
    """It was 80 files and 411 functions. A feature must cost nothing in a run that does not use it."""
    pq.write_table(pa.table({"text": corpus(2_000)}), tmp_path / "in.parquet")
    command = [sys.executable, "-c", TRACER, "dedupe", "in.parquet", "--out", "out.parquet"]
    default = {name: value for name, value in os.environ.items() if name != VARIABLE}  # a forced path is checked first
    done = subprocess.run(command, cwd=tmp_path, env=default, capture_output=True, text=True, check=True)
    files, functions = map(int, done.stdout.split())
    assert files <= 52 and functions <= 275, (files, functions)
