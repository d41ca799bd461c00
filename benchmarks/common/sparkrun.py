"""Runs on Spark on this machine, and what they cost: CPU time of the JVM and all Python workers, tasks, shuffles."""

from __future__ import annotations

import json
import os
import sys
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lookalike as la

TICK = os.sysconf("SC_CLK_TCK")


def session(cores: int = 2, memory: str = "1g") -> Any:
    """A local master with its status page, which knows the tasks. Nothing large may come to the driver."""
    from pyspark.sql import SparkSession

    os.environ |= {"PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    settings = {
        "spark.driver.memory": memory,
        "spark.driver.maxResultSize": "10m",
        "spark.driver.host": "127.0.0.1",
        "spark.log.level": "ERROR",
        "spark.ui.port": "0",
        "spark.ui.showConsoleProgress": "false",
    }
    builder = SparkSession.builder.master(f"local[{cores}]").appName("lookalike benchmark")
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def tree_cpu() -> float:
    """CPU seconds of this process and all that it started, those that have ended included."""
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
    return sum(spent[pid] for pid in family if pid in spent) / TICK


@dataclass
class Clock:
    """Heard as progress: what each stage has cost."""

    cpu: dict[str, float] = field(default_factory=dict)
    wall: dict[str, float] = field(default_factory=dict)
    watch: Callable[[], None] | None = None
    """Called between stages."""
    _now: str = "start"
    _since: tuple[float, float] = field(default_factory=lambda: (tree_cpu(), time.perf_counter()))

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        if stage != self._now:
            self.stop()
            self._now = stage
            if self.watch is not None:
                self.watch()

    def stop(self) -> None:
        cpu, wall = tree_cpu(), time.perf_counter()
        for spent, now, then in ((self.cpu, cpu, self._since[0]), (self.wall, wall, self._since[1])):
            spent[self._now] = spent.get(self._now, 0.0) + now - then
        self._since = cpu, wall


@dataclass
class Cost:
    """Of one run: CPU and wall seconds by stage, bytes shuffled, and its tasks."""

    cpu: dict[str, float]
    wall: dict[str, float]
    shuffled: int
    stages: list[list[float]]
    """The seconds of the tasks of each Spark stage."""
    result: Any


def clusters(session: Any, path: Path | str, **options: Any) -> Cost:
    """A run of the Spark engine over a file. Warm it up with another first."""
    from lookalike.engines.spark import Spark

    engine = Spark(session, **options.pop("engine", {}))
    before = {stage["stageId"] for stage in _status(session, "stages")}
    clock = Clock(watch=options.pop("watch", None))
    result = la.find_clusters(path, engine=engine, progress=clock, **options)
    clock.stop()
    ran = [s for s in _status(session, "stages") if s["stageId"] not in before and s["status"] == "COMPLETE"]
    tasks = [_tasks(session, stage) for stage in ran]
    return Cost(clock.cpu, clock.wall, sum(stage["shuffleWriteBytes"] for stage in ran), tasks, result)


def _tasks(session: Any, stage: dict[str, Any]) -> list[float]:
    found = _status(session, f"stages/{stage['stageId']}/{stage['attemptId']}/taskList?length=100000")
    return [task["duration"] / 1000 for task in found if task.get("status") == "SUCCESS"]


def _status(session: Any, what: str) -> Any:
    context = session.sparkContext
    url = f"{context.uiWebUrl}/api/v1/applications/{context.applicationId}/{what}"
    with urllib.request.urlopen(url) as page:
        return json.load(page)
