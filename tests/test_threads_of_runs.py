"""A run over local files has at most one thread per core, whatever number is requested."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import lookalike as la
from lookalike.engines import engine
from lookalike.flow.checks import check_threads
from lookalike.requests.shared import ENGINE_OPTIONS
from lookalike.run import _without_idle_threads

TEXTS = ["one two three four five", "one two three four five", "six seven eight nine ten"]


def threads_of(requested: int, *sources: Any) -> Any:
    options = dict.fromkeys(ENGINE_OPTIONS) | {"engine": "local", "threads": requested, "memory": "2GiB"}
    made = engine("local", threads=requested, memory="2GiB")
    used: Any = _without_idle_threads(made, options, *sources)
    assert used.memory == 2 << 30
    return used.threads


@pytest.mark.parametrize("requested", [1, 2, 3, 64])
def test_local_files_are_read_by_at_most_one_thread_per_core(requested: int) -> None:
    local = SimpleNamespace(files=[SimpleNamespace(system=None)])
    assert threads_of(requested, local, None) == min(requested, check_threads(None))
    assert threads_of(requested, SimpleNamespace(), None) == min(requested, check_threads(None))


def test_files_elsewhere_are_read_by_as_many_threads_as_requested() -> None:
    elsewhere = SimpleNamespace(files=[SimpleNamespace(system=object())])
    assert threads_of(64, elsewhere, None) == 64
    assert threads_of(64, SimpleNamespace(), elsewhere) == 64


def test_the_number_of_threads_does_not_affect_the_result(tmp_path: Path) -> None:
    few = la.find_pairs(TEXTS, threads=1, progress=False).to_arrow()
    assert la.find_pairs(TEXTS, threads=1024, progress=False).to_arrow() == few
