"""The model of Spark costs in `benchmarks/common` splits a run as the engine does and recovers known costs."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import lookalike as la
from lookalike.engines.spark import Spark
from lookalike.engines.spark.staging import Staging
from tests.corpora import corpus
from tests.engines.serial import Frame, Serial

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
from common.spark_cost_model import STAGES, WORK, Costs, ObservedRun, SplitOptions, Workload, fit_costs, split

COST = st.floats(1e-7, 1e-4)
RUNS = [(20_000, SplitOptions()), (100_000, SplitOptions())] + [
    (100_000, options)
    for options in (SplitOptions(rows_per_task=4_096), SplitOptions(task_bytes=1 << 18), SplitOptions(edges=0))
]


@pytest.mark.parametrize("edges", [1 << 22, 20])
def test_a_run_is_cut_as_the_model_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, edges: int) -> None:
    tasks, blocks, now, rounds = Counter[str](), Counter[str](), ["start"], [0]
    mapped, sent = Frame.mapInArrow, Frame.repartitionById

    def count_tasks(frame: Frame, work: Any, schema: str) -> Frame:
        tasks[now[0]] += len(frame.partitions)
        return mapped(frame, work, schema)

    def count_blocks(frame: Frame, partitions: int, column: str) -> Frame:
        for batches in frame.partitions:
            blocks[now[0]] += len({number for batch in batches for number in batch.column(column).to_pylist()})
        return sent(frame, partitions, column)

    counts: dict[str, int] = {}

    def heard(stage: str, done: int, total: int | None) -> None:
        now[0] = stage
        rounds[0] = max(rounds[0], done)
        for run in tmp_path.iterdir():
            for name in ("propose", "compare"):
                counts.update(Staging(str(run)).marked(name) or {})

    monkeypatch.setattr(Frame, "mapInArrow", count_tasks)
    monkeypatch.setattr(Frame, "repartitionById", count_blocks)
    options = SplitOptions(rows_per_task=100, task_bytes=40_000, edges=edges)
    engine = Spark(Serial(), staging=str(tmp_path), rows_per_task=100, task_bytes=40_000, edges=edges)
    texts = corpus(1_600)
    la.find_clusters(texts, threshold=0.8, shingles="words:3", method="lsh", engine=engine, progress=heard)
    a = {name: count / len(texts) for name, count in counts.items()}
    pieces = split(Workload(a["shipped"], a["elements"], a["found"], rounds[0]), len(texts), options)
    assert (rounds[0] > 1) == (edges == 20)
    for stage in STAGES:
        assert tasks[stage] == pieces.tasks[stage]
        assert blocks[stage] == pytest.approx(pieces.blocks[stage], rel=0.05)


@given(
    st.fixed_dictionaries({stage: st.floats(0.1, 1) for stage in STAGES}),
    st.lists(COST, min_size=5, max_size=5),
    st.floats(1e-3, 0.1),
    COST,
)
def test_costs_are_found_from_the_runs_they_explain(
    fixed: dict[str, float], unit: list[float], task: float, block: float
) -> None:
    load = Workload(shipped=0.2, elements=20, edges=0.1, rounds=4)
    costs = Costs(fixed, dict(zip(WORK, unit, strict=True)), task, block)

    def took(documents: int, options: SplitOptions) -> dict[str, float]:
        pieces = split(load, documents, options)
        return {stage: costs.fixed[stage] + costs.of(stage, pieces) for stage in STAGES}

    found = fit_costs(load, [ObservedRun(documents, options, took(documents, options)) for documents, options in RUNS])
    large = split(load, 10_000_000)
    for stage in STAGES:
        assert found.of(stage, large) == pytest.approx(costs.of(stage, large), rel=0.01)
