"""How long would a billion documents take on a cluster? A simulation from unit costs measured on this machine.

    python benchmarks/cluster_simulation.py [--sizes 20000 100000] [--validate 1000000] [--price 0.4]
    python benchmarks/cluster_simulation.py --kind plain --validate 10000000      # ten million short texts
    python benchmarks/cluster_simulation.py --units units.json                    # reuse unit costs measured before

Every stage of the Spark engine takes CPU time, shuffles bytes and writes bytes to staging. Runs of two sizes, and of
the larger size split into smaller pieces, determine the fixed costs and the costs per document, task and shuffle block
(`common/spark_cost_model.py`). The simulation then computes the time of each stage on a cluster: its cores share the
CPU time, its network the shuffles and its disks the staging, and a stage ends with its last task. `--validate` runs
further sizes and compares them with the prediction.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from common import corpus, large_corpus, measure, spark_runs
from common.spark_cost_model import STAGES, Costs, ObservedRun, SplitOptions, Workload, fit_costs, split
from common.spark_runs import OPTIONS

CORPORA = {"zipf": corpus.write, "plain": large_corpus.write}
"""Texts of 2 KB and of 600 bytes."""
FINER_SPLITS = (SplitOptions(rows_per_task=4_096), SplitOptions(task_bytes=1 << 18), SplitOptions(edges=0))
"""Ways to split the larger size into more pieces: more tasks, more shuffle blocks, and more rounds of connecting."""


@dataclass(frozen=True)
class Units:
    """Unit costs, and the amounts of work and data per document."""

    costs: Costs
    load: Workload
    shuffled: float
    """Bytes per document in all shuffles."""
    staged: float
    """Bytes per document written to staging by all stages."""
    read: float
    """Bytes per document of the input, which is read twice: again for candidates."""

    @classmethod
    def from_json(cls, text: str) -> Units:
        values = json.loads(text)
        return cls(**values | {"costs": Costs(**values["costs"]), "load": Workload(**values["load"])})

    def predicted(self, documents: int) -> dict[str, float]:
        """Predicted CPU seconds by stage on this machine."""
        pieces = split(self.load, documents)
        return {stage: self.costs.fixed[stage] + self.costs.of(stage, pieces) for stage in STAGES}


@dataclass(frozen=True)
class Machine:
    """One machine of the cluster. Speeds are in bytes per second, the price is per hour."""

    cores: int = 16
    network: float = 1.25e9
    disk: float = 1.0e9
    price: float = 0.4
    busy: float = 0.8
    """Utilisation of the cores. The rest of the time they wait for shuffles and garbage collection."""


@dataclass(frozen=True)
class Simulated:
    hours: dict[str, float]
    cost: float
    bottleneck: str
    """The longest stage, and the resource that it waits for."""
    blocks: float
    """Number of shuffle blocks."""

    @property
    def total(self) -> float:
        return sum(self.hours.values())


def simulate(units: Units, documents: int, machines: int, machine: Machine) -> Simulated:
    """Simulates the stages one after the other: a stage begins when the last task of the previous one has ended."""
    cores, hours, waits = machines * machine.cores, {}, {}
    pieces = split(units.load, documents)
    shares = {
        "sign": (0.0, units.read + units.staged * 0.8),
        "propose": (0.5, units.staged * 0.2),  # about half of the shuffled bytes are keys, the other half sets
        "verify": (0.5, units.read),
        "connect": (0.0, 0.0),
    }
    for stage in STAGES:
        shuffled, stored = shares[stage]
        cpu = units.costs.of(stage, pieces)
        last = cpu / pieces.tasks[stage] * 2  # one task twice as long as the mean starts when the others end
        seconds = {
            "cores": cpu / (cores * machine.busy) + last,
            "network": documents * units.shuffled * shuffled / (machines * machine.network),
            "disks": documents * (stored + 2 * units.shuffled * shuffled) / (machines * machine.disk),
        }
        waits[stage] = max(seconds, key=lambda resource: seconds[resource])
        hours[stage] = max(seconds.values()) / 3600
    longest = max(hours, key=lambda stage: hours[stage])
    cost = sum(hours.values()) * machines * machine.price
    return Simulated(hours, cost, f"{longest}, {waits[longest]}", sum(pieces.blocks.values()))


@dataclass(frozen=True)
class Measured:
    """One run, and its amounts of work and data per document."""

    observed: ObservedRun
    load: Workload
    shuffled: float
    staged: float
    read: float


def measured(
    session: Any, kind: str, documents: int, options: SplitOptions | None = None, *, compiling: bool = False
) -> Measured:
    path, options = CORPORA[kind](kind, documents), options or SplitOptions()
    with tempfile.TemporaryDirectory() as folder:
        staged = StagingWatch(folder)
        engine = {"staging": folder} | asdict(options)
        cost = spark_runs.clusters(session, path, engine=engine, watch=staged, compiling=compiling, **OPTIONS)
    counts = {name: count / documents for name, count in staged.counts.items()}
    load = Workload(counts["shipped"], counts["elements"], counts["found"], cost.rounds)
    cpu = {stage: cost.cpu.get(stage, 0.0) for stage in STAGES}
    sizes = (size / documents for size in (cost.shuffled, staged.most, path.stat().st_size))
    return Measured(ObservedRun(documents, options, cpu), load, *sizes)


class StagingWatch:
    """Called between stages: records the greatest size of the staging folder and the counts of finished stages."""

    def __init__(self, folder: str) -> None:
        self.folder, self.most = folder, 0
        self.counts: dict[str, int] = {}

    def __call__(self) -> None:
        size = 0
        for base, _, names in os.walk(self.folder):
            size += sum((Path(base) / name).stat().st_size for name in names)
        self.most = max(self.most, size)
        for stage in ("propose", "compare"):
            for mark in Path(self.folder).glob(f"*/finished/{stage}.parquet"):
                self.counts |= json.loads(pq.read_table(mark)["counts"][0].as_py())


def main() -> None:
    options = parsed()
    if options.units and options.units.exists():
        units = Units.from_json(options.units.read_text())
    else:
        units = measure_units(options)
        if options.units:
            options.units.write_text(json.dumps(asdict(units)))
    print(
        "| documents | machines | hours | sign, min | propose | verify | connect | bottleneck | cost | shuffle blocks |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    machine = Machine(cores=options.cores, price=options.price)
    for documents, clusters in ((10**8, (1, 10)), (10**9, (10, 100)), (10**10, (100, 1000))):
        for machines in clusters:
            found = simulate(units, documents, machines, machine)
            stages = " | ".join(f"{found.hours[stage] * 60:.1f}" for stage in STAGES)
            print(f"| 10^{round(math.log10(documents))} | {machines:,} | {found.total:.2f} | {stages} ", end="")
            print(f"| {found.bottleneck} | {found.cost:,.2f} | {found.blocks:.1e} |")


def measure_units(options: argparse.Namespace) -> Units:
    session = spark_runs.session()
    spark_runs.clusters(session, corpus.write("zipf", 1_000), **OPTIONS)
    small, large = sorted(options.sizes)
    cases = [(small, SplitOptions()), (large, SplitOptions()), *((large, finer) for finer in FINER_SPLITS)]
    # Each round runs every case, so that no case alone has the JVM's first minutes. The first round is a warm-up.
    rounds = [[measured(session, options.kind, *case) for case in cases] for _ in range(options.rounds + 1)][1:]
    runs = [[run.observed for run in same] for same in zip(*rounds, strict=True)]
    medians = [
        ObservedRun(*case, {stage: statistics.median(run.cpu[stage] for run in same) for stage in STAGES})
        for case, same in zip(cases, runs, strict=True)
    ]
    unsplit, in_rounds = rounds[0][1], rounds[0][-1]
    load = replace(unsplit.load, rounds=in_rounds.load.rounds)
    units = Units(fit_costs(load, medians), load, unsplit.shuffled, unsplit.staged, unsplit.read)
    print("Unit costs exclude the JVM's compiler threads; the runs that validate them include these.")
    print(f"{options.kind}, words:5, threshold 0.8, local[2]; median of {options.rounds}; {measure.machine()}\n")
    show_units(units, medians)
    for size in options.validate:
        validate(session, options.kind, units, size)
    session.stop()
    return units


def show_units(units: Units, runs: list[ObservedRun]) -> None:
    costs, load = units.costs, units.load
    print("| stage | CPU µs per document | fixed CPU s |\n|---|---|---|")
    for stage in STAGES[:3]:
        print(f"| {stage} | {costs.unit[stage] * 1e6:.1f} | {costs.fixed[stage]:.1f} |")
    print(f"| connect | {costs.unit['connect'] * load.edges * 1e6:.1f} | {costs.fixed['connect']:.1f} |")
    print(f"| connect, per round of {load.rounds} | {costs.unit['rounds'] * load.edges * 1e6:.1f} | |")
    print(
        f"\nIn addition, each task takes {costs.task * 1e3:.1f} ms and each shuffle block {costs.block * 1e6:.0f} µs."
    )
    print(
        f"Bytes per document: {units.shuffled:,.0f} shuffled, {units.staged:,.0f} in staging, {units.read:,.0f} read.\n"
    )
    print(
        "| measured run | tasks | shuffle blocks | CPU s by stage | predicted by these costs |\n|---|---|---|---|---|"
    )
    for run in runs:
        pieces = split(load, run.documents, run.options)
        took = ", ".join(f"{run.cpu[stage]:.2f}" for stage in STAGES)
        fits = ", ".join(f"{costs.fixed[stage] + costs.of(stage, pieces):.2f}" for stage in STAGES)
        tasks, blocks = sum(pieces.tasks.values()), sum(pieces.blocks.values())
        print(f"| {run.documents:,} documents | {tasks:,.0f} | {blocks:,.0f} | {took} | {fits} |")
    print()


def validate(session: Any, kind: str, units: Units, documents: int) -> None:
    predicted = units.predicted(documents)
    actual = measured(session, kind, documents, compiling=True).observed.cpu
    print(f"| {documents:,} documents | predicted CPU s | measured | error |\n|---|---|---|---|", flush=True)
    for stage in (*STAGES, "all"):
        a, b = (sum(x.values()) if stage == "all" else x[stage] for x in (predicted, actual))
        print(f"| {stage} | {a:.1f} | {b:.1f} | {(a - b) / max(b, 1e-9):+.0%} |")
    print()


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--kind", choices=CORPORA, default="zipf", help="kind of text: zipf (2 KB) or plain (600 bytes)"
    )
    parser.add_argument(
        "--sizes",
        type=int,
        nargs=2,
        default=[20_000, 100_000],
        help="numbers of documents that unit costs are measured on",
    )
    parser.add_argument(
        "--validate", type=int, nargs="*", default=[], help="numbers of documents to validate the prediction with"
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", type=int, default=16, help="cores per machine of the cluster")
    parser.add_argument("--price", type=float, default=0.4, help="price per machine and hour, in any currency")
    parser.add_argument("--units", type=Path, help="file for unit costs: read if it exists, else written")
    return parser.parse_args()


if __name__ == "__main__":
    main()
