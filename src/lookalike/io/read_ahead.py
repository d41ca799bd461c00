"""Reading ahead: other threads produce the next items while the consumer uses the current item."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from lookalike.io.source import Batch, Source

Item = TypeVar("Item")
Made = TypeVar("Made")

BATCHES = 4
"""The most batches of a source that wait in each lane."""

HEAVY = 32 << 20
"""The most bytes that wait in each lane; a single item may be larger."""


def batches(
    source: Source, columns: Sequence[str], start: int = 0, stop: int | None = None, threads: int = 1
) -> Generator[Batch, None, None]:
    """Like `source.read`, with several threads if reading can start at several rows.

    The size of batches may depend on the number of threads; the rows do not.
    """
    cuts = [row for row in source.starts() if start < row and (stop is None or row < stop)] if threads > 1 else []
    lanes = (source.read(columns, low, high) for low, high in zip([start, *cuts], [*cuts, stop], strict=True))
    return side_by_side(lanes, min(threads, len(cuts) + 1), BATCHES, weigh=lambda batch: int(batch.data.nbytes))


def ahead(items: Iterable[Item], depth: int = 2) -> Generator[Item, None, None]:
    """Yields the same items in the same order, with up to `depth` items produced ahead by another thread."""
    return side_by_side([items], 1, depth)


def mapped(function: Callable[[Item], Made], items: Iterable[Item], threads: int) -> Generator[Made, None, None]:
    """Like `map(function, items)`, with up to `threads` calls at once. Only one thread at a time iterates `items`."""
    return side_by_side((map(function, [item]) for item in items), threads)


@dataclass
class _Lane(Generic[Item]):
    """The items of one lane that wait for the consumer, with their weights, and how the lane ended."""

    waiting: deque[tuple[Item, int]] = field(default_factory=deque)
    weight: int = 0
    end: BaseException | None = None
    """StopIteration after the last item, or an error that was raised instead of an item."""
    is_last: bool = False
    """True for an empty lane after all others."""


def side_by_side(
    lanes: Iterable[Iterable[Item]], threads: int, depth: int = 2, weigh: Callable[[Item], int] | None = None
) -> Generator[Item, None, None]:
    """Yields the items of all lanes, lane after lane. Up to `threads` threads produce them, each in its own lane.

    To bound memory, at most threads + 1 lanes are active, and at most `depth` items, or about HEAVY bytes (measured
    by `weigh`), wait in each. The first active lane always has a thread, so that waiting for its items cannot deadlock.
    """
    remaining = iter(lanes)
    active: deque[_Lane[Item]] = deque()  # in order: the consumer takes items from the first
    stopped = False
    beginning = threading.Lock()  # one thread at a time begins a lane
    changed = threading.Condition()  # guards the active lanes and their items

    def produce() -> None:
        items: Iterable[Item] | None = ()
        while items is not None:
            lane: _Lane[Item] = _Lane()
            try:
                with beginning:
                    with changed:
                        while len(active) > threads and not stopped:
                            changed.wait()
                        active.append(lane)
                    items = None if stopped else next(remaining, None)
                for item in items or ():
                    weight = weigh(item) if weigh else 0
                    with changed:
                        lane.waiting.append((item, weight))
                        lane.weight += weight
                        del item  # so that its memory is freed when the consumer has used it
                        changed.notify_all()
                        while (len(lane.waiting) >= depth or lane.weight > HEAVY) and not stopped:
                            changed.wait()  # no item is produced before there is room for it
                        if stopped:
                            return
                end: BaseException = StopIteration()
            except BaseException as error:
                end = error
            with changed:
                lane.end, lane.is_last = end, items is None
                changed.notify_all()

    workers = [threading.Thread(target=produce, name=f"lookalike-ahead-{i}", daemon=True) for i in range(threads)]
    try:
        for worker in workers:
            worker.start()  # raises RuntimeError if the system allows no more threads
        while True:
            with changed:
                while not active or not (active[0].waiting or active[0].end):
                    changed.wait()
                lane = active[0]
                if not lane.waiting:
                    if lane.is_last:
                        return
                    if lane.end is not None and not isinstance(lane.end, StopIteration):
                        raise lane.end
                    active.popleft()
                    changed.notify_all()
                    continue
                item, weight = lane.waiting.popleft()
                lane.weight -= weight
                changed.notify_all()
            yield item
            del item
    finally:  # also if the consumer stops early
        with changed:
            stopped = True
            changed.notify_all()
        for worker in workers:
            if worker.ident is not None:
                worker.join()
