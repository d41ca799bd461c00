"""Kills an exact run over and over, resumes it each time, and compares its output with that of an uninterrupted run.

    python benchmarks/kills.py [--documents 100000] [--memory 320MiB] [--kills 30] [--seed 1]

A run with a work folder is killed at a random moment (SIGKILL), resumed, killed again, and so on. After every few
kills, it is left to finish, its output is compared byte by byte, and the next run starts from nothing. The number of
threads changes each time, and sometimes so does the memory budget. The budget must be so small that the sets do not
fit: the uninterrupted run has to report that it spilled to files.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL

from common import corpus, measure, text_kinds

COMMAND = [sys.executable, "-c", "from lookalike.cli import main; main()", "pairs", "--id", "id", "--method", "exact"]
IN_A_ROW = 5
"""Kills of one run before it is left to finish."""

OTHER_BUDGET = 0.2
"""The share of runs that have another memory budget. They cannot use what depends on the budget."""


@dataclass
class Trial:
    """The runs over one file."""

    file: Path
    memory: str
    folder: Path
    kills: int = 0
    resumed: int = 0
    """Runs that continued after a kill and were left to finish."""
    moments: list[float] = field(default_factory=list)
    """The moments of the kills, as shares of the time of an uninterrupted run."""

    def command(self, out: Path, *more: str, memory: str | None = None) -> list[str]:
        return [*COMMAND, str(self.file), "--out", str(out), "--memory", memory or self.memory, *more]

    def uninterrupted(self) -> tuple[bytes, float]:
        """The output, and the seconds that the run took."""
        out, began = self.folder / "expected.parquet", time.perf_counter()
        done = subprocess.run(self.command(out), capture_output=True, text=True, check=True)
        if "spilled to" not in (report := done.stdout + done.stderr):
            sys.exit(f"nothing was spilled: use a smaller budget than {self.memory}\n{report}")
        return out.read_bytes(), time.perf_counter() - began

    def killed_and_resumed(self, expected: bytes, taken: float, kills: int, rng: random.Random) -> None:
        """Kills one run up to `kills` times, lets it finish, and compares what it has written."""
        out, work = self.folder / "out.parquet", self.folder / "work"
        for _ in range(kills):
            memory = "4GiB" if rng.random() < OTHER_BUDGET else self.memory
            more = ("--work", str(work), "--resume", "--threads", str(rng.randint(1, 2)))
            with subprocess.Popen(self.command(out, *more, memory=memory), stdout=DEVNULL, stderr=DEVNULL) as run:
                try:
                    moment = rng.uniform(0.05, 1.1)
                    if run.wait(moment * taken):
                        sys.exit(f"a resumed run failed with {run.returncode}")
                    break
                except subprocess.TimeoutExpired:
                    run.kill()
                    self.kills += 1
                    self.moments.append(moment)
        else:
            subprocess.run(self.command(out, "--work", str(work), "--resume"), check=True, capture_output=True)
            self.resumed += 1
        if out.read_bytes() != expected:
            sys.exit(f"after {self.kills} kills, the output differs from that of the uninterrupted run")
        out.unlink()
        if work.exists():
            sys.exit("the work folder was not removed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf")
    parser.add_argument("--memory", default="320MiB")
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        trial = Trial(corpus.write(given.kind, given.documents), given.memory, Path(folder))
        expected, taken = trial.uninterrupted()
        print(
            f"{measure.machine()}; {given.kind}, {given.documents:,} documents, {given.memory}, {taken:.1f} s",
            flush=True,
        )
        while trial.kills < given.kills:
            trial.killed_and_resumed(expected, taken, min(IN_A_ROW, given.kills - trial.kills), rng)
        early, late = min(trial.moments), max(trial.moments)
        print(f"{trial.kills} kills at {early:.2f} to {late:.2f} of that time, {trial.resumed} resumed runs finished")
        print(f"the same {len(expected):,} bytes each time")


if __name__ == "__main__":
    main()
