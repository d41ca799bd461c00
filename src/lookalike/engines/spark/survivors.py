"""Chooses the survivors of star clusters on the cluster: the order of the stages, and their result on the driver."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lookalike.engines.spark import local_minima
from lookalike.engines.spark.comparing import FindReplacements
from lookalike.engines.spark.errors import map_batches
from lookalike.engines.spark.local_minima import CHOSEN
from lookalike.engines.spark.preferred import PreferredRows, store_ranks
from lookalike.engines.spark.shuffle import SCHEMA, sent
from lookalike.engines.spark.tasks import PREFERRED_COPIES
from lookalike.flow.arrays import Rows, to_numpy
from lookalike.flow.preference import Preference

if TYPE_CHECKING:
    from lookalike.engines.spark.stages import Stages

MOST_ROUNDS = 20
"""The maximum number of rounds. After them, what is left of a component is decided in one task: a chain of revisions in
input order would need half as many rounds as it has members."""

EDGE = 40
"""Bytes of an edge in a shuffle block."""


def prefer(stages: Stages, preference: Preference | None) -> None:
    """Makes the stages prefer documents in this order (default: input order).

    Results that depend on the order get a folder of their own.
    """
    run = stages.run
    if preference is None:
        stages.run = replace(run, staging=run.signed.below("in-input-order"), preferred=PreferredRows())
        return
    staging = run.signed.below(f"preferring-{preference.digest}")
    stages.run = replace(run, staging=staging, preferred=PreferredRows.of(preference))

    def work() -> dict[str, int]:
        store_ranks(staging, preference, run.parts, run.corpus.step)
        return {}

    stages.stage("ranks", work, "propose")


def choose(stages: Stages) -> dict[str, int]:
    """Stores, for each removed document, its survivor (`local_minima.CHOSEN`). Copies are not included."""
    run = stages.run
    assert run.preferred is not None
    counts = stages.compared(FindReplacements(run.kernel, run.resolved, run.preferred), ("checked",))
    edges, names, nth = counts["found"], run.staging.names("found"), 0
    while edges > stages.edges and nth < MOST_ROUNDS:
        nth += 1
        stage = f"left-{nth}"
        edges = stages.stage(stage, partial(_round, stages, names, edges, stage, nth), "connect")["edges"]
        stages.progress("connect", nth, None)
        names = run.staging.names(stage)
    if edges > stages.edges:
        components = stages.connect([f"left-{nth}"], edges, "stars")
        names = [*names, *run.staging.names(components)]
        stages.stage("rest", partial(_components, stages, names, edges, nth + 1), "connect")
    elif edges:
        work = partial(local_minima.decide_here, run.kernel, run.staging, names, nth + 1)
        stages.stage("rest", lambda: stages.counts(stages.tasks(1), work, ("chosen", "edges")), "connect")
    stages.rounds["survivors"] = nth
    return counts


def _round(stages: Stages, names: list[str], edges: int, stage: str, nth: int) -> dict[str, int]:
    staging, addresses = stages.run.staging, stages.addresses(edges * EDGE)
    work = partial(local_minima.to_both_ends, staging, names, addresses)
    shuffled = map_batches(stages.tasks(len(names)), work, SCHEMA)
    shuffled = map_batches(sent(shuffled, addresses), partial(local_minima.find_survivors, addresses), SCHEMA)
    work = partial(local_minima.find_removed, staging, stage, nth)
    return stages.counts(sent(shuffled, addresses), work, ("chosen", "edges"))


def _components(stages: Stages, names: list[str], edges: int, nth: int) -> dict[str, int]:
    run, addresses = stages.run, stages.addresses(edges * EDGE)
    work = partial(local_minima.by_larger_node, run.staging, names, addresses)
    shuffled = map_batches(stages.tasks(len(names)), work, SCHEMA)
    shuffled = map_batches(sent(shuffled, addresses), partial(local_minima.by_component, addresses), SCHEMA)
    work = partial(local_minima.decide_components, run.kernel, run.staging, nth)
    return stages.counts(sent(shuffled, addresses), work, ("chosen", "edges"))


def survivors_of_rows(stages: Stages, rows: int, preference: Preference | None) -> tuple[Rows, npt.NDArray[np.float64]]:
    """Reads the survivor of each row, and its similarity to it."""
    staging = stages.run.staging
    survivors, similarity = np.arange(rows, dtype=np.int64), np.ones(rows)
    for name in staging.names(CHOSEN):
        table = staging.get(name)
        high, low = to_numpy(table["high"]), to_numpy(table["low"])
        if preference is not None:
            high, low = preference.order[high], preference.order[low]
        survivors[high], similarity[high] = low, to_numpy(table["shared"]) / to_numpy(table["total"])
    for name in staging.names(PREFERRED_COPIES):
        table = staging.get(name)
        row, best = to_numpy(table["row"]), to_numpy(table["best"])
        survivors[row], similarity[row] = survivors[best], similarity[best]
    if preference is not None:
        stays = preference.order[: preference.always_kept]
        survivors[stays], similarity[stays] = stays, 1.0
    return survivors, similarity
