"""Long native calls count their steps, so that another thread can show how far they have come."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import lookalike as la
from lookalike.flow.progress import steps

RANDOM = np.random.default_rng(7)
SETS = [row.tolist() for row in RANDOM.integers(0, 400, (6000, 30))]
VECTORS = RANDOM.standard_normal((20000, 64))


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (SETS, {"method": "exact", "threshold": 0.3}),
        (SETS, {"method": "lsh", "threshold": 0.3}),
        (VECTORS, {"measure": "cosine", "threshold": 0.6, "method": "lsh"}),
    ],
)
def test_steps_are_counted_while_a_call_runs_and_not_after_it(data: Any, options: Any) -> None:
    seen: list[tuple[int, int]] = []
    ended = threading.Event()

    def watch() -> None:
        while not ended.wait(0.0005):
            seen.append(steps())

    watching = threading.Thread(target=watch)
    watching.start()
    la.find_pairs(data, threads=1, **options)
    ended.set()
    watching.join()
    assert steps()[1] == 0, "nothing is running any more"
    counted = [one for one in seen if one[1]]
    assert counted and all(0 <= done <= total for done, total in counted) and max(done for done, _ in counted) > 0


def test_the_search_for_similar_records_counts_its_steps() -> None:
    rows = [{"name": f"name{n} of{n % 7}", "town": f"town{n % 50}", "code": str(n**3)} for n in range(4000)]
    seen: list[tuple[str, int, int]] = []
    ended, stage = threading.Event(), [""]

    def watch() -> None:
        while not ended.wait(0.0005):
            seen.append((stage[0], *steps()))

    def reached(name: str, done: int, total: int | None) -> None:
        stage[0] = name

    watching = threading.Thread(target=watch)
    watching.start()
    la.resolve(rows, threads=1, progress=reached)
    ended.set()
    watching.join()
    assert any(name.startswith("propose by") and 0 < done <= total for name, done, total in seen)


def test_learning_shows_how_far_it_has_come() -> None:
    rows = [{"name": f"name{n // 2} of{n % 7}", "town": f"town{n % 50}", "code": str(n // 2)} for n in range(600)]
    shares: list[int] = []
    la.resolve(rows, progress=lambda stage, done, total: shares.append(done) if stage == "learn" and total else None)
    assert shares and all(0 <= share <= 100 for share in shares)
