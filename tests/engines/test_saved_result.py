"""A stored result is the same after it is loaded."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lookalike.engines.reference.engine import Reference
from lookalike.engines.saved_result import keep_result, kept_result
from lookalike.planning.resolve import ResolvedPlan
from lookalike.storage.parts import DirectoryParts, MemoryParts
from lookalike.testing import CASES, Case, Rows


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_result_survives(case: Case, tmp_path: Path) -> None:
    parts = DirectoryParts(tmp_path)
    parts.begin("key")
    assert kept_result(parts) is None
    result = Reference().run(case.plan, Rows(case.rows, case.ids), MemoryParts())
    keep_result(result, parts)
    again = kept_result(DirectoryParts(tmp_path))
    assert again is not None
    for name in ("pairs", "clusters"):
        before, after = getattr(result, name), getattr(again, name)
        assert (before is None) == (after is None)
        assert before is None or before.to_arrow().equals(after.to_arrow(), check_metadata=True)
    assert again.plan.to_toml() == result.plan.to_toml()
    assert result.lengths is not None and again.lengths is not None and np.array_equal(result.lengths, again.lengths)
    assert result.copy_of is not None and again.copy_of is not None and np.array_equal(result.copy_of, again.copy_of)
    assert again.with_summary(seconds=result.summary.seconds).summary == result.summary


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_resolved_plan_survives_as_toml(case: Case) -> None:
    resolved = Reference().run(case.plan, Rows(case.rows, case.ids), MemoryParts()).plan
    again = ResolvedPlan.from_toml(resolved.to_toml())
    assert again.to_toml() == resolved.to_toml()
    assert (again.shingles, again.banding, again.key) == (resolved.shingles, resolved.banding, resolved.key)


@pytest.mark.parametrize("goal", ["pairs", "clusters"])
def test_a_result_of_which_a_part_is_missing_is_none(goal: str, tmp_path: Path) -> None:
    case = next(case for case in CASES if case.plan.goal == goal)
    result = Reference().run(case.plan, Rows(case.rows, case.ids), MemoryParts())
    parts = DirectoryParts(tmp_path)
    parts.begin("key")
    keep_result(result, parts)
    for file in parts.files():
        content = file.read_bytes()
        file.unlink()
        assert kept_result(DirectoryParts(tmp_path)) is None, file.name
        file.write_bytes(content)
    assert kept_result(DirectoryParts(tmp_path)) is not None
