"""Runs on Spark on this machine: CPU time of the JVM and all Python workers, tasks, and bytes shuffled."""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import lookalike as la

TICK = os.sysconf("SC_CLK_TCK")
OPTIONS: dict[str, Any] = {"column": "text", "threshold": 0.8, "shingles": "words:5", "method": "lsh"}
"""Options of every run that is timed, on Spark or locally."""


def session(cores: int = 2, memory: str = "1g", **more: str) -> Any:
    """A Spark session on a local master with a status page. Collecting large results at the driver is an error."""
    from pyspark.sql import SparkSession

    here = str(Path(__file__).parents[1])  # Python workers import this module
    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": here}
    settings = {
        "spark.driver.memory": memory,
        "spark.driver.maxResultSize": "10m",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.ui.port": "0",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("lookalike benchmark")
    for name, value in (settings | more).items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def tree_cpu(compiling: bool = True) -> float:
    """CPU seconds of this process and all its descendants, including those that have ended.

    Without `compiling`, the time of the JVM's compiler threads is excluded. They are busy only in the first minutes.
    """
    parents, spent = {}, {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = entry.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        pid = int(entry.parent.name)
        parents[pid], spent[pid] = int(fields[1]), sum(map(int, fields[11:15]))
    family, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in family} - family
        family, grown = family | more, bool(more)
    ticks = sum(spent[pid] for pid in family if pid in spent)
    return (ticks if compiling else ticks - sum(map(_compiler_ticks, family))) / TICK


def _compiler_ticks(pid: int) -> int:
    """Clock ticks of the compiler threads of a JVM."""
    found = 0
    for entry in Path(f"/proc/{pid}/task").glob("[0-9]*/stat"):
        try:
            name, fields = entry.read_text().split("(", 1)[1].rsplit(")", 1)
        except OSError:
            continue
        found += sum(map(int, fields.split()[11:13])) if name.startswith(("C1 Comp", "C2 Comp")) else 0
    return found


@dataclass
class Clock:
    """A progress callback that records the CPU and wall seconds of each stage."""

    cpu: dict[str, float] = field(default_factory=dict)
    wall: dict[str, float] = field(default_factory=dict)
    watch: Callable[[], None] | None = None
    """Called between stages."""
    compiling: bool = True
    """Whether to include the time of the JVM's compiler threads."""
    rounds: int = 0
    """Rounds of connecting."""
    _now: str = "start"

    def __post_init__(self) -> None:
        self._since = self._read()

    def _read(self) -> tuple[float, float]:
        return tree_cpu(self.compiling), time.perf_counter()

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self._now:
            self.stop()
            self._now = stage
            if self.watch is not None:
                self.watch()
                self._since = self._read()  # the time of `watch` belongs to no stage
        if stage == "connect":
            self.rounds = max(self.rounds, done)

    def stop(self) -> None:
        cpu, wall = self._read()
        for spent, now, then in ((self.cpu, cpu, self._since[0]), (self.wall, wall, self._since[1])):
            spent[self._now] = spent.get(self._now, 0.0) + now - then
        self._since = cpu, wall


@dataclass
class Cost:
    """The costs of one run: CPU and wall seconds per stage, bytes shuffled, and the stages of Spark."""

    cpu: dict[str, float]
    wall: dict[str, float]
    shuffled: int
    stages: list[Stage]
    result: Any
    rounds: int
    """Rounds of connecting; 0 if one task connects everything."""


@dataclass
class Stage:
    """One stage of Spark."""

    work: str
    """Name of the function that its tasks run."""
    tasks: list[float]
    """CPU seconds of each task, including its Python worker."""
    shuffled: int

    @property
    def median(self) -> float:
        return statistics.median(self.tasks)

    @property
    def skew(self) -> float:
        """CPU time of the longest task, as a multiple of the median."""
        return max(self.tasks) / max(self.median, 1e-3)


def clusters(session: Any, path: Path | str, **options: Any) -> Cost:
    """The costs of clustering a file on Spark. Run another file first, to warm up the session."""
    from lookalike.engines.spark import Spark

    engine = Spark(session, **options.pop("engine", {}))
    before = {stage["stageId"] for stage in _status(session, "stages")}
    clock = Clock(watch=options.pop("watch", None), compiling=options.pop("compiling", True))
    with tempfile.TemporaryDirectory() as folder, _timed(folder):
        result = la.find_clusters(path, engine=engine, progress=clock, **options)
        clock.stop()
        python = _python_times(folder)
    ran = [s for s in _status(session, "stages") if s["stageId"] not in before and s["status"] == "COMPLETE"]
    stages = [_stage(session, stage, python) for stage in sorted(ran, key=lambda stage: int(stage["stageId"]))]
    return Cost(clock.cpu, clock.wall, sum(stage.shuffled for stage in stages), stages, result, clock.rounds)


def _stage(session: Any, stage: dict[str, Any], python: dict[tuple[int, int], tuple[str, float]]) -> Stage:
    number = stage["stageId"]
    found = _status(session, f"stages/{number}/{stage['attemptId']}/taskList?length=100000")
    work, tasks = "", []
    for task in found:
        if task.get("status") == "SUCCESS":
            name, spent = python.get((number, task["partitionId"]), ("", 0.0))
            work = work or name
            tasks.append(spent + task["taskMetrics"]["executorCpuTime"] / 1e9)
    return Stage(work, tasks, stage["shuffleWriteBytes"])


# The status page reports the CPU time of a task in the JVM. Its Python worker writes its own CPU time to a file.


@contextmanager
def _timed(folder: str) -> Iterator[None]:
    """Within this context, functions passed to `mapInArrow` are timed."""
    from pyspark.sql.classic.dataframe import DataFrame

    untimed = DataFrame.mapInArrow

    def mapped(frame: Any, work: Any, *rest: Any, **options: Any) -> Any:
        return untimed(frame, Timed(work, folder), *rest, **options)

    with patch.object(DataFrame, "mapInArrow", mapped):
        yield


@dataclass(frozen=True)
class Timed:
    """A function over Arrow batches that records its CPU time in a file in `folder`."""

    work: Any
    folder: str

    def __call__(self, batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        began, context = time.process_time(), TaskContext.get()
        assert context is not None, "not inside a Spark task"
        yield from self.work(batches)
        name = getattr(self.work, "func", self.work).__name__
        record = [context.stageId(), context.partitionId(), name, time.process_time() - began]
        with (Path(self.folder) / str(os.getpid())).open("a") as file:
            file.write(json.dumps(record) + "\n")


def _python_times(folder: str) -> dict[tuple[int, int], tuple[str, float]]:
    """Function name and CPU seconds by stage and partition."""
    lines = [json.loads(line) for file in Path(folder).iterdir() for line in file.read_text().splitlines()]
    return {(stage, part): (name, spent) for stage, part, name, spent in lines}


def _status(session: Any, what: str) -> Any:
    context = session.sparkContext
    url = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{what}"
    with urllib.request.urlopen(url) as page:
        return json.load(page)
