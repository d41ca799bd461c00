"""What a billion documents would take on a cluster: unit costs measured on this machine, and a simulation from them.

python benchmarks/cluster_simulation.py [--sizes 20000 100000] [--validate 1000000] [--price 0.4]
python benchmarks/cluster_simulation.py --kind plain --validate 10000000      # short texts: ten million of them
python benchmarks/cluster_simulation.py --units units.json      # simulate from units that were measured before

Every stage of the Spark engine costs CPU seconds, bytes that are shuffled and bytes that go to staging. Two sizes, and
the larger one cut into smaller pieces, give what a document, a task and a letter add and what is there from the start
(`common/spark_cost_model.py`); a cluster is simulated from that, stage by stage: CPU shared by its cores, shuffles by
its network, staging by its disks, and the last task of a stage waited for. `--validate` runs further sizes and sets
what was predicted beside them.
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
from common.spark_cost_model import STAGES, Costs, Facts, Knobs, Observed, cut, fitted
from common.spark_runs import OPTIONS

CORPORA = {"zipf": corpus.write, "plain": large_corpus.write}
"""Texts of 2 KB, and of 600 bytes."""
SMALLER = (Knobs(rows_per_task=4_096), Knobs(letters=1 << 18), Knobs(edges=0))
"""Ways to cut the larger size into more pieces: of rows, of letters, and connected in rounds."""


@dataclass(frozen=True)
class Units:
    """What things cost, and what there is of them a document."""

    costs: Costs
    facts: Facts
    shuffled: float
    """Bytes a document, of all shuffles."""
    staged: float
    """Bytes a document, in all stages' parts."""
    read: float
    """Bytes a document in the input; read twice, for candidates again."""

    @classmethod
    def from_json(cls, text: str) -> Units:
        said = json.loads(text)
        return cls(**said | {"costs": Costs(**said["costs"]), "facts": Facts(**said["facts"])})

    def predicted(self, documents: int) -> dict[str, float]:
        """CPU seconds by stage, of a run as it would be on this machine."""
        run = cut(self.facts, documents)
        return {stage: self.costs.fixed[stage] + self.costs.of(stage, run) for stage in STAGES}


@dataclass(frozen=True)
class Machine:
    """One of the cluster. Bytes a second; a price an hour."""

    cores: int = 16
    network: float = 1.25e9
    disk: float = 1.0e9
    price: float = 0.4
    busy: float = 0.8
    """The share of the cores that work: the rest waits for the shuffles of others, and for garbage collectors."""


@dataclass(frozen=True)
class Simulated:
    hours: dict[str, float]
    cost: float
    limits: str
    """What the longest stage waits for."""
    letters: float

    @property
    def total(self) -> float:
        return sum(self.hours.values())


def simulate(units: Units, documents: int, machines: int, machine: Machine) -> Simulated:
    """Stage after stage: none begins before the last task of the one before has ended."""
    cores, hours, waits = machines * machine.cores, {}, {}
    run = cut(units.facts, documents)
    shares = {
        "sign": (0.0, units.read + units.staged * 0.8),
        "propose": (0.5, units.staged * 0.2),  # about half of what is shuffled is keys, the other half sets
        "verify": (0.5, units.read),
        "connect": (0.0, 0.0),
    }
    for stage in STAGES:
        shuffled, stored = shares[stage]
        cpu = units.costs.of(stage, run)
        last = cpu / run.tasks[stage] * 2  # a task that starts when the others end, and is twice as long
        over = {
            "cores": cpu / (cores * machine.busy) + last,
            "network": documents * units.shuffled * shuffled / (machines * machine.network),
            "disks": documents * (stored + 2 * units.shuffled * shuffled) / (machines * machine.disk),
        }
        waits[stage] = max(over, key=lambda what: over[what])
        hours[stage] = max(over.values()) / 3600
    longest = max(hours, key=lambda stage: hours[stage])
    cost = sum(hours.values()) * machines * machine.price
    return Simulated(hours, cost, f"{longest}, {waits[longest]}", sum(run.letters.values()))


@dataclass(frozen=True)
class Measured:
    """A run of so many documents."""

    observed: Observed
    facts: Facts
    shuffled: float
    staged: float
    read: float


def measured(
    session: Any, kind: str, documents: int, knobs: Knobs | None = None, *, compiling: bool = False
) -> Measured:
    path, knobs = CORPORA[kind](kind, documents), knobs or Knobs()
    with tempfile.TemporaryDirectory() as folder:
        staged = Watched(folder)
        engine = {"staging": folder} | asdict(knobs)
        cost = spark_runs.clusters(session, path, engine=engine, watch=staged, compiling=compiling, **OPTIONS)
    said = {name: count / documents for name, count in staged.said.items()}
    facts = Facts(said["shipped"], said["elements"], said["found"], cost.rounds)
    cpu = {stage: cost.cpu.get(stage, 0.0) for stage in STAGES}
    sizes = (size / documents for size in (cost.shuffled, staged.most, path.stat().st_size))
    return Measured(Observed(documents, knobs, cpu), facts, *sizes)


class Watched:
    """How much a folder holds at the beginning of each stage, at most, and what finished stages counted."""

    def __init__(self, folder: str) -> None:
        self.folder, self.most = folder, 0
        self.said: dict[str, int] = {}

    def __call__(self) -> None:
        held = 0
        for base, _, names in os.walk(self.folder):
            held += sum((Path(base) / name).stat().st_size for name in names)
        self.most = max(self.most, held)
        for stage in ("propose", "compare"):
            for mark in Path(self.folder).glob(f"*/finished/{stage}.parquet"):
                self.said |= json.loads(pq.read_table(mark)["said"][0].as_py())


def main() -> None:
    options = parsed()
    if options.units and options.units.exists():
        units = Units.from_json(options.units.read_text())
    else:
        units = measure_units(options)
        if options.units:
            options.units.write_text(json.dumps(asdict(units)))
    print("| documents | machines | hours | sign, min | propose | verify | connect | waits for | cost | letters |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    machine = Machine(cores=options.cores, price=options.price)
    for documents, clusters in ((10**8, (1, 10)), (10**9, (10, 100)), (10**10, (100, 1000))):
        for machines in clusters:
            found = simulate(units, documents, machines, machine)
            stages = " | ".join(f"{found.hours[stage] * 60:.1f}" for stage in STAGES)
            print(f"| 10^{round(math.log10(documents))} | {machines:,} | {found.total:.2f} | {stages} ", end="")
            print(f"| {found.limits} | {found.cost:,.2f} | {found.letters:.1e} |")


def measure_units(options: argparse.Namespace) -> Units:
    session = spark_runs.session()
    spark_runs.clusters(session, corpus.write("zipf", 1_000), **OPTIONS)
    small, large = sorted(options.sizes)
    asked = [(small, Knobs()), (large, Knobs()), *((large, knobs) for knobs in SMALLER)]
    # one after the other, so that none has the JVM's first minutes to itself; the first round warms up
    rounds = [[measured(session, options.kind, *one) for one in asked] for _ in range(options.rounds + 1)][1:]
    runs = [[one.observed for one in same] for same in zip(*rounds, strict=True)]
    middle = [
        Observed(*one, {stage: statistics.median(run.cpu[stage] for run in same) for stage in STAGES})
        for one, same in zip(asked, runs, strict=True)
    ]
    at, in_rounds = rounds[0][1], rounds[0][-1]
    facts = replace(at.facts, rounds=in_rounds.facts.rounds)
    units = Units(fitted(facts, middle), facts, at.shuffled, at.staged, at.read)
    print("Compiling of Java is left out of the costs, but not of what they are held against.")
    print(f"{options.kind}, words:5, threshold 0.8, local[2]; median of {options.rounds}; {measure.machine()}\n")
    told(units, middle)
    for size in options.validate:
        validate(session, options.kind, units, size)
    session.stop()
    return units


def told(units: Units, runs: list[Observed]) -> None:
    costs, facts = units.costs, units.facts
    print("| stage | µs of CPU a document | s from the start |\n|---|---|---|")
    for stage in STAGES[:3]:
        print(f"| {stage} | {costs.each[stage] * 1e6:.1f} | {costs.fixed[stage]:.1f} |")
    print(f"| connect | {costs.each['connect'] * facts.edges * 1e6:.1f} | {costs.fixed['connect']:.1f} |")
    print(f"| connect, a round of {facts.rounds} | {costs.each['rounds'] * facts.edges * 1e6:.1f} | |")
    print(f"\nA task takes {costs.task * 1e3:.1f} ms beside that, a letter {costs.letter * 1e6:.0f} µs.")
    print(
        f"Bytes a document: {units.shuffled:,.0f} shuffled, {units.staged:,.0f} in staging, {units.read:,.0f} read.\n"
    )
    print("| of which this was measured | tasks | letters | CPU s by stage | by these costs |\n|---|---|---|---|---|")
    for run in runs:
        pieces = cut(facts, run.documents, run.knobs)
        took = ", ".join(f"{run.cpu[stage]:.2f}" for stage in STAGES)
        fits = ", ".join(f"{costs.fixed[stage] + costs.of(stage, pieces):.2f}" for stage in STAGES)
        tasks, letters = sum(pieces.tasks.values()), sum(pieces.letters.values())
        print(f"| {run.documents:,} documents | {tasks:,.0f} | {letters:,.0f} | {took} | {fits} |")
    print()


def validate(session: Any, kind: str, units: Units, documents: int) -> None:
    foretold, came = units.predicted(documents), measured(session, kind, documents, compiling=True).observed.cpu
    print(f"| {documents:,} documents | predicted CPU s | measured | off by |\n|---|---|---|---|", flush=True)
    for stage in (*STAGES, "all"):
        a, b = (sum(x.values()) if stage == "all" else x[stage] for x in (foretold, came))
        print(f"| {stage} | {a:.1f} | {b:.1f} | {(a - b) / max(b, 1e-9):+.0%} |")
    print()


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kind", choices=CORPORA, default="zipf", help="of texts: of 2 KB, or short and plain")
    parser.add_argument("--sizes", type=int, nargs=2, default=[20_000, 100_000], help="to take unit costs from")
    parser.add_argument("--validate", type=int, nargs="*", default=[], help="sizes to hold the prediction against")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cores", type=int, default=16, help="of a machine of the cluster")
    parser.add_argument("--price", type=float, default=0.4, help="of a machine for an hour, in any currency")
    parser.add_argument("--units", type=Path, help="where unit costs are kept, to simulate again without measuring")
    return parser.parse_args()


if __name__ == "__main__":
    main()
