"""Runs a contender in a process of its own and says what it cost: wall time, CPU time, peak memory."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Cost:
    wall: float
    cpu: float
    peak_mib: float
    answer: dict[str, float]


def run(command: Sequence[str]) -> Cost:
    """The command prints one JSON object as its last line: what it found."""
    wrapper = [sys.executable, "-c", _WRAPPER, *command]
    report = json.loads(subprocess.run(wrapper, check=True, capture_output=True, text=True).stdout.splitlines()[-1])
    return Cost(**report)


_WRAPPER = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], check=True, stdout=subprocess.PIPE, text=True)
wall = time.perf_counter() - began
used = resource.getrusage(resource.RUSAGE_CHILDREN)
answer = json.loads(done.stdout.splitlines()[-1])
cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
print(json.dumps({"wall": wall, "cpu": cpu, "peak_mib": peak, "answer": answer}))
"""


def interleaved(contenders: Mapping[str, Sequence[str]], rounds: int) -> dict[str, Cost]:
    """Every contender once a round, so that a slow minute of the machine hits all; the run of median wall time."""
    costs: dict[str, list[Cost]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, command in contenders.items():
            costs[name].append(run(command))
    return {name: sorted(runs, key=lambda cost: cost.wall)[(len(runs) - 1) // 2] for name, runs in costs.items()}


def machine() -> str:
    """What the figures were taken on."""
    model = next(
        (line.split(":")[1].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")),
        platform.processor(),
    )
    return f"{model}, {os.cpu_count()} cores, Python {platform.python_version()}, {time.strftime('%Y-%m-%d')}"


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text().splitlines()
    except OSError:
        return []
