"""What a run of the Spark engine is cut into, and what the pieces cost: the model behind `cluster_simulation.py`.

A stage costs something from the start, something a document, something a task however little it does, and something a
letter (all that one task has for another) however little is in it. Tasks grow with the documents, letters with their
square, since every part writes to every address, up to as many addresses as there ever are. So what two sizes tell of a
document is not enough: one size is cut into smaller pieces as well, and that tells what a task and a letter cost.
Connecting is in one task up to some millions of edges and goes round after round from there on, which a run that is
not allowed as many tells of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lookalike.engines.spark.stages import EDGES, LETTERS, MOST_ADDRESSES
from lookalike.storage.parts import PART_ROWS

STAGES = ("sign", "propose", "verify", "connect")
WORK = (*STAGES, "rounds")
"""What costs by its amount: documents; of connecting edges, in one task or in rounds."""


@dataclass(frozen=True)
class Facts:
    """What the engine counts of its documents, a document."""

    shipped: float
    """How often one is sent to be compared."""
    elements: float
    """Elements of sets that are sent."""
    edges: float
    rounds: int
    """Of connecting, where it takes rounds: they grow with the logarithm of the longest chain."""
    bands: int = 16


@dataclass(frozen=True)
class Knobs:
    """What the engine can be told about the size of its pieces."""

    rows_per_task: int = PART_ROWS
    letters: int = LETTERS
    edges: int = EDGES


@dataclass(frozen=True)
class Cut:
    """A run in pieces: how much work there is, and tasks and letters by stage."""

    work: dict[str, float]
    tasks: dict[str, float]
    letters: dict[str, float]


def cut(facts: Facts, documents: int, knobs: Knobs | None = None) -> Cut:
    """As `engines/spark/stages.py` does it."""
    knobs = knobs or Knobs()
    parts, edges = math.ceil(documents / knobs.rows_per_task), facts.edges * documents

    def addresses(bytes_a_document: float) -> int:
        return max(1, min(MOST_ADDRESSES, math.ceil(documents * bytes_a_document / knobs.letters)))

    copies, buckets = addresses(24 + 8 * facts.bands), addresses(18 * facts.bands)
    places, ends = addresses(8 * (facts.elements + facts.shipped * (facts.bands + 3))), addresses(16 * facts.edges)
    rounds = 0 if edges <= knobs.edges else facts.rounds
    return Cut(
        work=dict.fromkeys(STAGES[:3], float(documents))
        | {"connect": 0.0 if rounds else edges, "rounds": edges * rounds},
        tasks={
            "sign": parts,
            "propose": 2 * parts + copies + buckets,
            "verify": parts + places,
            "connect": places + (3 * rounds - 1) * ends if rounds else 1,
        },
        letters={
            "sign": 0.0,
            "propose": parts * reached(documents / parts, copies)
            + copies * reached(documents * facts.bands / copies, buckets)
            + buckets * reached(documents / buckets, parts),
            "verify": parts * reached(documents * facts.shipped / parts, places),
            "connect": ends * (places + (2.0 * rounds - 1) * ends) if rounds else 0.0,
        },
    )


def reached(rows: float, addresses: int) -> float:
    """How many of so many addresses so many rows go to."""
    return -addresses * math.expm1(-rows / addresses)


@dataclass(frozen=True)
class Observed:
    """A run: CPU seconds by stage."""

    documents: int
    knobs: Knobs
    cpu: dict[str, float]


@dataclass(frozen=True)
class Costs:
    """CPU seconds: by stage from the start, by work for each of it, and of a task and a letter in whatever stage."""

    fixed: dict[str, float]
    each: dict[str, float]
    task: float
    letter: float

    def of(self, stage: str, run: Cut) -> float:
        """A stage of a run, all but what is there from the start."""
        works = (stage, "rounds") if stage == "connect" else (stage,)
        own = sum(self.each[work] * run.work[work] for work in works)
        return own + self.task * run.tasks[stage] + self.letter * run.letters[stage]


def fitted(facts: Facts, runs: Sequence[Observed]) -> Costs:
    """The costs by which all runs are explained best, by shares of what each stage took."""
    names = [*STAGES, *WORK, "task", "letter"]  # from the start, then each
    rows, took = [], []
    for run in runs:
        pieces = cut(facts, run.documents, run.knobs)
        for i, stage in enumerate(STAGES):
            row = np.zeros(len(names))
            row[i], row[-2], row[-1] = 1, pieces.tasks[stage], pieces.letters[stage]
            for work in (stage, "rounds") if stage == "connect" else (stage,):
                row[len(STAGES) + WORK.index(work)] = pieces.work[work]
            share = max(run.cpu[stage], 0.1)  # CPU time is counted in hundredths of a second
            rows.append(row / share)
            took.append(run.cpu[stage] / share)
    found = not_negative(np.array(rows), np.array(took)).tolist()
    return Costs(
        dict(zip(STAGES, found, strict=False)), dict(zip(WORK, found[len(STAGES) :], strict=False)), *found[-2:]
    )


def not_negative(rows: np.ndarray, took: np.ndarray) -> np.ndarray:
    """Least squares; whatever would cost less than nothing costs nothing."""
    found, used = np.zeros(rows.shape[1]), np.arange(rows.shape[1])
    while len(used):
        scale = np.maximum(np.abs(rows[:, used]).max(axis=0), 1e-30)
        part = np.linalg.lstsq(rows[:, used] / scale, took, rcond=None)[0]
        if (part >= 0).all():
            found[used] = part / scale
            break
        used = np.delete(used, part.argmin())
    return found
