"""Who works when? Traces a run thread by thread, and computes how it would scale to more cores.

    python benchmarks/scaling_trace.py [--documents 1000000] [--kind zipf] [--file texts.parquet] [--threads 2]
                                       [--command pairs] [--chart trace.svg] [-- --method lsh …]

About once a millisecond, another process looks at which threads of the run are busy, and which one holds the
interpreter's lock (common/thread_samples.py). Where fewer threads are busy than the run may use, more cores do not
help. Amdahl's law gives the speed-up on 16 cores if that time stays and the rest is divided by 16. The lock is a limit
of its own: however many workers there are, only one holds it.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from common import corpus, measure, text_kinds, trace_chart
from common.thread_samples import Samples, sampled

CORES = 16


@dataclass(frozen=True)
class Stage:
    name: str
    seconds: float
    alone: float
    """Seconds in which fewer threads were busy than the run may use."""
    idle: float
    """The same, weighted by the share of these threads that were not busy."""


@dataclass(frozen=True)
class Trace:
    stages: list[Stage]
    workers: float
    """Seconds for which workers were busy, in all."""
    held: float
    """Seconds for which workers held the lock, in all."""
    held_by_main: float
    cpu: float

    @property
    def seconds(self) -> float:
        return sum(stage.seconds for stage in self.stages)

    @property
    def alone(self) -> float:
        return sum(stage.alone for stage in self.stages)

    def speed_up(self, threads: int) -> float:
        """How much faster CORES cores are than one: the work of `threads` threads is divided, the rest is not."""
        divided = (self.seconds - self.alone) * threads
        return (self.alone + divided) / (self.alone + divided / CORES)


def main() -> None:
    options, more = parsed()
    path = options.file or corpus.write(options.kind, options.documents)
    k = 5 if options.file else text_kinds.KINDS[options.kind].k
    once = corpus.write("zipf", 100)  # so that bytecode is cached, as it is for users
    for texts in (once, path):
        samples, stages = observed(texts, k, options, more)
    trace = traced(samples, stages, options.threads)
    title = f"{options.command} {' '.join(more)}".strip()
    print(f"`{title}`, {path.stem}, {options.threads} threads; {measure.machine()}\n")
    show(trace, options.threads)
    if options.chart:
        options.chart.write_text(trace_chart.drawn(samples, stages, options.threads, title) + "\n")


def observed(
    path: Path, k: int, options: argparse.Namespace, more: list[str]
) -> tuple[Samples, list[tuple[str, float, float]]]:
    """Traces a command. Returns what was seen, and the name, begin and end of each stage."""
    with tempfile.TemporaryDirectory() as folder:
        out, stages = Path(folder) / "out.parquet", Path(folder) / "stages.json"
        what = [
            options.command,
            str(path),
            "--column",
            "text",
            "--shingles",
            f"words:{k}",
            "--out",
            str(out),
            "--quiet",
        ]
        command = [sys.executable, "-m", "common.staged_command", *what, "--threads", str(options.threads), *more]
        here = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        samples = sampled(command, {**here, "STAGES": str(stages), "PYTHONPATH": str(measure.HERE)})
        return samples, with_gaps(
            [(str(name), began, ended) for name, began, ended in json.loads(stages.read_text())], samples
        )


def with_gaps(stages: list[tuple[str, float, float]], samples: Samples) -> list[tuple[str, float, float]]:
    """The stages in order, with what lies before, between and after them."""
    whole, at = [], samples.began
    for number, (name, began, ended) in enumerate(sorted(stages, key=lambda stage: stage[1])):
        whole += [("start" if number == 0 else "between", at, began), (name, began, ended)]
        at = ended
    return [stage for stage in [*whole, ("end", at, samples.ended)] if stage[2] - stage[1] >= 0.002]


def traced(samples: Samples, stages: list[tuple[str, float, float]], threads: int) -> Trace:
    found, workers, held, held_by_main = [], 0.0, 0.0, 0.0
    steps = list(zip(samples.times, [*samples.times[1:], samples.ended], samples.busy, samples.holders, strict=True))
    for name, began, ended in stages:
        alone = idle = 0.0
        for start, stop, busy, holder in steps:
            seconds = min(stop, ended) - max(start, began)
            if seconds <= 0:
                continue
            if len(busy) < threads:
                alone += seconds
                idle += seconds * (1 - len(busy) / threads)
            workers += seconds * len(busy - {samples.process})
            if holder:
                held += seconds * (holder != samples.process)
                held_by_main += seconds * (holder == samples.process)
        found.append(Stage(name, ended - began, alone, idle))
    return Trace(found, workers, held, held_by_main, samples.cpu)


def show(trace: Trace, threads: int) -> None:
    print(f"| stage | s | fewer than {threads} busy, s | of these, idle |\n|---|---|---|---|")
    for stage in trace.stages:
        share = stage.idle / stage.alone if stage.alone else 0
        print(f"| {stage.name} | {stage.seconds:.3f} | {stage.alone:.3f} | {share:.0%} |")
    print(f"| **all** | **{trace.seconds:.3f}** | **{trace.alone:.3f}** | |\n")
    share = trace.held / trace.workers if trace.workers else 0
    print(
        f"CPU time {trace.cpu:.2f} s. Workers were busy for {trace.workers:.2f} s, and held the interpreter's lock ",
        end="",
    )
    print(f"for {trace.held:.3f} s of them ({share:.1%}); the main thread held it for {trace.held_by_main:.3f} s.")
    print(f"Amdahl's law: {trace.speed_up(threads):.1f} times as fast on {CORES} cores as on one.", flush=True)


def parsed() -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--kind", choices=text_kinds.KINDS, default="zipf", help="kind of generated text")
    parser.add_argument("--file", type=Path, help="Parquet file with a column `text`, instead of generated texts")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--command", default="pairs", help="pairs, clusters or dedupe")
    parser.add_argument("--chart", type=Path, help="write a chart of the trace to this SVG file")
    own, more = sys.argv[1:], []
    if "--" in own:
        own, more = own[: own.index("--")], own[own.index("--") + 1 :]
    return parser.parse_args(own), more


if __name__ == "__main__":
    main()
