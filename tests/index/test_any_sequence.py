"""After any sequence of changes, an index answers like a fresh one with the same documents, on every backend."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.index.machine import Backend, Changes
from tests.index.test_contract import creating, creating_in


@pytest.mark.parametrize("name", ["embedded", "postgres"])
def test_any_sequence_of_changes_equals_a_fresh_index(name: str, request: pytest.FixtureRequest) -> None:
    backend: Backend = creating
    if name == "postgres":
        server = request.getfixturevalue("postgres_server")
        backend = lambda folder: creating_in(server)  # noqa: E731
    machine = type("Changes", (Changes,), {"backend": (backend,)})
    examples = max(10, settings().max_examples // 5)
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=15))
