"""Ctrl-C: how long does a run take to end?

    python benchmarks/interrupts.py [--documents 1000000] [--moments 20] [-- --method lsh …]

A run is started again and again, and interrupted at evenly spaced moments between its start and its end. Each time, it
must end with the exit code of an interrupted command, and leave no file behind. A run that ends before its moment is
not counted.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import corpus, measure, text_kinds

INTERRUPTED = 128 + signal.SIGINT
START = 0.1
"""The first moment, in seconds: before it, modules are loaded."""


def main() -> None:
    options, more = parsed()
    path = corpus.write(options.kind, options.documents)
    command = [sys.executable, "-m", "lookalike", "pairs", str(path), "--column", "text", "--quiet", *more]
    command += ["--shingles", f"words:{text_kinds.KINDS[options.kind].k}", "--out", "out.parquet"]
    with tempfile.TemporaryDirectory() as folder:
        whole = ended(command, folder, None)[0]
        for file in Path(folder).iterdir():
            file.unlink()
        taken = []
        for moment in range(options.moments):
            at = START + (whole - START) * moment / options.moments
            seconds, code = ended(command, folder, at)
            left = [file.name for file in Path(folder).iterdir()]
            if code == 0:
                continue
            if code not in (INTERRUPTED, -signal.SIGINT) or left:
                raise SystemExit(f"interrupted after {at:.2f} s: exit code {code}, files {left}")
            taken.append((seconds, at))
    print(f"{path.stem}, a run of {whole:.1f} s, interrupted at {len(taken)} moments; {measure.machine()}")
    worst, at = max(taken)
    print(f"The run ended within {worst:.2f} s (after {at:.1f} s); mean {sum(s for s, _ in taken) / len(taken):.2f} s.")


def ended(command: list[str], folder: str, at: float | None) -> tuple[float, int]:
    """Runs the command, and interrupts it after `at` seconds, if given.

    Returns the seconds until its end, counted from the interruption on, and its exit code.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731 - background jobs ignore Ctrl-C
    running = subprocess.Popen(command, cwd=folder, env=environment, preexec_fn=heed, stderr=subprocess.DEVNULL)
    began = time.perf_counter()
    if at is not None:
        time.sleep(at)
        began = time.perf_counter()
        running.send_signal(signal.SIGINT)
    code = running.wait()
    return time.perf_counter() - began, code


def parsed() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf", help="kind of generated text")
    parser.add_argument("--moments", type=int, default=20, help="how many runs are interrupted")
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[: own.index("--")], own[own.index("--") + 1 :]
    return parser.parse_args(own), more


if __name__ == "__main__":
    main()
