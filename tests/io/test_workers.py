"""Workers change when and where items are processed, but neither the results nor their order."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import count, islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lookalike.io.workers import HEAVY, ReadAhead, ahead, in_order, mapped


@given(st.lists(st.integers()), st.integers(1, 4))
def test_the_items_are_the_same_in_the_same_order(items: list[int], depth: int) -> None:
    assert list(ahead(items, depth)) == items


def test_an_error_comes_out_where_its_item_would_have() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise KeyError("two")

    made = ahead(items())
    assert next(made) == 1
    with pytest.raises(KeyError, match="two"):
        next(made)


def test_a_user_who_stops_early_leaves_no_thread_behind() -> None:
    before = threading.active_count()
    made = ahead(iter(range(1000)))
    assert next(made) == 0
    made.close()
    assert threading.active_count() == before


@given(st.lists(st.lists(st.integers(), max_size=5), max_size=8), st.integers(1, 4), st.integers(1, 3))
def test_lanes_come_one_after_the_other_whoever_makes_them(lanes: list[list[int]], threads: int, depth: int) -> None:
    assert list(side_by_side(lanes, threads, depth)) == [item for lane in lanes for item in lane]


def test_an_error_of_one_lane_comes_after_the_items_before_it() -> None:
    def failing() -> Iterator[int]:
        yield 3
        raise KeyError("four")

    made = side_by_side([[1], [2], failing(), [5]], threads=3)
    assert [next(made), next(made), next(made)] == [1, 2, 3]
    with pytest.raises(KeyError, match="four"):
        next(made)


def test_an_error_at_the_start_of_a_lane_does_not_deadlock() -> None:
    def lanes() -> Iterator[list[int]]:
        yield [1]
        raise KeyError("no second lane")

    made = side_by_side(lanes(), threads=2)
    assert next(made) == 1
    with pytest.raises(KeyError, match="no second lane"):
        next(made)


def test_lanes_and_their_items_are_made_only_a_little_ahead() -> None:
    made: list[int] = []

    def lane(number: int) -> Iterator[int]:
        for _ in range(100):
            made.append(number)
            yield number

    items = side_by_side((lane(number) for number in range(100)), threads=2, depth=2)
    assert next(items) == 0
    items.close()
    assert len(made) <= 3 * (2 + 1) and max(made) <= 2


def test_heavy_items_are_not_produced_while_the_consumer_uses_one() -> None:
    """Sixteen documents of 28 MB under a budget of 512 MiB took 623: four of each lane waited."""
    made: list[int] = []

    def lane(number: int) -> Iterator[int]:
        for _ in range(100):
            made.append(number)
            yield HEAVY + 1

    items = side_by_side((lane(number) for number in range(100)), threads=2, depth=4, bytes_of=lambda size: size)
    next(items)
    time.sleep(0.2)  # for as many as will ever be made
    items.close()
    assert made.count(0) == 1 and made.count(1) <= 1 and max(made) <= 1


def test_an_item_that_the_consumer_waits_for_is_produced_however_much_waits_in_other_lanes() -> None:
    """Heavy items of the second lane must not keep the first lane from producing the next item."""

    def first() -> Iterator[int]:
        yield 1
        time.sleep(0.1)  # meanwhile, the second lane produces its heavy item
        yield 2

    assert list(side_by_side([first(), [HEAVY + 1, 3]], 2, bytes_of=lambda size: size)) == [1, 2, HEAVY + 1, 3]


def test_while_a_huge_item_is_processed_no_other_is_taken() -> None:
    """A text of 100 MB needs most of the memory; two at once would need twice as much."""
    taken: list[int] = []

    def items() -> Iterator[int]:
        for item in range(6):
            taken.append(item)
            yield item

    def most_taken(item: int) -> tuple[int, int]:
        time.sleep(0.05)
        return item, max(taken)

    found = list(mapped(most_taken, items(), 2, bytes_of=lambda item: 1 - item % 2, huge=0))
    assert [item for item, _ in found] == list(range(6))
    assert all(last == item for item, last in found if item % 2 == 0)


def side_by_side(
    lanes: Iterable[Iterable[int]], threads: int, depth: int = 2, bytes_of: Callable[[int], int] | None = None
) -> Generator[int, None, None]:
    return in_order(lanes, lambda item: item, threads, depth=depth, bytes_of=bytes_of, made_bytes=bytes_of)


class Text:
    """Something that a weak reference can refer to."""


def test_nothing_keeps_an_item_in_memory_after_an_error() -> None:
    """The traceback of the error, which the lane referred to, kept a huge text until the garbage collector ran."""
    known: list[weakref.ref[Text]] = []

    def items() -> Iterator[Text]:
        for _ in range(5):
            text = Text()
            known.append(weakref.ref(text))
            yield text
            del text

    def use(text: Text) -> Text:
        if len(known) == 4:
            raise ValueError("a text that is too large")
        return text

    def use_all() -> None:
        for text in mapped(use, items(), 2, lambda item: 100, huge=10):
            del text

    gc.disable()
    try:
        with pytest.raises(ValueError, match="too large") as raised:
            use_all()
        del raised
        assert [reference() for reference in known] == [None] * 4
    finally:
        gc.enable()


@given(
    st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=6),
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(0, 30),
    st.integers(0, 9),
    st.integers(1, 3),
)
def test_results_come_in_order_whatever_waits_and_however_heavy_it_is(
    lanes: list[list[int]], threads: int, readers: int, most: int, huge: int, depth: int
) -> None:
    made = in_order(
        lanes,
        lambda item: 10 * item,
        threads,
        readers=readers,
        depth=depth,
        bytes_of=lambda item: item,
        made_bytes=lambda made: made,
        most=most,
        huge=huge,
    )
    assert list(made) == [10 * item for lane in lanes for item in lane]


def test_workers_share_a_lane_if_there_is_only_one() -> None:
    """A single file is read by one worker at a time, but its blocks are parsed by all of them."""
    together = threading.Barrier(3)
    assert list(in_order([range(9)], lambda item: (together.wait(5), item)[1], 3)) == list(range(9))


def test_workers_take_items_of_several_lanes_while_one_is_slow_to_read() -> None:
    both = threading.Barrier(2)

    def slow(first: int) -> Iterator[int]:
        for item in range(first, first + 3):
            both.wait(5)  # ends only if two lanes are read at the same time
            yield item

    assert list(in_order([slow(0), slow(3)], lambda item: item, 2)) == list(range(6))


def test_no_more_readers_than_allowed_take_an_item_at_the_same_time() -> None:
    """Every thread that reads pages of 16 MiB needs memory of its own."""
    reading: list[int] = []
    most: list[int] = []

    def lane(number: int) -> Iterator[int]:
        for _ in range(5):
            reading.append(number)
            most.append(len(reading))
            time.sleep(0.001)
            reading.remove(number)
            yield number

    assert list(in_order(map(lane, range(4)), lambda item: item, 4, readers=2)) == sorted([*range(4)] * 5)
    assert max(most) == 2


def test_an_error_of_the_work_comes_where_the_result_would_have() -> None:
    def work(item: int) -> int:
        if item == 3:
            raise KeyError("three")
        return item

    made = in_order([[1, 2], [3, 4], [5]], work, 3)
    assert [next(made), next(made)] == [1, 2]
    with pytest.raises(KeyError, match="three"):
        next(made)


@given(
    st.lists(st.lists(st.integers(1, 9), max_size=5), max_size=8),
    st.integers(0, 40),
    st.integers(1, 4),
    st.integers(0, 30),
)
def test_what_was_read_ahead_and_not_used_comes_next(
    lanes: list[list[int]], used: int, threads: int, most: int
) -> None:
    items = [item for lane in lanes for item in lane]
    before = threading.active_count()
    ahead = ReadAhead(lanes, lambda item: -item, threads, bytes_of=abs, most=most)
    taken = list(islice(ahead, used))
    rest = [item for lane in ahead.rest() for item in lane]
    assert threading.active_count() == before
    assert taken == [-item for item in items[: len(taken)]] and len(taken) == min(used, len(items))
    assert [abs(item) for item in rest] == items[used:]  # taken in advance or not
    assert sorted(rest, key=lambda item: item > 0) == rest or len(lanes) > 1  # of one lane, the first items are taken


def test_an_error_of_what_was_read_ahead_comes_where_its_item_would_have() -> None:
    def work(item: int) -> int:
        if item == 3:
            raise KeyError("three")
        return item

    ahead = ReadAhead([[1, 2, 3, 4]], work, threads=2, bytes_of=lambda item: 1, most=100)
    assert next(iter(ahead)) == 1
    (lane,) = ahead.rest()
    left = iter(lane)
    assert next(left) == 2
    with pytest.raises(KeyError, match="three"):
        next(left)
    assert list(left) == [4]


def test_closing_what_reads_ahead_stops_its_threads() -> None:
    before = threading.active_count()
    ahead = ReadAhead([count()], lambda item: item, threads=3, bytes_of=lambda item: 1, most=10)
    assert list(islice(ahead, 20)) == list(range(20))
    ahead.close()
    ahead.close()
    assert threading.active_count() == before
