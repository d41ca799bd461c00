"""Workers: threads that take items from lanes, process them at the same time, and yield the results in order.

A lane is an iterable that one worker at a time advances: the row groups of a part of a Parquet file, the blocks of a
file of lines. Taking an item reads it, and processing it does the rest, so that each item stays with one worker.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Generic, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

HEAVY = 64 << 20
"""The maximum number of bytes that are in use or wait. A single item may be larger."""

DEPTH = 32
"""The maximum number of items of a lane that are processed or wait."""


def ahead(items: Iterable[Item], depth: int = 2) -> Generator[Item, None, None]:
    """Yields the same items in the same order, while another thread produces up to `depth` items in advance."""
    return in_order([items], _unchanged, 1, depth=depth)


def mapped(
    function: Callable[[Item], Made],
    items: Iterable[Item],
    threads: int,
    bytes_of: Callable[[Item], int] | None = None,
    huge: int = HEAVY,
) -> Generator[Made, None, None]:
    """Works like `map(function, items)`, with up to `threads` calls at once.

    Only one thread at a time iterates over `items`. While the function processes an item of more than `huge` bytes
    (measured by `bytes_of`), no further item is taken.
    """
    return in_order([items], function, threads, depth=2 * threads, bytes_of=bytes_of, huge=huge)


def _unchanged(item: Item) -> Item:
    return item


@dataclass(eq=False)
class _Place(Generic[Made]):
    """The place of an item in its lane, where its result will wait for the consumer."""

    made: Made | None = None
    error: BaseException | None = None
    is_done: bool = False
    weight: int = 0


def _result_of(place: _Place[Made]) -> Made:
    """The result, which the place then no longer keeps in memory. Raises the error, if there is one."""
    if place.error is not None:
        try:
            raise place.error
        finally:
            place.error = None  # see _Crew.finish
    made, place.made = place.made, None
    return made  # type: ignore[return-value]


def _drained(places: deque[_Place[Made]]) -> Iterator[_Place[Made]]:
    while places:
        yield places.popleft()


@dataclass(eq=False)
class _Lane(Generic[Item, Made]):
    """A lane, with the places of the items that were taken and whose results the consumer has not taken yet."""

    items: Iterator[Item]
    places: deque[_Place[Made]] = field(default_factory=deque)
    is_advanced: bool = False
    """True while a worker takes an item."""
    has_ended: bool = False


def in_order(
    lanes: Iterable[Iterable[Item]],
    work: Callable[[Item], Made],
    threads: int,
    *,
    readers: int | None = None,
    depth: int = DEPTH,
    bytes_of: Callable[[Item], int] | None = None,
    made_bytes: Callable[[Made], int] | None = None,
    most: int = HEAVY,
    huge: int = HEAVY,
) -> Generator[Made, None, None]:
    """Yields `work(item)` for the items of all lanes, lane after lane. Up to `threads` workers take and process items.

    A worker takes the next item of the first lane that no other worker advances. At most `readers` workers take an item
    at the same time (default: all).

    To bound memory, no item is taken while items and results (measured by `bytes_of` and `made_bytes`) exceed `most`
    bytes, or while an item of more than `huge` bytes is processed; two such items are never processed at the same time.
    The item that the consumer waits for is taken however much waits behind it, so waiting cannot cause a deadlock.
    """
    crew: _Crew[Item, Made] = _Crew(iter(lanes), threads + 1, readers or threads, depth, most)
    with _working(crew, partial(_serve, crew, work, bytes_of, made_bytes, huge), threads):
        yield from crew.results()


class ReadAhead(Generic[Item]):
    """The items of some lanes, which several threads take in advance, until `rest` returns lanes with all others.

    The arguments are those of `in_order`. `work` returns an item that takes the place of the one it was given.
    """

    def __init__(
        self,
        lanes: Iterable[Iterable[Item]],
        work: Callable[[Item], Item],
        threads: int,
        bytes_of: Callable[[Item], int],
        most: int,
    ) -> None:
        self._crew: _Crew[Item, Item] = _Crew(iter(lanes), threads + 1, threads, DEPTH, most)
        self._stack = ExitStack()
        serve = partial(_serve, self._crew, work, bytes_of, bytes_of, HEAVY)
        self._stack.enter_context(_working(self._crew, serve, threads))

    def __iter__(self) -> Iterator[Item]:
        return self._crew.results()

    def rest(self) -> Iterator[Iterable[Item]]:
        """Stops the threads, and returns lanes with the items that were not used, taken or not. Call it once."""
        self.close()
        return self._crew.rest()

    def close(self) -> None:
        self._stack.close()


def _serve(
    crew: _Crew[Item, Made],
    work: Callable[[Item], Made],
    bytes_of: Callable[[Item], int] | None,
    made_bytes: Callable[[Made], int] | None,
    huge: int,
) -> None:
    """What each worker does: it takes items and processes them, as long as there are any."""
    while (lane := crew.next_lane()) is not None:
        try:
            item = next(lane.items)
        except StopIteration:
            crew.end(lane)
            continue
        except BaseException as error:
            crew.end(lane, error)
            del lane, error  # see _Crew.finish
            continue
        weight = bytes_of(item) if bytes_of else 0
        place = crew.begin(lane, weight, alone=weight > huge)
        del lane
        try:
            made = work(item)
        except BaseException as error:
            del item
            crew.finish(place, weight, alone=weight > huge, error=error)
            del place, error
            continue
        del item  # so that its memory is freed before the next item is taken
        place.made, place.weight = made, made_bytes(made) if made_bytes else 0
        del made
        crew.finish(place, weight, alone=weight > huge)
        del place


@contextmanager
def _working(crew: _Crew[Item, Made], serve: Callable[[], None], threads: int) -> Iterator[None]:
    """Runs workers until the end of the block, even if it ends early."""
    workers = [threading.Thread(target=serve, name=f"lookalike-worker-{i}", daemon=True) for i in range(threads)]
    try:
        for worker in workers:
            worker.start()  # raises RuntimeError if the system allows no more threads
        yield
    finally:
        crew.stop()
        for worker in workers:
            if worker.ident is not None:
                worker.join()


class _Crew(Generic[Item, Made]):
    """What the workers and the consumer share. All methods may be called from any thread.

    Waking a thread for nothing costs time, and more with more threads. So the consumer is woken only if its next result
    may be there, and one idle worker at a time: workers are alike, and one that finds something to do wakes the next.
    """

    def __init__(self, lanes: Iterator[Iterable[Item]], most_lanes: int, readers: int, depth: int, most: int) -> None:
        self._lanes, self._most_lanes, self._readers, self._depth, self._most = lanes, most_lanes, readers, depth, most
        self._open: deque[_Lane[Item, Made]] = deque()  # in order; the consumer takes results from the first lane
        self._is_opening = self._has_last = self._stopped = self._is_awaited = self._runs_alone = False
        self._reading = 0  # workers that take an item
        self._alone = 0  # huge items that are processed, or wait for that
        self._in_use = 0  # bytes of items and results
        self._lock = threading.Lock()
        self._ready = threading.Condition(self._lock)  # for the consumer: its next result may be there
        self._free = threading.Condition(self._lock)  # for idle workers: there may be an item to take
        self._turn = threading.Condition(self._lock)  # for workers with a huge item: no other one is processed

    def next_lane(self) -> _Lane[Item, Made] | None:
        """The lane from which a worker takes an item. None if no more items will be taken."""
        with self._lock:
            while not self._stopped:
                lane = self._free_lane()
                if lane is not None:
                    lane.is_advanced = True
                    self._reading += 1
                    self._free.notify()
                    return lane
                if self._may_open():
                    self._open_lane()
                elif self._has_last and all(lane.has_ended for lane in self._open):
                    return None
                else:
                    self._free.wait()
            return None

    def _free_lane(self) -> _Lane[Item, Made] | None:
        """The first lane that no worker advances and from which an item may be taken."""
        if self._reading >= self._readers or self._alone:
            return None
        for lane in self._open:
            is_needed = self._is_awaited and lane is self._open[0] and not lane.places
            has_room = self._in_use <= self._most and len(lane.places) < self._depth
            if (has_room or is_needed) and not (lane.is_advanced or lane.has_ended):
                return lane
        return None

    def _may_open(self) -> bool:
        """True if the next lane may be opened. Workers open one only if no open lane is free."""
        if self._is_opening or self._has_last or len(self._open) >= self._most_lanes:
            return False
        has_room = self._in_use <= self._most or not self._open
        return has_room and self._reading < self._readers and not self._alone

    def _open_lane(self) -> None:
        """Opens the next lane. Must be called with the lock, which it releases meanwhile."""
        self._is_opening = True
        lane: _Lane[Item, Made] | None = None
        self._lock.release()
        try:
            following = next(self._lanes, None)
            lane = None if following is None else _Lane(iter(following))
        except BaseException as error:
            lane = _Lane(iter(()), deque([_Place(error=error, is_done=True)]), has_ended=True)
        finally:
            self._lock.acquire()
        self._is_opening = False
        self._has_last = lane is None or lane.has_ended
        if lane is not None:
            self._open.append(lane)
        self._ready.notify()
        self._free.notify_all()

    def end(self, lane: _Lane[Item, Made], error: BaseException | None = None) -> None:
        """Notes that a lane has no more items, or that taking one raised an error."""
        with self._lock:
            self._reading -= 1
            lane.is_advanced, lane.has_ended = False, True
            if error is not None:
                lane.places.append(_Place(error=error, is_done=True))
            self._ready.notify()
            self._free.notify_all()

    def begin(self, lane: _Lane[Item, Made], weight: int, *, alone: bool) -> _Place[Made]:
        """Notes that an item was taken. Returns the place of its result when it may be processed."""
        place: _Place[Made] = _Place()
        with self._lock:
            self._reading -= 1
            self._in_use += weight
            lane.is_advanced = False
            lane.places.append(place)
            self._free.notify()
            if alone:
                self._alone += 1
                while self._runs_alone and not self._stopped:
                    self._turn.wait()
                self._runs_alone = True
        return place

    def finish(self, place: _Place[Made], weight: int, *, alone: bool, error: BaseException | None = None) -> None:
        """Notes that an item was processed.

        The traceback of an error refers to the frame of the worker. If that frame referred to the error, all of its
        items would stay in memory until the garbage collector finds the cycle.
        """
        with self._lock:
            if alone:
                self._alone -= 1
                self._runs_alone = False
                self._turn.notify()
            self._in_use += place.weight - weight
            place.error, place.is_done = error, True
            if self._open and self._open[0].places and self._open[0].places[0] is place:
                self._ready.notify()
            self._free.notify()

    def next_place(self, used: int) -> _Place[Made] | None:
        """Waits for the next result, or error. None after the last. `used` is the weight of the result before it."""
        with self._lock:
            self._in_use -= used
            self._is_awaited = True
            self._free.notify()
            while True:
                if self._open and self._open[0].places:
                    if self._open[0].places[0].is_done:
                        self._is_awaited = False
                        return self._open[0].places.popleft()
                elif self._open and self._open[0].has_ended:
                    self._open.popleft()
                    self._free.notify()
                    continue
                elif not self._open and self._has_last:
                    return None
                self._ready.wait()

    def results(self) -> Iterator[Made]:
        """Yields the results in order, for the consumer."""
        used = 0
        while (place := self.next_place(used)) is not None:
            made = _result_of(place)
            yield made
            del made
            used = place.weight

    def rest(self: _Crew[Item, Item]) -> Iterator[Iterable[Item]]:
        """Yields lanes with the items whose results were not used. Call it after all workers have stopped."""
        while self._open:
            lane = self._open.popleft()
            yield chain(map(_result_of, _drained(lane.places)), () if lane.has_ended else lane.items)
        yield from self._lanes

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            self._free.notify_all()
            self._turn.notify_all()
