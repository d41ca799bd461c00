"""Reading ahead: other threads produce the next items while the consumer uses the current item."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Generic, TypeVar

from lookalike.io.source import Batch, Source

Item = TypeVar("Item")
Made = TypeVar("Made")

BATCHES = 4
"""The maximum number of batches of a source that wait in each lane."""

HEAVY = 64 << 20
"""The maximum number of bytes that wait in each lane. A single item may be larger."""


def batches(
    source: Source,
    columns: Sequence[str],
    start: int = 0,
    stop: int | None = None,
    threads: int = 1,
    most: int = HEAVY,
) -> Generator[Batch, None, None]:
    """Reads a source like `source.read`, with several threads if reading can start at several rows.

    About `most` bytes are read ahead. The size of batches may depend on the number of threads; the rows do not.
    """
    cuts = [row for row in source.starts() if start < row and (stop is None or row < stop)] if threads > 1 else []
    lanes = (source.read(columns, low, high) for low, high in zip([start, *cuts], [*cuts, stop], strict=True))
    return side_by_side(lanes, min(threads, len(cuts) + 1), BATCHES, attrgetter("data.nbytes"), most)


def ahead(items: Iterable[Item], depth: int = 2) -> Generator[Item, None, None]:
    """Yields the same items in the same order, while another thread produces up to `depth` items in advance."""
    return side_by_side([items], 1, depth)


def mapped(
    function: Callable[[Item], Made],
    items: Iterable[Item],
    threads: int,
    bytes_of: Callable[[Item], int] | None = None,
    huge: int = HEAVY,
) -> Generator[Made, None, None]:
    """Works like `map(function, items)`, with up to `threads` calls at once.

    Only one thread at a time iterates over `items`.

    While the function processes an item of more than `huge` bytes (measured by `bytes_of`), no further item is taken.
    """

    def lanes() -> Iterator[Iterable[Made]]:
        for item in items:
            yield [function(item)] if bytes_of is not None and bytes_of(item) > huge else map(function, [item])
            del item  # so that its memory is freed before the next item is taken

    return side_by_side(lanes(), threads)


@dataclass
class _Lane(Generic[Item]):
    """One lane: the items that wait for the consumer, with their sizes, and how the lane ended."""

    waiting: deque[tuple[Item, int]] = field(default_factory=deque)
    has_ended: bool = False
    error: BaseException | None = None
    """The error that was raised instead of an item, and ended the lane."""
    is_last: bool = False
    """True for the empty lane that follows all others."""


def side_by_side(
    lanes: Iterable[Iterable[Item]],
    threads: int,
    depth: int = 2,
    bytes_of: Callable[[Item], int] | None = None,
    most: int = HEAVY,
) -> Generator[Item, None, None]:
    """Yields the items of all lanes, lane after lane. Up to `threads` threads produce them, each in its own lane.

    To bound memory, at most threads + 1 lanes are active, and at most `depth` items wait in each. While the waiting
    items, and the item that the consumer uses, exceed `most` bytes (measured by `bytes_of`), no item is produced except
    the one that the consumer waits for. So waiting cannot cause a deadlock.
    """
    remaining = iter(lanes)
    active: deque[_Lane[Item]] = deque()  # in order; the consumer takes items from the first lane
    stopped = waited_for = False
    in_use = 0  # size in bytes of all items that wait or are in use
    beginning = threading.Lock()  # held by the thread that begins a lane
    changed = threading.Condition()  # guards the active lanes and their items

    def wait_for_room(lane: _Lane[Item]) -> None:
        with changed:
            while not (
                stopped
                or (len(lane.waiting) < depth and in_use <= most)
                or (waited_for and lane is active[0] and not lane.waiting)
            ):
                changed.wait()

    def produce() -> None:
        nonlocal in_use
        items: Iterator[Item] | None = iter(())
        while items is not None:
            lane: _Lane[Item] = _Lane()
            error: BaseException | None = None
            try:
                with beginning:
                    with changed:
                        changed.wait_for(lambda: len(active) <= threads or stopped)
                        active.append(lane)
                    wait_for_room(lane)
                    following = None if stopped else next(remaining, None)
                items = None if following is None else iter(following)
                while items is not None:
                    wait_for_room(lane)
                    if stopped:
                        return
                    item = next(items)  # StopIteration ends the lane
                    weight = bytes_of(item) if bytes_of else 0
                    with changed:
                        lane.waiting.append((item, weight))
                        in_use += weight
                        del item  # so that its memory is freed after the consumer has used it
                        changed.notify_all()
            except StopIteration:
                pass
            except BaseException as raised:
                error = raised
            with changed:
                lane.has_ended, lane.error, lane.is_last = True, error, items is None
                changed.notify_all()
            # The traceback of an error refers to this frame. If the frame referred to the error, all of its items would
            # stay in memory until the garbage collector finds the cycle.
            del lane, error

    workers = [threading.Thread(target=produce, name=f"lookalike-ahead-{i}", daemon=True) for i in range(threads)]
    try:
        for worker in workers:
            worker.start()  # raises RuntimeError if the system allows no more threads
        while True:
            with changed:
                waited_for = True
                changed.notify_all()
                changed.wait_for(lambda: active and (active[0].waiting or active[0].has_ended))
                lane = active[0]
                if not lane.waiting:
                    if lane.is_last:
                        return
                    if lane.error is not None:
                        try:
                            raise lane.error
                        finally:
                            lane.error = None  # see above
                    active.popleft()
                    changed.notify_all()
                    continue
                item, weight = lane.waiting.popleft()
                waited_for = False
            yield item
            del item
            with changed:
                in_use -= weight
    finally:  # also if the consumer stops early
        with changed:
            stopped = True
            changed.notify_all()
        for worker in workers:
            if worker.ident is not None:
                worker.join()
