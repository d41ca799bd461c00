"""Reading ahead: other threads produce the next items while the consumer uses the current item."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable
from typing import Generic, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

HEAVY = 32 << 20
"""The most bytes that wait in each lane; a single item may be larger."""

_POLL = 0.1
"""The interval, in seconds, at which a waiting thread checks whether its items are still wanted."""


def ahead(items: Iterable[Item], depth: int = 2) -> Generator[Item, None, None]:
    """Yields the same items in the same order, with up to `depth` items produced ahead by another thread."""
    return side_by_side([items], 1, depth)


def mapped(function: Callable[[Item], Made], items: Iterable[Item], threads: int) -> Generator[Made, None, None]:
    """Like `map(function, items)`, with up to `threads` calls at once. Only one thread at a time iterates `items`."""
    return side_by_side((map(function, [item]) for item in items), threads)


def side_by_side(
    lanes: Iterable[Iterable[Item]], threads: int, depth: int = 2, weigh: Callable[[Item], int] | None = None
) -> Generator[Item, None, None]:
    """Yields the items of all lanes, lane after lane. Up to `threads` threads produce them, each in its own lane.

    To bound memory, at most threads + 1 lanes are active, and at most `depth` items, or about HEAVY bytes (measured
    by `weigh`), wait in each. The first active lane always has a thread, so that waiting for its items cannot deadlock.
    """
    makers = _Makers(lanes, threads, depth, weigh)
    try:
        while (lane := makers.begun.get()) is not None:
            while True:
                item, error = lane.get()
                if isinstance(error, StopIteration):
                    break
                if error is not None:
                    raise error
                yield item  # type: ignore[misc]
            makers.under_way.release()
    finally:  # also if the consumer stops early
        makers.stop()


class _Lane(Generic[Item]):
    """A queue of the waiting items of one lane, followed by an error or StopIteration."""

    def __init__(self, depth: int) -> None:
        self._depth = depth
        self._waiting: deque[tuple[Item | None, BaseException | None, int]] = deque()
        self._weight = 0
        self._changed = threading.Condition()

    def get(self) -> tuple[Item | None, BaseException | None]:
        with self._changed:
            while not self._waiting:
                self._changed.wait()
            item, error, weight = self._waiting.popleft()
            self._weight -= weight
            self._changed.notify()
            return item, error

    def put(self, item: Item, weight: int, unwanted: threading.Event) -> None:
        """Adds an item, and waits until there is room for another one, so that no item is produced too early."""
        with self._changed:
            self._waiting.append((item, None, weight))
            self._weight += weight
            del item
            self._changed.notify()
            while (len(self._waiting) >= self._depth or self._weight > HEAVY) and not unwanted.is_set():
                self._changed.wait(_POLL)

    def end(self, error: BaseException) -> None:
        with self._changed:
            self._waiting.append((None, error, 0))
            self._changed.notify()


class _Makers(Generic[Item]):
    """The threads that produce the items for `side_by_side`."""

    def __init__(
        self, lanes: Iterable[Iterable[Item]], threads: int, depth: int, weigh: Callable[[Item], int] | None
    ) -> None:
        self.begun: queue.SimpleQueue[_Lane[Item] | None] = queue.SimpleQueue()
        self.under_way = threading.Semaphore(threads + 1)
        self._lanes = iter(lanes)
        self._depth, self._weigh = depth, weigh
        self._taking = threading.Lock()
        self._left = threading.Event()
        self._threads = [
            threading.Thread(target=self._make, name=f"lookalike-ahead-{i}", daemon=True) for i in range(threads)
        ]
        try:
            for thread in self._threads:
                thread.start()
        except RuntimeError:  # the system allows no more threads
            self.stop()
            raise

    def stop(self) -> None:
        self._left.set()
        self.under_way.release(len(self._threads))  # wakes the threads that wait for a lane
        for thread in self._threads:
            if thread.ident is not None:
                thread.join()

    def _make(self) -> None:
        while True:
            self.under_way.acquire()
            if self._left.is_set():
                return
            lane: _Lane[Item] = _Lane(self._depth)
            try:
                items = self._begin(lane)
                if items is None:
                    return
                for item in items:
                    lane.put(item, self._weigh(item) if self._weigh else 0, self._left)
                    if self._left.is_set():
                        return
                    del item  # frees its memory before the next item is produced
                lane.end(StopIteration())
            except BaseException as error:
                lane.end(error)

    def _begin(self, lane: _Lane[Item]) -> Iterable[Item] | None:
        """Starts the next lane, in order, and returns its items; None after the last lane."""
        with self._taking:
            try:
                items = next(self._lanes, None)
            except BaseException:
                self.begun.put(lane)  # the consumer raises the error there
                raise
            self.begun.put(None if items is None else lane)
            return items
