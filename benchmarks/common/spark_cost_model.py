"""A cost model of the Spark engine: how a run is split into tasks and shuffle blocks, and what these cost.

The cost of a stage is the sum of a fixed cost, a cost per document, a cost per task and a cost per shuffle block (the
data that one task sends to another), even if tasks and blocks are small. The number of tasks grows linearly with the
documents. The number of blocks grows quadratically, because every part sends to every partition, until the number of
partitions reaches its maximum. Two corpus sizes alone therefore do not determine the costs. One size is also split
into smaller pieces, which determines the costs per task and per block. Up to some millions of edges, one task connects
everything; beyond that, connecting takes several rounds. A run with a lower limit on edges determines their cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.engines.spark.stages import EDGES, MOST_ADDRESSES, TASK_BYTES
from lookalike.storage.parts import PART_ROWS

STAGES = ("sign", "propose", "verify", "connect")
WORK = (*STAGES, "rounds")
"""Work whose cost grows with its amount: documents for three stages, edges for connecting in one task or in rounds."""


@dataclass(frozen=True)
class Workload:
    """Counts per document, except for `rounds` and `bands`."""

    shipped: float
    """How often a document is sent to be compared."""
    elements: float
    """Elements of the sets that are sent."""
    edges: float
    """Edges to connect."""
    rounds: int
    """Rounds of connecting, if it takes rounds. They grow with the logarithm of the longest chain."""
    bands: int = 16


@dataclass(frozen=True)
class SplitOptions:
    """Options of the Spark engine that determine how a run is split. They do not affect its result."""

    rows_per_task: int = PART_ROWS
    task_bytes: int = TASK_BYTES
    """Bytes sent to one partition of a shuffle."""
    edges: int = EDGES
    """Greatest number of edges that one task connects."""


@dataclass(frozen=True)
class Pieces:
    """Amounts of work, and tasks and shuffle blocks by stage."""

    work: dict[str, float]
    tasks: dict[str, float]
    blocks: dict[str, float]


def split(load: Workload, documents: int, options: SplitOptions | None = None) -> Pieces:
    """Splits a run in the same way as `engines/spark/stages.py`."""
    options = options or SplitOptions()
    parts, edges = math.ceil(documents / options.rows_per_task), load.edges * documents

    def partitions(bytes_per_document: float) -> int:
        return max(1, min(MOST_ADDRESSES, math.ceil(documents * bytes_per_document / options.task_bytes)))

    copies, buckets = partitions(24 + 8 * load.bands), partitions(18 * load.bands)
    meetings, ends = partitions(8 * (load.elements + load.shipped * (load.bands + 3))), partitions(16 * load.edges)
    rounds = 0 if edges <= options.edges else load.rounds
    return Pieces(
        work=dict.fromkeys(STAGES[:3], float(documents))
        | {"connect": 0.0 if rounds else edges, "rounds": edges * rounds},
        tasks={
            "sign": parts,
            "propose": 2 * parts + copies + buckets,
            "verify": parts + meetings,
            "connect": meetings + (3 * rounds - 1) * ends if rounds else 1,
        },
        blocks={
            "sign": 0.0,
            "propose": parts * partitions_hit(documents / parts, copies)
            + copies * partitions_hit(documents * load.bands / copies, buckets)
            + buckets * partitions_hit(documents / buckets, parts),
            "verify": parts * partitions_hit(documents * load.shipped / parts, meetings),
            "connect": ends * (meetings + (2.0 * rounds - 1) * ends) if rounds else 0.0,
        },
    )


def partitions_hit(rows: float, partitions: int) -> float:
    """Expected number of partitions that receive at least one of the rows."""
    return -partitions * math.expm1(-rows / partitions)


@dataclass(frozen=True)
class ObservedRun:
    documents: int
    options: SplitOptions
    cpu: dict[str, float]
    """CPU seconds by stage."""


@dataclass(frozen=True)
class Costs:
    """CPU seconds."""

    fixed: dict[str, float]
    """Per stage, even without documents."""
    unit: dict[str, float]
    """Per unit of each kind of work."""
    task: float
    """Per task of any stage."""
    block: float
    """Per shuffle block of any stage."""

    def of(self, stage: str, pieces: Pieces) -> float:
        """The cost of a stage without its fixed cost."""
        kinds = (stage, "rounds") if stage == "connect" else (stage,)
        work = sum(self.unit[kind] * pieces.work[kind] for kind in kinds)
        return work + self.task * pieces.tasks[stage] + self.block * pieces.blocks[stage]


def fit_costs(load: Workload, runs: Sequence[ObservedRun]) -> Costs:
    """The costs that explain all runs best, by relative errors of the stages."""
    names = [*STAGES, *WORK, "task", "block"]  # fixed costs, then unit costs
    rows, took = [], []
    for run in runs:
        pieces = split(load, run.documents, run.options)
        for i, stage in enumerate(STAGES):
            row = np.zeros(len(names))
            row[i], row[-2], row[-1] = 1, pieces.tasks[stage], pieces.blocks[stage]
            for work in (stage, "rounds") if stage == "connect" else (stage,):
                row[len(STAGES) + WORK.index(work)] = pieces.work[work]
            share = max(run.cpu[stage], 0.1)  # the resolution of CPU time is 0.01 s
            rows.append(row / share)
            took.append(run.cpu[stage] / share)
    found = non_negative_least_squares(np.array(rows), np.array(took)).tolist()
    return Costs(
        dict(zip(STAGES, found, strict=False)), dict(zip(WORK, found[len(STAGES) :], strict=False)), *found[-2:]
    )


def non_negative_least_squares(rows: np.ndarray, took: np.ndarray) -> np.ndarray:
    """Least squares; coefficients that would be negative are set to zero, one at a time."""
    found, used = np.zeros(rows.shape[1]), np.arange(rows.shape[1])
    while len(used):
        scale = np.maximum(np.abs(rows[:, used]).max(axis=0), 1e-30)
        part = np.linalg.lstsq(rows[:, used] / scale, took, rcond=None)[0]
        if (part >= 0).all():
            found[used] = part / scale
            break
        used = np.delete(used, part.argmin())
    return found
