"""Prepares the review of a service at the first request that needs it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread

from lookalike.flow.progress import Progress, silent
from lookalike.service.review.corpus import Corpus
from lookalike.service.review.journal import Journal
from lookalike.service.review.queue import Queue
from lookalike.service.review.review import Review


class Reviewing:
    """The review of a service, with its queue."""

    def __init__(self, open_corpus: Callable[[], Corpus], decisions: Path | None, *, read_only: bool) -> None:
        """Reads the decisions, so that a malformed file is an error before the service starts."""
        self._open, self._read_only = open_corpus, read_only
        self._journal = None if decisions is None else Journal(decisions)
        if self._journal is not None and not read_only:
            self._journal.remove_torn_line()
        self._opening = Lock()
        self._opened: tuple[Review, Queue] | None = None

    def ready(self, progress: Progress) -> tuple[Review, Queue]:
        """Returns the review, with clusters and decisions."""
        with self._opening:
            if self._opened is None:
                review = Review(self._open(), self._journal, read_only=self._read_only)
                self._opened = review, Queue(review)
        self._opened[0].prepare(progress)
        return self._opened

    def warm_up(self) -> None:
        """Starts to prepare in the background. Errors are left to the first request."""
        Thread(target=self._try, name="warming", daemon=True).start()

    def _try(self) -> None:
        with suppress(Exception):
            self.ready(silent)

    def close(self) -> None:
        with self._opening:
            if self._opened is not None:
                self._opened[0].close()
