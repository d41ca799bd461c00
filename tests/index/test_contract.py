"""Every backend of an index keeps the contract, and the check detects backends that break it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lookalike.index.embedded import Embedded
from lookalike.index.postgres.address import address_of
from lookalike.index.postgres.store import Postgres
from lookalike.index.store import Candidates
from lookalike.kernel import default
from lookalike.planning.plan import Plan
from lookalike.testing import check_index
from lookalike.testing.indexes import Create
from tests.postgres_server import Server


def creating(folder: Path, kind: type[Embedded] = Embedded) -> Create:
    """A function that creates embedded indexes in a folder."""

    def create(plan: Plan, *, contain: bool = False) -> Callable[[], Embedded]:
        path = folder / f"{len(list(folder.iterdir()))}.index"
        kind.create(path, plan, contain=contain)
        return lambda: kind(path, default(2))

    return create


def creating_in(server: Server) -> Create:
    """A function that creates indexes in PostgreSQL."""

    def create(plan: Plan, *, contain: bool = False) -> Callable[[], Postgres]:
        address = address_of(server.address())
        Postgres.create(address, plan, contain=contain)
        return lambda: Postgres(address, default(2))

    return create


@pytest.mark.parametrize("seed", range(2))
def test_the_postgres_backend_keeps_the_contract(postgres_server: Server, seed: int) -> None:
    check_index(creating_in(postgres_server), seed=seed)


@pytest.mark.parametrize("seed", range(2))
def test_the_embedded_backend_keeps_the_contract(tmp_path: Path, seed: int) -> None:
    check_index(creating(tmp_path), seed=seed)


MISTAKES: dict[str, Any] = {
    "candidates": lambda made: [Candidates(one.queries[::2], one.rows[::2]) for one in made],
    "with_passages": lambda made: [Candidates(one.queries[::2], one.rows[::2]) for one in made],
    "few_candidates": lambda made: made._replace(cut_queries=made.cut_queries[:0], cut_bands=made.cut_bands[:0]),
    "bucket": lambda made: made[:-1],
    "records": lambda made: np.zeros_like(made),
    "texts_of": lambda made: made[::-1],
    "rows_of": lambda made: np.maximum(made, 0),
    "is_alive": lambda made: made | True,
    "all_rows": lambda made: made[:5],
    "edges": lambda made: made[:0],
    "__len__": lambda made: made + 1,
}


@pytest.mark.parametrize("method", MISTAKES)
def test_a_backend_with_a_mistake_is_detected(tmp_path: Path, method: str) -> None:
    def mistaken(self: Embedded, *arguments: Any, **more: Any) -> Any:
        return MISTAKES[method](getattr(Embedded, method)(self, *arguments, **more))

    wrong = type("Wrong", (Embedded,), {method: mistaken})
    with pytest.raises(AssertionError):
        check_index(creating(tmp_path, wrong))
