"""Engines carry out a plan; every engine gives the same answer. Each is imported only when it is asked for."""

from __future__ import annotations

from lookalike.engines.base import Engine, Progress, Result
from lookalike.errors import InvalidOption

__all__ = ["Engine", "Progress", "Result", "engine"]


def engine(
    name: str | Engine = "local",
    threads: int | None = None,
    memory: int | str | None = None,
    master: str | None = None,
    staging: str | None = None,
) -> Engine:
    """An engine by name: `local` (the native kernel), `reference` (the textbook) or `spark`.

    `master` and `staging` are for Spark: where it runs, and a folder or URL that all its machines see.
    """
    if memory is not None and name != "local":
        raise InvalidOption(f"memory is a budget of the local engine; engine {name!r} takes none")
    if threads is not None and name == "spark":
        raise InvalidOption(
            "threads are for engines of this machine; Spark runs a task a core: --master 'local[4]' / master='local[4]'"
        )
    for option, value in (("master", master), ("staging", staging)):
        if value is not None and name != "spark":
            raise InvalidOption(f"{option} is for the Spark engine; engine {name!r} takes none")
    if not isinstance(name, str):
        return name
    if name == "local":
        from lookalike.engines.local.engine import Local

        return Local(threads=threads, memory=memory)
    if name == "reference":
        from lookalike.engines.reference.engine import Reference

        return Reference()
    if name == "spark":
        from lookalike.engines.spark import Spark

        return Spark(master=master, staging=staging)
    raise InvalidOption(f"engine must be one of local, reference, spark, got {name!r}")
