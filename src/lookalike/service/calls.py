"""Carries out calls of requests in threads: queries side by side, changes one after another, each within its time.

A call that has not started is dropped if its time is over or its client has gone. One that has started is asked to stop
through its progress function. A change is all or nothing, and its answer waits until one of both is certain.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Any, TypeVar

from lookalike.errors import ServiceError
from lookalike.flow.progress import Progress
from lookalike.index.index import Index
from lookalike.service.handles import Handles
from lookalike.service.limits import Limits

Found = TypeVar("Found")
Answer = Callable[[Index, Progress], Found]
"""What a call does with the index. It has to call the progress function now and then."""

Gone = Callable[[], Awaitable[None]]
"""Returns when the client has closed the connection."""


REVIEWERS = 3
"""The number of threads for views of the review."""


class Calls:
    """The calls of a service."""

    def __init__(self, handles: Handles, limits: Limits) -> None:
        self.handles, self.limits = handles, limits
        self.in_progress = 0
        self.closing = False
        self._reading = ThreadPoolExecutor(handles.readers, "reading")
        self._writing = ThreadPoolExecutor(1, "writing")
        self._surveying = ThreadPoolExecutor(1, "surveying")
        self._reviewing = ThreadPoolExecutor(REVIEWERS, "reviewing")
        self._deciding = ThreadPoolExecutor(1, "deciding")

    async def read(self, answer: Answer[Found], gone: Gone) -> Found:
        """Carries out a call that changes nothing."""

        def with_reader(progress: Progress) -> Found:
            with self.handles.reader() as index:
                return answer(index, progress)

        return await self._carry_out(self._reading, with_reader, gone, wait=False)

    async def write(self, answer: Answer[Found], gone: Gone) -> Found:
        """Carries out a change, after those that came before it."""
        writer = self.handles.writer
        return await self._carry_out(self._writing, lambda progress: answer(writer, progress), gone, wait=True)

    async def survey(self, answer: Answer[Found], gone: Gone) -> Found:
        """Carries out a call about all documents, which takes longer than a query, in a thread of its own."""
        surveyor = self.handles.surveyor
        return await self._carry_out(self._surveying, lambda progress: answer(surveyor, progress), gone, wait=False)

    async def review(self, answer: Callable[[Progress], Found], gone: Gone) -> Found:
        """Carries out a call about the review that decides nothing."""
        return await self._carry_out(self._reviewing, answer, gone, wait=False)

    async def examine(self, answer: Callable[[Progress], Found], gone: Gone) -> Found:
        """Carries out a call about all documents under review, in the thread for such calls."""
        return await self._carry_out(self._surveying, answer, gone, wait=False)

    async def decide(self, answer: Callable[[Progress], Found], gone: Gone) -> Found:
        """Carries out a decision, after those that came before it."""
        return await self._carry_out(self._deciding, answer, gone, wait=True)

    async def _carry_out(self, pool: Executor, answer: Callable[[Progress], Found], gone: Gone, *, wait: bool) -> Found:
        if self.closing:
            raise ServiceError("shutting-down")
        if self.in_progress >= self.limits.concurrency:
            raise ServiceError("service-busy", seconds=1)
        self.in_progress += 1
        stop = _Stop()
        job = pool.submit(answer, stop.check)
        running = asyncio.wrap_future(job)
        running.add_done_callback(self._finished)
        leaving = asyncio.ensure_future(gone())
        either: set[asyncio.Future[Any]] = {running, leaving}
        try:
            await asyncio.wait(either, timeout=self.limits.timeout, return_when=asyncio.FIRST_COMPLETED)
            if not running.done():
                code = "request-abandoned" if leaving.done() else "request-timed-out"
                values = {} if leaving.done() else {"seconds": self.limits.timeout}
                stop.error = ServiceError(code, **values)
                if job.cancel() or not wait:  # it has not started, or changes nothing
                    raise stop.error
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            stop.error = ServiceError("shutting-down")
            job.cancel()
            raise
        finally:
            leaving.cancel()

    def _finished(self, running: asyncio.Future[Found]) -> None:
        self.in_progress -= 1
        if not running.cancelled():
            running.exception()  # an error of a call for which nobody waits is not reported again

    def close(self) -> None:
        """Waits for the calls in progress."""
        self.closing = True
        for pool in (self._writing, self._deciding, self._reading, self._surveying, self._reviewing):
            pool.shutdown(wait=True, cancel_futures=True)


class _Stop:
    """A progress function that raises an error if the call has to stop."""

    error: ServiceError | None = None

    def check(self, stage: str, done: int, total: int | None) -> None:
        if self.error is not None:
            raise self.error
