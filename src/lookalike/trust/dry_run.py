"""A dry run, which forecasts the results, time, memory and disk of a run from its plan and data.

All texts are read and signed once, which is most of the work of a run with bands; no results are listed or written. The
buckets in a part of the key space are kept, some pairs in them are compared, and the counts are scaled up. A pair of
similarity J collides in bJʳ buckets on average, so each of its collisions counts as about 1 / bJʳ of a pair.
"""

from __future__ import annotations

import dataclasses
import time
from contextlib import closing
from itertools import islice
from operator import attrgetter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.engines.stages.arrows import KernelArrows, load_sets
from lookalike.engines.stages.first_pass import sketch
from lookalike.engines.stages.memory import Allowance
from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.arrays import Rows
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress, silent
from lookalike.flow.sketches import EMPTY, Sketches
from lookalike.io.source import Piece, Source
from lookalike.io.workers import in_order
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.planning.costs import CHECK, CUT, KEY, Costs
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import SURVEYED
from lookalike.planning.survey import survey
from lookalike.results.pairs import MOST_PAIRS
from lookalike.storage.budget import Budget
from lookalike.trust.forecast import Forecast, rounded
from lookalike.trust.key_sample import Buckets, KeySample, may_repeat
from lookalike.trust.run_costs import Needs
from lookalike.work.text_parts import packed
from lookalike.work.text_store import Kept, TextStore

COMPARED = 20_000
"""The maximum number of collisions whose similarity is computed."""

LARGE_BUCKET = 10_000
"""The forecast warns about buckets with more documents than this."""

FALSE_CANDIDATES = 20
"""The forecast warns if there are more false candidates per document than this."""

PAIR = 200
"""The time to list a pair, in nanoseconds."""

TIMED_ELEMENTS = 1_000_000
"""The minimum number of compared elements for a meaningful time measurement."""

WALK = 3
"""The time per element to compare two sets completely, in nanoseconds."""

PACKED = 1 << 18
"""The number of bytes of each batch of texts that are compressed, to estimate the size of a work folder."""


def forecast(
    plan: Plan,
    source: Source,
    *,
    threads: int,
    memory: int | str | None = None,
    parts: bool = False,
    progress: Progress | None = None,
) -> Forecast:
    """Predicts a run. Reads the source once to sign its texts, and again to compare some of them.

    `memory` is the budget of the run; an error is raised if the run would reject it. If `parts` is True, the disk space
    includes that of a work folder.
    """
    if plan.copies is not None:
        raise InvalidOption("forecast-of-copies", remove=plan.copies)
    return _DryRun(
        plan, source, threads, Allowance.of(Budget.of(memory), threads).of_source(source), parts, progress
    ).forecast()


def _by_bands(plan: Plan) -> Plan:
    """Returns a plan with bands that finds nearly all pairs of an exact join, as far as the number of hashes allows."""
    hashes = max(plan.hashes, 128)
    banded: dict[str, Any] = {"method": "lsh", "recall": min(plan.recall, 0.99), "hashes": hashes}
    try:
        return dataclasses.replace(plan, bands=None, rows=None, **banded)
    except InvalidOption:  # the threshold is too low for this number of hashes
        return dataclasses.replace(plan, bands=hashes, rows=1, **banded)


class _DryRun:
    """The state of one dry run."""

    def __init__(
        self, plan: Plan, source: Source, threads: int, allowance: Allowance, parts: bool, progress: Progress | None
    ) -> None:
        self.source, self.threads, self.allowance, self.parts = source, threads, allowance, parts
        self.progress = progress or silent
        arrows = KernelArrows(default(threads))
        statistics = survey(plan, source, source.documents(0, SURVEYED), arrows)
        self.plan = plan.resolve(statistics)
        # An exact join has no buckets to sample, so bands that would find nearly the same pairs are used.
        self.bands = _by_bands(plan).resolve(statistics) if self.plan.exact else self.plan
        self.costs = None
        if statistics.sets is not None:
            self.costs = Costs.predict(statistics.rows, statistics.sets, self.bands.bands, float(self.plan.threshold))

    def forecast(self) -> Forecast:
        with closing(TextStore(self.source, self.allowance.texts, self.threads, self.allowance.ahead)) as texts:
            return self._forecast(texts)

    def _forecast(self, texts: TextStore) -> Forecast:
        self._sign(texts)
        first, copies = self._copies()
        buckets = self.keys.buckets((first != np.arange(len(first))) | self.empty)
        similarity, weight, left, right = self._compare(buckets, texts)
        collisions = buckets.expected_collisions
        share = (weight * collisions / max(1, len(weight))) if len(weight) else weight
        true = similarity >= float(self.plan.threshold)
        candidates = float(share.sum())
        pairs = float((share * copies[left] * copies[right])[true].sum()) + float((copies * (copies - 1) // 2).sum())
        counted = round(candidates)
        walked = float((share * self.both_sizes)[similarity >= 0.5 * float(self.plan.threshold)].sum())
        members = buckets.members / max(buckets.share, self._seen(buckets, len(weight), collisions))
        members = min(len(first), max(members, buckets.largest))
        if self.plan.exact:
            members = float(np.count_nonzero((first == np.arange(len(first))) & ~self.empty))
        lanes = islice(self.source.lanes([self.source.column]), self.threads)
        readers = min(self.allowance.readers(self.source, self.threads), sum(1 for _ in lanes))
        needs = Needs(
            self.plan,
            len(first),
            self.bytes,
            self.largest,
            members,
            self._set_size(),
            pairs,
            self.threads,
            self._packed,
            reading=readers * self.source.reader_bytes,
        )
        source = self.source
        return Forecast(
            plan=self.plan,
            documents=len(first),
            empty=int(np.count_nonzero(self.empty)),
            same_words=int(np.count_nonzero(first != np.arange(len(first)))),
            bytes=self.bytes,
            candidates=None if self.plan.exact else counted,
            pairs=round(pairs),
            memory=needs.memory(self.allowance),
            disk=needs.disk(self.allowance, parts=self.parts, quick=source.cheap_to_reread, held=source.in_memory),
            seconds=self._seconds(counted, walked, pairs, members),
            warnings=tuple(self._warnings(buckets, similarity, share, pairs if needs.lists_pairs else 0)),
        )

    def _sign(self, texts: TextStore) -> None:
        """Reads and signs all texts in one pass; samples their keys, and keeps the hashes of their words.

        Texts are kept in memory as far as they fit, because some of them are compared.
        """
        self.keys = KeySample()
        words, empty = [np.zeros(0, np.uint64)], [np.zeros(0, bool)]
        self.bytes = self.largest = 0
        column = self.source.column
        packing, kernel = _Packing(), default(1)
        began = time.perf_counter()

        def sign(piece: Piece[pa.RecordBatch]) -> tuple[Documents, Sketches, Kept | None]:
            documents = Documents(piece.load().column(0))
            self.allowance.check(kernel, documents, self.bands.shingles)  # raises the same errors as the run
            kept = texts.keep(documents) if texts.memory >= documents.texts.nbytes else None  # nothing is written out
            return documents, sketch(kernel, documents, self.bands), kept

        made = in_order(
            self.source.lanes([column]),
            sign,
            self.threads,
            readers=self.allowance.readers(self.source, self.threads),
            bytes_of=attrgetter("nbytes"),
            made_bytes=lambda made: made[0].texts.nbytes,
            most=self.allowance.ahead,
            huge=self.allowance.huge,
        )
        start = 0
        with closing(made) as signed:
            for documents, sketches, kept in signed:
                texts.place(kept, start)
                here = (sketches.flags & EMPTY) != 0
                rows = np.arange(start, start + len(documents), dtype=np.int64)
                self.keys.add(np.ascontiguousarray(sketches.keys[~here]), rows[~here])
                words.append(sketches.words[:, 0])
                empty.append(here)
                self.bytes += int(sketches.sizes.sum())
                self.largest = max(self.largest, int(sketches.sizes.max(initial=0)))
                if self.parts:
                    packing.add(documents, sketches.sizes)
                start += len(documents)
                self.progress("dry run", start, self.source.total_rows())
        self.seconds = time.perf_counter() - began - packing.seconds
        self._packed = packing.share
        self.words, self.empty = np.concatenate(words), np.concatenate(empty)

    def _copies(self) -> tuple[Rows, Rows]:
        """Returns, for each row, the first row with the same text, and the number of copies of the row's text.

        The number includes the row itself. It is 0 for empty texts and for later copies.
        """
        first = np.arange(len(self.words), dtype=np.int64)
        filled = np.flatnonzero(~self.empty)
        filled = filled[may_repeat(self.words[filled])]
        _, where, group = np.unique(self.words[filled], return_index=True, return_inverse=True)
        first[filled] = filled[where[group]]
        return first, np.bincount(first, minlength=len(first)) * ~self.empty

    def _compare(
        self, buckets: Buckets, texts: TextStore
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], Rows, Rows]:
        """Compares sampled collisions.

        Returns their similarities, the number of pairs that each represents, and their rows.
        """
        left, right = buckets.sample_collisions(COMPARED, self.plan.plan.seed)
        rows = distinct(np.concatenate([left, right]))
        self.progress("compare a sample", 0, None)
        kernel = default(self.threads)
        sets = load_sets(kernel, self.plan, texts, rows)
        a, b = np.searchsorted(rows, left), np.searchsorted(rows, right)
        began = time.perf_counter()
        shared = kernel.intersections(sets, a, b)
        compared = time.perf_counter() - began
        self.elements, self.both_sizes = float(sets.sizes.mean()) if len(rows) else 0.0, sets.sizes[a] + sets.sizes[b]
        usual = WALK * 1e-9 * max(TIMED_ELEMENTS, int(self.both_sizes.sum())) / self.threads
        self.slowness = max(1.0, compared / usual)
        similarity = shared / np.maximum(1, sets.sizes[a] + sets.sizes[b] - shared)
        banding = self.bands.banding
        expected = banding.bands * similarity**banding.rows
        values, place = np.unique(similarity, return_inverse=True)  # many pairs have the same
        found = np.array([banding.collision_probability(s) for s in values.tolist()], np.float64)[place]
        # A pair that collided although that was very unlikely counts once, not as a thousand pairs.
        return similarity, np.where(expected > 0, found / np.maximum(expected, 1e-300), 1.0), left, right

    def _seen(self, buckets: Buckets, compared: int, collisions: float) -> float:
        """Estimates which share of the documents with a candidate have one in the sampled buckets."""
        if buckets.share == 1 or not compared:
            return 1.0
        several = max(1.0, collisions / max(1.0, buckets.members / buckets.share))
        return float(1 - (1 - buckets.share) ** min(several, self.bands.bands))

    def _set_size(self) -> float:
        """Returns the average size of the sets that would be compared. With bands, these are sets with a candidate."""
        return self.costs.elements if self.plan.exact and self.costs is not None else self.elements

    def _seconds(self, candidates: float, walked: float, pairs: float, members: float) -> float:
        """Estimates the time of the run: the measured time of signing, plus an estimate for the other stages.

        The estimate uses constants, scaled by the measured speed of comparisons on this machine. The elements of
        candidates below half the threshold are ignored, because such comparisons usually end early.
        """
        listed = pairs * PAIR if self.plan.exact or self.plan.plan.goal == "pairs" else 0
        if self.plan.exact and self.costs is not None:
            work = self.costs.exact + listed
        else:
            signed = len(self.words) * self.bands.bands * KEY
            work = signed + members * self._set_size() * CUT + candidates * CHECK + walked * WALK + listed
        return self.seconds + work * 1e-9 / self.threads * self.slowness

    def _warnings(self, buckets: Buckets, similarity: Any, share: Any, listed: float) -> list[Notice]:
        found, threshold = [], float(self.plan.threshold)
        most = self.allowance.pairs()
        if listed > most:
            code = "forecast-pairs-exceed-memory" if most < MOST_PAIRS else "forecast-too-many-pairs"
            found.append(Notice(code, pairs=rounded(listed), most=most))
        large = buckets.larger_than(LARGE_BUCKET)
        if large:
            largest = rounded(buckets.largest)
            found.append(Notice("forecast-large-buckets", buckets=large, size=LARGE_BUCKET, largest=largest))
        documents = max(1, len(self.words) - int(np.count_nonzero(self.empty)))
        false = float(share[similarity < 0.9 * threshold].sum())
        if false > FALSE_CANDIDATES * documents and not self.plan.exact:
            each = false / documents
            found.append(Notice("forecast-false-candidates", each=each, shingles=str(self.plan.shingles)))
        true, near = (
            float(share[similarity >= threshold].sum()),
            float(share[(similarity >= threshold) & (similarity < threshold + (1 - threshold) / 4)].sum()),
        )
        below = float(share[(similarity < threshold) & (similarity >= threshold - (1 - threshold) / 4)].sum())
        chains = self.plan.plan.linkage != "star"  # a star has no chains
        if chains and true > documents and near > true / 2 and below > near:
            found.append(Notice("forecast-chaining", threshold=str(self.plan.threshold)))
        return found


class _Packing:
    """Estimates how well texts can be compressed in a work folder, from the first texts of every batch."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._before = self._after = 0

    def add(self, documents: Documents, sizes: Rows) -> None:
        began = time.perf_counter()
        some = max(1, int(np.searchsorted(np.cumsum(sizes), PACKED)))
        self._before += int(sizes[:some].sum())
        self._after += packed(documents.texts[:some]).nbytes
        self.seconds += time.perf_counter() - began

    @property
    def share(self) -> float:
        return self._after / max(1, self._before)
