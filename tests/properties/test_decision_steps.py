"""A withdrawn step of a file of decisions counts as if its lines had never been written."""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.choosing.decision_lines import InForce, read_decisions
from tests.refusals import refused

NAMES = ("a", "b", "c")
KINDS = ("different", "keep", "exclude", "undo", "skip")


def line(kind: str, names: list[str], step: int) -> dict[str, Any]:
    documents = [{"id": name, "bytes": f"{ord(name):032x}"} for name in names]
    return {"decision": kind, "documents": documents, "step": f"s{step}"}


def in_force(lines: list[dict[str, Any]]) -> tuple[Any, ...]:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "decisions.jsonl"
        path.write_text("".join(json.dumps(one) + "\n" for one in lines))
        found = read_decisions(path)
    return list(by_line(found.keep)), list(by_line(found.exclude)), pairs(found)


def by_line(found: dict[Any, int]) -> list[Any]:
    return sorted(found, key=lambda document: (found[document], document))


def pairs(found: InForce) -> set[frozenset[str]]:
    ends = zip(found.different[0].tolist(), found.different[1].tolist(), strict=True)
    return {frozenset((found.compared[i].id, found.compared[j].id)) for i, j in ends}


decided = st.tuples(st.sampled_from(KINDS), st.lists(st.sampled_from(NAMES), min_size=2, max_size=3, unique=True))
actions = st.lists(st.one_of(decided, st.integers(0, 9)), max_size=10)


@given(actions)
def test_withdrawn_steps_count_as_never_written(given: list[Any]) -> None:
    """Integers withdraw the step with this number; a withdrawal is a step as well, and can be withdrawn."""
    lines: list[dict[str, Any]] = []
    is_gone: list[bool] = []
    undoes: dict[int, int] = {}
    for step, action in enumerate(given):
        if isinstance(action, int):
            lines.append({"decision": "undo", "steps": [f"s{action}"], "step": f"s{step}"})
            undoes[step] = action
        else:
            lines.append(line(action[0], action[1], step))
    is_gone = [False] * len(given)
    for step in reversed(range(len(given))):
        target = undoes.get(step, step)
        if not is_gone[step] and target < step:
            is_gone[target] = True
    left = [one for step, one in enumerate(lines) if not is_gone[step] and step not in undoes]
    assert in_force(lines) == in_force(left)


def test_a_line_without_a_step_is_named_by_its_number() -> None:
    first = {name: value for name, value in line("keep", ["a"], 0).items() if name != "step"}
    assert in_force([first, {"decision": "undo", "steps": ["line-1"]}]) == in_force([])


@pytest.mark.parametrize("wrong", [{"steps": []}, {"steps": [1]}, {"steps": "s1"}, {"steps": ["s"], "step": 3}])
def test_a_malformed_withdrawal_is_refused(tmp_path: Path, wrong: dict[str, Any]) -> None:
    path = tmp_path / "decisions.jsonl"
    path.write_text(json.dumps({"decision": "undo"} | wrong))
    with refused("malformed-decision"):
        read_decisions(path)
