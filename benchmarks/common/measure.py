"""Wall time, CPU time and peak memory of contenders in their own processes, and times of calls in this process."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

HERE = Path(__file__).parents[1]

T = TypeVar("T")


@dataclass(frozen=True)
class Cost:
    wall: float
    cpu: float
    """CPU seconds of the process and its children."""
    peak_mib: float
    """Peak memory of the largest process."""
    answer: dict[str, Any]
    """The JSON object that the contender printed."""
    runs: int = 1


def run(command: Sequence[str]) -> Cost:
    """Runs a command in benchmarks/. The last line that it prints is one JSON object: its answer.

    Start-up time counts, so bytecode is cached for every contender: pip compiles packages, the first run compiles ours.
    """
    wrapper = [sys.executable, "-c", _WRAPPER, *command]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(wrapper, capture_output=True, text=True, cwd=HERE, env=environment)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise RuntimeError(next((line for line in reversed(lines) if "CalledProcessError" not in line), "failed"))
    return Cost(**json.loads(done.stdout.splitlines()[-1]))


_WRAPPER = """
import json, resource, subprocess, sys, time
began = time.perf_counter()
done = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, text=True)
wall = time.perf_counter() - began
if done.returncode:
    sys.exit(1)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
answer = json.loads(done.stdout.splitlines()[-1])
cpu, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
print(json.dumps({"wall": wall, "cpu": cpu, "peak_mib": peak, "answer": answer}))
"""


def interleaved(
    contenders: Mapping[str, Sequence[str]], rounds: int, limit: float = float("inf")
) -> dict[str, Cost | str]:
    """For each contender, the run with the median wall time, or the error message if it failed.

    Each round runs every contender once, so that a slow minute of the machine affects all of them. A contender that
    takes longer than `limit` seconds runs only once.
    """
    costs: dict[str, list[Cost]] = {name: [] for name in contenders}
    failed: dict[str, str] = {}
    for number in range(rounds):
        for name, command in contenders.items():
            if name in failed or (number and costs[name][0].wall > limit):
                continue
            try:
                costs[name].append(run(command))
            except RuntimeError as error:
                failed[name] = str(error)
    return {name: failed.get(name) or _median(runs) for name, runs in costs.items()}


def _median(runs: list[Cost]) -> Cost:
    chosen = sorted(runs, key=lambda cost: cost.wall)[(len(runs) - 1) // 2]
    return Cost(chosen.wall, chosen.cpu, chosen.peak_mib, chosen.answer, len(runs))


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """The result of a call in this process, its wall seconds and its CPU seconds."""
    began, cpu = time.perf_counter(), time.process_time()
    result = work()
    return result, time.perf_counter() - began, time.process_time() - cpu


def least_cpu(calls: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The least CPU seconds of each call over all rounds. Each round runs every call once."""
    seconds = dict.fromkeys(calls, float("inf"))
    for _ in range(rounds):
        for name, call in calls.items():
            seconds[name] = min(seconds[name], timed(call)[2])
    return seconds


def native_program(name: str) -> Path:
    """Builds a program of benchmarks/native with the compiler options of the kernel; returns its path."""
    root, folder = HERE.parent, HERE.parent / "build" / "programs"
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DLOOKALIKE_BENCHMARKS=ON", "-DLOOKALIKE_MODULE=OFF"]
    subprocess.run(["cmake", "-S", root, "-B", folder, *options], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--parallel", "2"], check=True, stdout=subprocess.DEVNULL)
    return folder / name


def machine() -> str:
    """The processor, number of cores, Python version and date, for the heading of a table."""
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
