"""What a billion documents would take on a cluster: unit costs measured on this machine, and a simulation from them.

python benchmarks/scaling.py [--sizes 20000 100000] [--validate 1000000] [--price 0.4]
python benchmarks/scaling.py --kind plain --validate 10000000      # short texts: ten million of them
python benchmarks/scaling.py --units units.json      # simulate from units that were measured before

Every stage of the Spark engine costs CPU seconds, bytes that are shuffled and bytes that go to staging. The cost of
two sizes gives what a document adds and what is there from the start; a cluster is simulated from that, stage by stage:
CPU shared by its cores, shuffles by its network, staging by its disks, and the last task of a stage waited for.
`--validate` runs further sizes and sets what was predicted beside them.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from common import corpus, large, measure, sparkrun

OPTIONS: dict[str, Any] = {"column": "text", "threshold": 0.8, "shingles": "words:5", "method": "lsh"}
CORPORA = {"zipf": corpus.write, "plain": large.write}
"""Texts of 2 KB, and of 600 bytes."""
STAGES = ("sign", "propose", "verify", "connect")
PART = 65_536
LETTERS, MOST_ADDRESSES = 8 << 20, 4096
LETTER = 8e-5
"""CPU seconds of a letter, however little is in it: 55 µs of it are Python's, at both ends."""
TASK = 0.02
"""Seconds that a task takes beside its work: scheduling, and a Python worker's first bytes."""


@dataclass(frozen=True)
class Units:
    """What one document adds, and what is there from the start."""

    cpu: dict[str, float]
    fixed: dict[str, float]
    shuffled: float
    """Bytes a document, of all shuffles."""
    staged: float
    """Bytes a document, in all stages' parts."""
    read: float
    """Bytes a document in the input; read twice, for candidates again."""

    def predicted(self, documents: int) -> dict[str, float]:
        """CPU seconds by stage."""
        return {stage: self.fixed[stage] + self.cpu[stage] * documents for stage in STAGES}


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
    largest_task: float
    """Bytes that a task of the largest shuffle is sent."""

    @property
    def total(self) -> float:
        return sum(self.hours.values())


def simulate(units: Units, documents: int, machines: int, machine: Machine) -> Simulated:
    """Stage after stage: none begins before the last task of the one before has ended."""
    cores, hours, waits = machines * machine.cores, {}, {}
    parts = math.ceil(documents / PART)
    keys = documents * units.shuffled / 2  # about half of what is shuffled is keys, the other half sets
    addresses = min(MOST_ADDRESSES, math.ceil(keys / LETTERS))
    shares = {
        "sign": (0.0, units.read + units.staged * 0.8),
        "propose": (0.5, units.staged * 0.2),
        "verify": (0.5, units.read),
        "connect": (0.0, 0.0),
    }
    every = parts * addresses  # each part writes to each address
    letters = {"propose": 2 * every + addresses**2, "verify": every}
    for stage in STAGES:
        shuffled, stored = shares[stage]
        tasks = parts if stage == "sign" else parts + addresses
        cpu = units.cpu[stage] * documents + tasks * TASK + letters.get(stage, 0) * LETTER
        last = cpu / tasks * 2  # a task that starts when the others end, and is twice as long
        over = {
            "cores": cpu / (cores * machine.busy) + last,
            "network": documents * units.shuffled * shuffled / (machines * machine.network),
            "disks": documents * (stored + 2 * units.shuffled * shuffled) / (machines * machine.disk),
        }
        waits[stage] = max(over, key=lambda what: over[what])
        hours[stage] = max(over.values()) / 3600
    longest = max(hours, key=lambda stage: hours[stage])
    cost = sum(hours.values()) * machines * machine.price
    return Simulated(hours, cost, f"{longest}, {waits[longest]}", sum(letters.values()), keys / addresses)


def measured(session: Any, kind: str, documents: int, rounds: int) -> tuple[dict[str, float], float, float, float]:
    """CPU seconds by stage, and bytes a document: shuffled, in staging, in the input."""
    path = CORPORA[kind](kind, documents)
    costs = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            staged = Watched(folder)
            costs.append(
                (sparkrun.clusters(session, path, engine={"staging": folder}, watch=staged, **OPTIONS), staged)
            )
    costs.sort(key=lambda cost: sum(cost[0].cpu.values()))
    cost, staged = costs[len(costs) // 2]
    cpu = {stage: cost.cpu.get(stage, 0.0) for stage in STAGES}
    return cpu, cost.shuffled / documents, staged.most / documents, path.stat().st_size / documents


class Watched:
    """How much a folder holds at the beginning of each stage, at most."""

    def __init__(self, folder: str) -> None:
        self.folder, self.most = folder, 0

    def __call__(self) -> None:
        held = 0
        for base, _, names in os.walk(self.folder):
            held += sum((Path(base) / name).stat().st_size for name in names)
        self.most = max(self.most, held)


def units_from(small: int, large: int, at: dict[int, tuple[dict[str, float], float, float, float]]) -> Units:
    """What a document adds is the difference of two sizes over the difference of their documents."""
    one, other = at[small][0], at[large][0]
    cpu = {stage: max(0.0, (other[stage] - one[stage]) / (large - small)) for stage in STAGES}
    fixed = {stage: max(0.0, other[stage] - cpu[stage] * large) for stage in STAGES}
    return Units(cpu, fixed, *at[large][1:])


def main() -> None:
    options = parsed()
    if options.units and options.units.exists():
        units = Units(**json.loads(options.units.read_text()))
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
    session = sparkrun.session()
    sparkrun.clusters(session, corpus.write("zipf", 1_000), **OPTIONS)
    small, large = sorted(options.sizes)[0], sorted(options.sizes)[-1]
    at = {size: measured(session, options.kind, size, options.rounds) for size in (small, large)}
    units = units_from(small, large, at)
    print(f"{options.kind}, words:5, threshold 0.8, local[2]; median of {options.rounds}; {measure.machine()}\n")
    print("| stage | µs of CPU a document | s from the start |\n|---|---|---|")
    for stage in STAGES:
        print(f"| {stage} | {units.cpu[stage] * 1e6:.1f} | {units.fixed[stage]:.1f} |")
    print(
        f"\nBytes a document: {units.shuffled:,.0f} shuffled, {units.staged:,.0f} in staging, {units.read:,.0f} read.\n"
    )
    for size in options.validate:
        validate(session, options.kind, units, size)
    session.stop()
    return units


def validate(session: Any, kind: str, units: Units, documents: int) -> None:
    foretold, (came, *_) = units.predicted(documents), measured(session, kind, documents, 1)
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
