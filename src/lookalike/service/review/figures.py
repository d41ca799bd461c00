"""Figures of clusters: how similar their least similar pair is, and which share of their pairs reaches the threshold.

They are computed once, in a thread of their own. `member_pairs.py` chooses the pairs, which are compared exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from threading import Event, Thread

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lookalike.errors import LookalikeError
from lookalike.flow.arrays import Mask, Rows, take
from lookalike.service import log
from lookalike.service.member_pairs import SAMPLED, compared_members, pairs_within
from lookalike.service.review.corpus import Corpus, Known, Similarities, in_words
from lookalike.service.review.groups import Groups

PAIRS_AT_ONCE = 4_000_000

EXCERPT = 200
"""The maximum number of characters of an excerpt."""

BINS = 50
"""The number of bins of a histogram of similarities."""

REASONS = LEAST_SIMILAR, SPARSE, LARGE = "least-similar", "sparse", "large"

SPARSE_BELOW = 0.8
"""A cluster is sparse if fewer of its pairs reach the threshold."""

LARGE_FROM = 10
"""A cluster of fewer members is not large, whatever the others are."""


class Figures:
    """The figures of the clusters, as far as they are known."""

    def __init__(self, groups: Groups, known: Known, threshold: float | None) -> None:
        self.groups, self.threshold = groups, threshold
        self.least, self.density = known.least.copy(), known.density.copy()
        self.is_known: Mask = np.zeros(len(groups), bool)
        """The clusters whose pairs have been compared."""
        self.counts = np.zeros(BINS, np.int64)
        """The histogram of all compared pairs."""
        self.ones = 0
        self.done = 0
        self.is_complete = not len(groups)
        self.excerpts: dict[int, str] = {}
        """Excerpts of documents, by row."""
        self.reclaimable: int | None = None
        """The bytes of all members but the survivor of each cluster; None if the texts have not been read."""
        self._beginnings: tuple[Rows, pa.Array] | None = None
        """The survivors, ascending, and the beginnings of their texts."""
        sizes = groups.sizes
        usual = float(np.quantile(sizes, 0.99)) if len(sizes) else 0.0
        self.large_from = max(LARGE_FROM, usual)

    @property
    def version(self) -> int:
        """A number that changes with the order of the clusters: 0 before all are known, and 1 afterwards."""
        return int(self.is_complete)

    @property
    def sampled(self) -> Mask:
        return self.groups.sizes > SAMPLED

    def excerpt(self, row: int) -> str | None:
        """Returns the beginning of a text, if it is known."""
        if (found := self.excerpts.get(row)) is not None:
            return found
        if self._beginnings is not None:
            rows, texts = self._beginnings
            at = int(np.searchsorted(rows, row))
            if at < len(rows) and rows[at] == row:
                return str(texts[at].as_py())
        return None

    def beginnings(self) -> pa.Array | None:
        """Returns the beginnings of the texts of the survivors of all clusters; None if they are not known yet."""
        if self._beginnings is None:
            return None
        rows, texts = self._beginnings
        return take(texts, np.searchsorted(rows, self.groups.survivors))

    def reasons(self, place: int) -> list[str]:
        """Returns why a cluster is suspicious."""
        found = []
        least, density = self.least[place], self.density[place]
        if self.threshold is not None and least < self.threshold:
            found.append(LEAST_SIMILAR)
        if density < SPARSE_BELOW:
            found.append(SPARSE)
        if self.groups.starts[place + 1] - self.groups.starts[place] >= self.large_from:
            found.append(LARGE)
        return found

    def suspicion(self) -> Similarities:
        """Returns a number per cluster: how far its least pair is below the threshold, plus the share of its pairs that
        do not reach it, plus a half if it is unusually large. What is not known counts as 0."""
        threshold = self.threshold or 1.0
        gap = np.nan_to_num(np.clip((threshold - self.least) / threshold, 0, 1))
        sparse = np.nan_to_num(1 - self.density)
        return np.asarray(gap + sparse + 0.5 * (self.groups.sizes >= self.large_from), np.float64)

    def read_beginnings(self, corpus: Corpus, stop: Event) -> None:
        """Reads all members in one pass: the beginnings of the texts of survivors, and the size of the others."""
        groups = self.groups
        rows, survivors = np.sort(groups.rows), np.unique(groups.survivors)
        parts: list[pa.Array] = []
        size = count = 0
        for here, texts in corpus.blocks(rows):
            if stop.is_set():
                return
            at = np.searchsorted(survivors, here)
            is_survivor = survivors[np.minimum(at, len(survivors) - 1)] == here
            parts.append(beginnings_of(texts.filter(pa.array(is_survivor))))
            size += int(np.sum(sizes_of(texts)[~is_survivor]))
            count += len(here)
        if count == len(rows):  # otherwise, documents have been deleted meanwhile
            beginnings = pa.concat_arrays(parts) if parts else pa.array([], pa.large_string())
            self._beginnings, self.reclaimable = (survivors, beginnings), size

    def measure(self, corpus: Corpus, stop: Event) -> None:
        """Compares the pairs of all clusters."""
        place = 0
        while place < len(self.groups) and not stop.is_set():
            place = self._measure_some(corpus, place)
            self.done = place
        self.is_complete = place >= len(self.groups)

    def _measure_some(self, corpus: Corpus, first: int) -> int:
        """Compares the pairs of some clusters, from `first` on. Returns the place of the next cluster."""
        groups = self.groups
        sizes = np.minimum(groups.sizes[first : first + corpus.at_once], SAMPLED)
        pairs = sizes * (sizes - 1) // 2
        is_enough = (np.cumsum(sizes) >= corpus.at_once) | (np.cumsum(pairs) >= PAIRS_AT_ONCE)
        count = int(np.argmax(is_enough)) + 1 if is_enough.any() else len(sizes)
        sizes, pairs, place = sizes[:count], pairs[:count], first + count
        bounds = groups.starts[first : place + 1].tolist()
        members = np.concatenate([compared_members(*some) for some in pairwise(bounds)])
        found = corpus.compared(groups.rows[members], *pairs_within(sizes.tolist()))
        firsts = np.cumsum(pairs) - pairs
        here = slice(first, place)
        self.least[here] = np.minimum.reduceat(found, firsts)
        if self.threshold is not None:
            reached = np.add.reduceat((found >= self.threshold - 1e-12).astype(np.int64), firsts)
            self.density[here] = reached / pairs
        self.is_known[here] = True
        self.counts += histogram(found)
        self.ones += int(np.count_nonzero(found >= 1))
        return place


def histogram(values: Similarities, bins: int = BINS) -> Rows:
    """Counts values from 0 to 1 in bins of the same width."""
    return np.bincount(np.minimum((values * bins).astype(np.int64), bins - 1), minlength=bins).astype(np.int64)


def beginnings_of(texts: pa.Array) -> pa.Array:
    """Returns the first characters of texts, or of tokens separated by spaces."""
    if pa.types.is_large_string(texts.type) or pa.types.is_string(texts.type):
        return pc.utf8_slice_codeunits(texts, 0, EXCERPT).cast(pa.large_string())
    return pa.array([in_words(text)[:EXCERPT] for text in texts.to_pylist()], pa.large_string())


def sizes_of(texts: pa.Array) -> Rows:
    """Returns the size of each text in bytes of UTF-8, or of all tokens of each list."""
    if pa.types.is_large_string(texts.type) or pa.types.is_string(texts.type):
        return np.asarray(pc.fill_null(pc.binary_length(texts), 0).to_numpy(zero_copy_only=False), np.int64)
    return np.array([sum(len((token or "").encode()) for token in text or ()) for text in texts.to_pylist()], np.int64)


class Figuring:
    """Computes figures in a thread."""

    def __init__(self, figures: Figures, corpus: Corpus, before: Callable[[Event], None]) -> None:
        """Starts the thread. `before` is called first, in the thread."""
        self._stop = Event()
        self._figures, self._corpus, self._before = figures, corpus, before
        self._thread = Thread(target=self._run, name="figures", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            if self._corpus.missing is None and self._corpus.plan is not None:
                self._figures.read_beginnings(self._corpus, self._stop)
                self._before(self._stop)
            if self._corpus.missing is None and self._corpus.plan is not None:
                self._figures.measure(self._corpus, self._stop)
        except LookalikeError as error:
            log.log_failure(error, "figures")
            self._corpus.failed(error)
        except Exception as error:
            log.log_failure(error, "figures")
        finally:
            self._figures.is_complete = not self._stop.is_set()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()
