"""Chooses the backend of an index: a folder, or an address of PostgreSQL."""

from __future__ import annotations

import os
from pathlib import Path

from lookalike.index.creating import path_of
from lookalike.index.embedded import Embedded
from lookalike.index.embedded_state import is_index
from lookalike.index.postgres.address import address_of, is_address
from lookalike.index.store import Store
from lookalike.kernel.protocol import Kernel
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan


def create_store(
    path: str | os.PathLike[str], plan: Plan, resolved: ResolvedPlan | None, *, contain: bool = False
) -> None:
    """Creates an empty index, whole or not at all. With `contain`, it finds passages."""
    if is_address(path):
        from lookalike.index.postgres.store import Postgres

        Postgres.create(address_of(path), plan, resolved, contain=contain)
    else:
        Embedded.create(path_of(path), plan, resolved, contain=contain)


def open_store(path: str | os.PathLike[str], kernel: Kernel) -> Store:
    """Opens an index that exists."""
    if is_address(path):
        from lookalike.index.postgres.store import Postgres

        return Postgres(address_of(path), kernel)
    return Embedded(path_of(path), kernel)


def names_index(path: str) -> bool:
    """Returns whether there is an index at a path, or whether it is an address of one."""
    if is_address(path):
        return True
    try:
        return is_index(Path(path).expanduser())
    except (OSError, ValueError, RuntimeError):  # no path that can exist, which is reported when it is opened as data
        return False
