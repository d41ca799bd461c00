"""A fuzzer: passes random and damaged files to every reader, and random arrays to every function of the kernel.

    python -m tools.fuzz --minutes 10          run until the time is up or a case fails
    python -m tools.fuzz --case readers:7:123  repeat one case, with its traceback

A case is a target, a seed and a number, which determine everything it does. It may return an answer or raise one of the
documented errors: a LookalikeError from a reader, ValueError and the like from the kernel. Any other outcome is a bug,
above all a crash of the process: fix it, and keep the case as a test.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from .damaged_files import readers
from .kernel_calls import kernel
from .library_calls import verbs

ROUND = 20.0
"""Seconds per process. Each process has a new seed."""

Target = Callable[[random.Random], None]

SELF = [sys.executable, "-m", "tools.fuzz"]

TARGETS: dict[str, Target] = {"readers": readers, "kernel": kernel, "verbs": verbs}

TURNS = {"readers": 4, "kernel": 40, "verbs": 1}
"""Cases of each target per turn. Each target then takes about a third of the time."""


def run_case(target: str, seed: int, number: int) -> None:
    """Runs one case. Raises an exception if it fails."""
    TARGETS[target](random.Random(f"{target}:{seed}:{number}"))


def work(seed: int, seconds: float, note: Path) -> None:
    """Runs cases for some seconds. The file `note` names the current case, in case the process dies."""
    end, number = time.monotonic() + seconds, 0
    file = os.open(note, os.O_WRONLY | os.O_CREAT, 0o600)
    while time.monotonic() < end:
        for target, turns in TURNS.items():
            for turn in range(turns):
                os.pwrite(file, f"{target}:{seed}:{number + turn}".ljust(60).encode(), 0)
                run_case(target, seed, number + turn)
        number += max(TURNS.values())
    os.pwrite(file, f"{number // max(TURNS.values()) * sum(TURNS.values())}".ljust(60).encode(), 0)


def fuzz(minutes: float, seed: int) -> int:
    """Runs processes of ROUND seconds one after the other. Returns the exit code: 0 if no case failed."""
    end, cases = time.monotonic() + 60 * minutes, 0
    with tempfile.TemporaryDirectory() as folder:
        while (left := end - time.monotonic()) > 0:
            note = Path(folder) / "note"
            arguments = ["--work", str(seed), "--seconds", str(min(ROUND, left)), "--note", str(note)]
            done = subprocess.run([*SELF, *arguments], capture_output=True, text=True)
            last = note.read_text().strip() if note.exists() else "no case"
            if done.returncode:
                print(done.stderr[-3000:])
                print(f"{last} ended with {done.returncode}. To repeat: python -m tools.fuzz --case {last}")
                return 1
            cases += int(last)
            seed += 1
            print(f"{cases:,} cases, {max(0.0, left - ROUND) / 60:.1f} minutes left", file=sys.stderr)
    print(f"{cases:,} cases in {minutes:g} minutes; none failed")
    return 0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**6))
    parser.add_argument("--case", help="target:seed:number")
    for hidden in ("--work", "--seconds", "--note"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        target, seed, number = options.case.split(":")
        run_case(target, int(seed), int(number))
    elif options.work:
        work(int(options.work), float(options.seconds), Path(options.note))
    else:
        sys.exit(fuzz(options.minutes, options.seed))
