"""Prepares the review of a service at the first request that needs it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from threading import Lock

from lookalike.flow.progress import Progress
from lookalike.service.review.corpus import Corpus
from lookalike.service.review.queue import Queue
from lookalike.service.review.review import Review


class Reviewing:
    """The review of a service, with its queue."""

    def __init__(self, open_corpus: Callable[[], Corpus], decisions: Path | None, *, read_only: bool) -> None:
        self._open, self._decisions, self._read_only = open_corpus, decisions, read_only
        self._opening = Lock()
        self._opened: tuple[Review, Queue] | None = None

    def ready(self, progress: Progress) -> tuple[Review, Queue]:
        """Returns the review, with clusters and decisions."""
        with self._opening:
            if self._opened is None:
                review = Review(self._open(), self._decisions, read_only=self._read_only)
                self._opened = review, Queue(review)
        self._opened[0].prepare(progress)
        return self._opened

    def close(self) -> None:
        with self._opening:
            if self._opened is not None:
                self._opened[0].close()
