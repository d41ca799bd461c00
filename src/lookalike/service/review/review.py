"""Review: a corpus, its clusters, their figures, and the decisions about them. All requests share one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Event, RLock
from typing import Any

import numpy as np

from lookalike.choosing.decision_lines import Document, Line
from lookalike.choosing.decisions import document_hash
from lookalike.errors import InvalidOption, MalformedInput, ServiceError
from lookalike.flow.arrays import Rows
from lookalike.flow.progress import Progress
from lookalike.service import log
from lookalike.service.review.corpus import NOTHING, Corpus, in_words, readable
from lookalike.service.review.figures import EXCERPT, Figures, Figuring
from lookalike.service.review.groups import Groups
from lookalike.service.review.journal import Journal
from lookalike.service.review.marks import Marks
from lookalike.service.review.result_corpus import ResultCorpus

REMEMBERED = 200_000
"""The maximum number of documents whose hashes and excerpts are kept in memory."""

LISTED = 100
"""The maximum number of stale or missing decisions that are listed."""


class Review:
    """What is under review. Its methods can be called by several threads."""

    def __init__(self, corpus: Corpus, journal: Journal | None, *, read_only: bool = False) -> None:
        """`journal` has the decisions; None if there is no place for them."""
        self.corpus, self.read_only = corpus, read_only
        self.guard = RLock()
        self.journal = journal
        self.generation = 0
        """A number that changes when the clusters are computed again."""
        self._figuring: Figuring | None = None
        self._prepared: tuple[Groups, Figures, Marks] | None = None
        self.known = NOTHING
        """What was known about the clusters before texts were read."""
        self.rows_of_line: dict[int, Rows] = {}
        """The rows that each line of the journal applies to."""
        self.stale: list[tuple[str, str]] = []
        """The decisions that are not applied because their document has changed: id and decision."""
        self.unknown: list[tuple[str, str]] = []
        """The decisions whose document does not exist."""
        self.lengths: Rows = np.zeros(0, np.int64)
        """The length of each member of a cluster, if they have been measured."""
        self.sample: tuple[Rows, int] | None = None
        """The histogram of the similarities of a sample of documents, and the size of the sample."""
        self._hashes: dict[int, str] = {}
        self._closed = False

    # Preparation

    def prepare(self, progress: Progress) -> None:
        """Computes the clusters and applies the decisions, unless that has been done. Starts to compute the figures."""
        with self.guard:
            if self._prepared is None:
                self._prepare(progress)
            elif self.journal is not None and self._refreshed(self.journal):
                self._apply_all(progress)

    def _refreshed(self, journal: Journal) -> bool:
        """Returns whether another program has written decisions. If they are malformed, the error names no file."""
        try:
            return journal.refresh()
        except MalformedInput as error:
            log.log_failure(error, "decisions")
            raise ServiceError("decisions-not-readable") from None

    def refresh(self, progress: Progress) -> None:
        """Computes the clusters again."""
        with self.guard:
            if self._figuring is not None:
                self._figuring.stop()
            self._prepared = None
            self._hashes.clear()
            self.lengths, self.sample = np.zeros(0, np.int64), None
            self.generation += 1
            self._prepare(progress)

    def _prepare(self, progress: Progress) -> None:
        groups = self.corpus.groups(progress)
        plan = self.corpus.plan
        self.known = self.corpus.known(groups)
        figures = Figures(groups, self.known, None if plan is None else float(plan.threshold))
        self._prepared = groups, figures, Marks(groups)
        self._apply_all(progress)
        if not self._closed:
            self._figuring = Figuring(figures, self.corpus, self._check_input)

    def _check_input(self, stop: Event) -> None:
        """Compares the input with that of the result. It is called in the thread of the figures."""

        def progress(stage: str, done: int, total: int | None) -> None:
            if stop.is_set():
                raise ServiceError("shutting-down")

        if isinstance(self.corpus, ResultCorpus):
            self.corpus.check(progress)

    def _apply_all(self, progress: Progress) -> None:
        """Finds the rows of all decisions, and computes the states of the clusters."""
        if self.journal is None:
            return
        groups, figures, _ = self._ready()
        marks = Marks(groups)
        self.rows_of_line.clear()
        self.stale, self.unknown = self.apply(self.journal.lines, progress)
        marks.add(self.journal.lines, self.rows_of_line, self.journal.gone)
        self._prepared = groups, figures, marks

    def apply(self, lines: Sequence[Line], progress: Progress) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
        """Finds the rows of the documents of lines. Returns what is stale and what is unknown, of lines in force."""
        documents = [*{document: None for line in lines for document in line.documents}]
        by_id = self.corpus.rows_of(documents)
        wanted = np.unique(np.array([row for rows in by_id.values() for row in rows], np.int64))
        hashes = self.hashes(wanted, progress) if self.corpus.missing is None else None
        stale, unknown = list[tuple[str, str]](), list[tuple[str, str]]()
        gone = set() if self.journal is None else self.journal.gone
        for line in lines:
            rows: list[int] = []
            for document in line.documents:
                same = _same(document, by_id.get(document.id, []), hashes)
                rows += same
                if not same and line.number not in gone and line.kind not in ("undo", "skip"):
                    (stale if document.id in by_id else unknown).append((document.id, line.kind))
            self.rows_of_line[line.number] = np.array(rows, np.int64)
        return stale, unknown

    def _ready(self) -> tuple[Groups, Figures, Marks]:
        assert self._prepared is not None, "prepare() comes first"
        return self._prepared

    @property
    def groups(self) -> Groups:
        return self._ready()[0]

    @property
    def figures(self) -> Figures:
        return self._ready()[1]

    @property
    def marks(self) -> Marks:
        return self._ready()[2]

    # Documents

    def place(self, key: str) -> int:
        """Returns the place of the cluster with this key."""
        place = self.groups.place_of_key(key)
        if place is None:
            raise InvalidOption("no-such-cluster", key=key)
        return place

    def texts(self, rows: Rows) -> dict[int, Any]:
        """Returns texts by row, and remembers their hashes and excerpts."""
        texts = self.corpus.texts(rows)
        with self.guard:
            if len(self._hashes) > REMEMBERED:
                self._hashes.clear()
                self.figures.excerpts.clear()
            for row, text in texts.items():
                self._hashes[row] = document_hash(text)
                self.figures.excerpts[row] = in_words(text)[:EXCERPT]
        return texts

    def hashes(self, rows: Rows, progress: Progress) -> dict[int, str]:
        """Returns the hash of the bytes of each document, by row. Texts are not kept."""
        found = {row: self._hashes[row] for row in rows.tolist() if row in self._hashes}
        rest = np.array([row for row in rows.tolist() if row not in found], np.int64)
        if 0 < len(rest) <= 1000:
            self.texts(rest)
            found |= {row: self._hashes[row] for row in rest.tolist()}
        elif len(rest):
            for some, texts in self.corpus.blocks(np.unique(rest)):
                found |= {row: document_hash(text) for row, text in zip(some.tolist(), texts.to_pylist(), strict=True)}
                progress("hash documents", len(found), len(rows))
        return found

    def named(self, rows: Iterable[int], progress: Progress) -> list[dict[str, Any]]:
        """Returns documents as decisions name them."""
        readable(self.corpus)
        ordered = np.array([*rows], np.int64)
        hashes = self.hashes(np.unique(ordered), progress)
        if gone := [row for row in ordered.tolist() if row not in hashes]:
            raise InvalidOption("no-such-document-row", row=gone[0])
        ids = self.corpus.ids(ordered)
        return [{"id": id, "bytes": hashes[row]} for id, row in zip(ids, ordered.tolist(), strict=True)]

    # Decisions

    @property
    def journal_for_writing(self) -> Journal:
        """The journal. Raises ServiceError if no decisions can be made."""
        if self.read_only:
            raise ServiceError("read-only")
        if self.journal is None:
            raise ServiceError("no-decisions-file")
        readable(self.corpus)
        return self.journal

    def write(self, entries: Sequence[tuple[dict[str, Any], Sequence[int]]], **more: Any) -> tuple[str, set[int]]:
        """Writes one step: entries with the rows of their documents. Returns its name and the changed places."""
        lines = self.journal_for_writing.write([entry for entry, _ in entries], **more)
        for line, (_, rows) in zip(lines, entries, strict=True):
            self.rows_of_line[line.number] = np.array([*rows], np.int64)
        return lines[0].step, self.marks.add(lines, self.rows_of_line, self.journal_for_writing.gone)

    def withdraw(self, step: str, **more: Any) -> tuple[str, set[int]]:
        """Writes the withdrawal of a step. Returns the name of the withdrawal and the changed places."""
        journal = self.journal_for_writing
        before = set(journal.gone)
        lines = journal.write([{"decision": "undo", "steps": [step]}], **more)
        changed = before ^ journal.gone
        places = self.marks.places_of_lines(self.rows_of_line, changed)
        self.marks.settle(places, journal.gone)
        return lines[0].step, places

    def close(self) -> None:
        with self.guard:
            self._closed = True
            figuring = self._figuring
        if figuring is not None:
            figuring.stop()
        self.corpus.close()


def _same(document: Document, rows: Sequence[int], hashes: Mapping[int, str] | None) -> list[int]:
    """Returns the rows with the bytes of a document; all rows with its id if the texts cannot be read."""
    return [row for row in rows if hashes is None or hashes.get(row) == document.bytes]
