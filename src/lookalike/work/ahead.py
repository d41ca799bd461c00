"""Reading ahead: the next items are made in another thread while the last ones are used."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def ahead(items: Iterable[Item], depth: int = 2) -> Iterator[Item]:
    """The same items in the same order; at most `depth` of them wait. Errors come out where their item would have."""
    waiting: queue.Queue[tuple[Item | None, BaseException | None]] = queue.Queue(depth)
    left = threading.Event()

    def hand_over(item: Item | None, error: BaseException | None = None) -> bool:
        while not left.is_set():
            try:
                waiting.put((item, error), timeout=0.1)
                return True
            except queue.Full:
                continue
        return False

    def make() -> None:
        try:
            for item in items:
                if not hand_over(item):
                    return
            hand_over(None, StopIteration())
        except BaseException as error:
            hand_over(None, error)

    maker = threading.Thread(target=make, name="lookalike-ahead", daemon=True)
    maker.start()
    try:
        while True:
            item, error = waiting.get()
            if isinstance(error, StopIteration):
                return
            if error is not None:
                raise error
            yield item  # type: ignore[misc]
    finally:  # also when the user of the items stops early
        left.set()
        maker.join()
