"""After any sequence of changes, an index answers like a fresh one with the same documents, on every backend."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from unittest import mock

import pytest
from hypothesis import Phase, settings
from hypothesis.stateful import run_state_machine_as_test

from lookalike.flow.progress import Progress
from lookalike.index.embedded import Embedded
from lookalike.index.store import NO_EDGES, Change, NewRows
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


class KeepsReplaced(Embedded):
    """A replaced document stays."""

    def add(self, new: NewRows, change: Change) -> None:
        super().add(new, replace(change, gone=change.gone[:0]))


class LosesRowsInCompactions(Embedded):
    def compact(self, progress: Progress) -> None:
        super().compact(progress)
        with self.writing():
            self.commit(Change(self.all_rows()[-1:]))


class LosesEdgesInCompactions(Embedded):
    def compact(self, progress: Progress) -> None:
        with self.writing():
            self.edges = lambda start=0: NO_EDGES  # type: ignore[method-assign]
            super().compact(progress)
            del self.edges


class LosesRowsInFolds(Embedded):
    def fold(self) -> None:
        last = self.recent.rows[-1:]
        super().fold()
        self.commit(Change(last[self.is_alive(last)]))


class ForgetsWhatWasRecent(Embedded):
    """Recent rows are not read when an index is opened."""

    def refresh(self) -> None:
        if self._version < 0:
            with mock.patch.object(self.catalogue, "recent", return_value=[]):
                super().refresh()
        super().refresh()


MISTAKES = [
    KeepsReplaced,
    LosesRowsInCompactions,
    LosesEdgesInCompactions,
    LosesRowsInFolds,
    pytest.param(ForgetsWhatWasRecent, marks=pytest.mark.slow),
]


@pytest.mark.parametrize("kind", MISTAKES)
def test_a_mistake_is_detected_by_some_sequence(kind: type[Embedded]) -> None:
    backend = partial(creating, kind=kind)
    machine = type("Changes", (Changes,), {"backend": (backend,)})
    generated = settings(
        max_examples=300, stateful_step_count=15, phases=[Phase.generate], database=None, derandomize=True
    )
    with pytest.raises((AssertionError, ExceptionGroup)):
        run_state_machine_as_test(machine, settings=generated)
