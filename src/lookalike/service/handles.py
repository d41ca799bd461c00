"""The index of a service, opened once for changes and several times for queries.

An `Index` answers one thread at a time. With a handle per reading thread, queries do not wait for changes: each handle
notices at its next call what was committed, and a change is committed before it is acknowledged.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from queue import LifoQueue
from typing import Any

from lookalike.errors import ServiceError
from lookalike.flow.checks import check_threads
from lookalike.index.index import Index

MOST_READERS = 4
"""The maximum number of handles for queries. Each keeps its own copy of the recent documents and of deletions."""


class Handles:
    """The open index. Only the thread for changes uses the writer."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        threads: int | None = None,
        memory: int | str | None = None,
        read_only: bool = False,
    ) -> None:
        """Opens an index. Unless it is `read_only`, this process becomes its writer, or WorkTaken is raised."""
        self.name = Path(os.fspath(path)).name
        self.readers = min(MOST_READERS, check_threads(threads))
        self.is_unsettled = True
        """True if documents were deleted or replaced since clusters were last settled by the writer."""
        self._writer: Index | None = None
        self._free: LifoQueue[Index] = LifoQueue()
        self._opened: list[Index] = []
        self._how = path, threads, memory
        try:
            for _ in range(self.readers):
                self._free.put(self._open(path, threads, memory))
            self.surveyor = self._open(path, threads, memory)
            """The handle for lists of clusters, which take longer than queries."""
            if not read_only:
                self._writer = self._open(path, threads, memory)
                self._writer.delete([])  # becomes the writer now, rather than at the first request
        except BaseException:
            self.close()
            raise
        self.identity = hashlib.sha256(f"{self.surveyor.store.name}\n{self._plan()}".encode()).hexdigest()[:16]
        """Distinguishes this index from others, without revealing its plan."""

    has_index = True

    def _open(self, path: str | os.PathLike[str], threads: int | None, memory: int | str | None) -> Index:
        self._opened.append(Index.open(path, threads=threads, memory=memory))
        return self._opened[-1]

    def _plan(self) -> str:
        return self.surveyor.store.plan.to_toml()

    @property
    def is_read_only(self) -> bool:
        return self._writer is None

    @property
    def writer(self) -> Index:
        if self._writer is None:
            raise ServiceError("read-only")
        return self._writer

    @contextmanager
    def reader(self) -> Iterator[Index]:
        """Yields a handle that no other thread uses meanwhile."""
        index = self._free.get()
        try:
            yield index
        finally:
            self._free.put(index)

    def another(self) -> Index:
        """Opens another handle, which is closed with the others."""
        return self._open(*self._how)

    def close(self) -> None:
        for index in self._opened:
            index.close()
        self._opened.clear()


class NoHandles(Handles):
    """What a service over a saved result has in place of an index: everything that needs one is refused."""

    has_index = False

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = Path(os.fspath(path)).resolve().name
        self.readers, self.is_unsettled, self.identity = 1, False, ""

    @property
    def is_read_only(self) -> bool:
        return True

    @property
    def writer(self) -> Index:
        raise ServiceError("no-index")

    @property
    def surveyor(self) -> Index:  # type: ignore[override]
        raise ServiceError("no-index")

    def reader(self) -> Any:
        raise ServiceError("no-index")

    def close(self) -> None:
        """There is nothing to close."""
