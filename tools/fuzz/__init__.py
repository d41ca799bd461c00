"""Nonsense in, no crash out: random and damaged files through every reader, random arrays through every kernel entry.

    python -m tools.fuzz --minutes 10          until the time is up; the first case that goes wrong ends it
    python -m tools.fuzz --case readers:7:123  one case again, with its traceback

A case is a target, a seed and a number, and all that it does follows from these. What may come out is an answer, or an
error of the kind that callers are promised: one of lookalike's own from a reader, ValueError and the like from the
kernel. Anything else, a crash of the process above all, is a finding: mend it, and keep the case as a test.
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
"""Seconds of a process; the next one has another seed."""

Target = Callable[[random.Random], None]

SELF = [sys.executable, "-m", "tools.fuzz"]

TARGETS: dict[str, Target] = {"readers": readers, "kernel": kernel, "verbs": verbs}

TURNS = {"readers": 4, "kernel": 40, "verbs": 1}
"""Cases of each target in a turn, so that each has about a third of the time."""


def run_case(target: str, seed: int, number: int) -> None:
    """Raises whatever should not be."""
    TARGETS[target](random.Random(f"{target}:{seed}:{number}"))


def work(seed: int, seconds: float, note: Path) -> None:
    """Case after case; the note says which one is under way, should the process die of it."""
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
    """Processes of ROUND seconds, one after the other. The exit code: 0 if nothing was found."""
    end, cases = time.monotonic() + 60 * minutes, 0
    with tempfile.TemporaryDirectory() as folder:
        while (left := end - time.monotonic()) > 0:
            note = Path(folder) / "note"
            arguments = ["--work", str(seed), "--seconds", str(min(ROUND, left)), "--note", str(note)]
            done = subprocess.run([*SELF, *arguments], capture_output=True, text=True)
            said = note.read_text().strip() if note.exists() else "nothing"
            if done.returncode:
                print(done.stderr[-3000:])
                print(f"{said} ended with {done.returncode}; again: python -m tools.fuzz --case {said}")
                return 1
            cases += int(said)
            seed += 1
            print(f"{cases:,} cases, {max(0.0, left - ROUND) / 60:.1f} minutes left", file=sys.stderr)
    print(f"{cases:,} cases in {minutes:g} minutes, and nothing went wrong")
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
