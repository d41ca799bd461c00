"""A dry run: plan and data → what a run would find, and what it would take, before it is made.

All texts are read and signed once, which is most of the work of a run by bands; nothing is listed, held or written.
Buckets of a share of the key space are kept whole, and some of the pairs in them are compared: what holds for these
holds for all. A pair of similarity J shares bJʳ buckets on average, so one of its meetings stands for 1 / bJʳ of it.
"""

from __future__ import annotations

import dataclasses
import textwrap
import time
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lookalike.engines.stages.arrows import KernelArrows, load_sets
from lookalike.engines.stages.memory import Room
from lookalike.errors import InvalidOption
from lookalike.flow import Documents
from lookalike.flow.arrays import Rows
from lookalike.flow.byte_sizes import in_words
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress, silent
from lookalike.flow.sketches import EMPTY
from lookalike.io.parallel_batches import batches
from lookalike.io.source import Source
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.notices.naming import Naming
from lookalike.planning.costs import CHECK, CUT, KEY, Costs
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import SURVEYED, ResolvedPlan
from lookalike.planning.survey import survey
from lookalike.results import Summary
from lookalike.results.pairs import MOST_PAIRS
from lookalike.storage.budget import Budget
from lookalike.trust.key_sample import Buckets, KeySample
from lookalike.trust.run_costs import Needs
from lookalike.work.text_parts import packed

COMPARED = 20_000
"""Meetings whose similarity is computed."""

HOT = 10_000
"""A bucket of more documents is named."""

VAIN = 20
"""Candidates in vain, a document, of which there is a warning."""

PAIR = 200
"""Nanoseconds to list a pair."""

SOME = 1_000_000
"""Elements to be walked along before the time that took says anything."""

WALK = 3
"""Nanoseconds an element of two sets that are compared to the end."""

PACKED = 1 << 18
"""Bytes of text of every batch that are compressed as a work folder would: compression looks no further back."""


@dataclass(frozen=True)
class Forecast:
    """What a run is expected to find and to take. Counts of documents are exact; the rest is estimated."""

    plan: ResolvedPlan
    documents: int
    empty: int
    exact_copies: int
    bytes: int
    """Of text."""
    candidates: int | None
    """Pairs that bands would propose, between texts that are no copies; None for an exact join, which has none."""
    pairs: int
    """Similar pairs, those among copies included."""
    memory: int
    """Bytes at the peak."""
    disk: int
    """Bytes of temporary files."""
    seconds: float
    warnings: tuple[Notice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """As plain values, for JSON; the plan as TOML, warnings as sentences."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return values | {"plan": self.plan.to_toml(), "warnings": [str(warning) for warning in self.warnings]}

    def beside(self, summary: Summary) -> list[tuple[str, str, str]]:
        """What was expected and what came, in words, line by line; what a run does not count is left out."""
        candidates = "none" if self.candidates is None else f"about {_round(self.candidates):,}"
        lines = [("exact copies", f"{self.exact_copies:,}", f"{summary.exact_copies:,}")]
        if summary.candidates is not None:
            lines.append(("candidates", candidates, f"{summary.candidates:,}"))
        if summary.pairs is not None:
            lines.append(("similar pairs", f"about {_round(self.pairs):,}", f"{summary.pairs:,}"))
        if summary.disk or summary.spilled:
            lines.append(("disk", f"about {in_words(self.disk)}", in_words(summary.disk or summary.spilled)))
        return [*lines, ("time", f"about {_duration(self.seconds)}", _duration(summary.total_seconds))]

    def __str__(self) -> str:
        return self.text()

    def text(self, naming: Naming | None = None) -> str:
        """In words, line by line; the options in its warnings are named for one kind of reader (default: Python)."""
        counts = f"{self.documents:,}, of which {self.exact_copies:,} exact copies and {self.empty:,} empty"
        lines = [
            ("documents", counts),
            ("candidates", "none: an exact join" if self.candidates is None else f"about {_round(self.candidates):,}"),
            ("pairs", f"about {_round(self.pairs):,}"),
            ("memory", f"about {in_words(self.memory)} at the peak"),
            ("disk", f"about {in_words(self.disk)} of temporary files" if self.disk else "no temporary files"),
            ("time", f"about {_duration(self.seconds)} on this machine"),
        ]
        said = "".join(f"{name:<11}{words}\n" for name, words in lines)
        return said + "".join(f"{_wrapped('warning', warning.render(naming))}\n" for warning in self.warnings)


def forecast(
    plan: Plan,
    source: Source,
    *,
    threads: int,
    memory: int | str | None = None,
    parts: bool = False,
    progress: Progress | None = None,
) -> Forecast:
    """Reads the source to sign it, and again for texts that are compared.

    `memory` is the budget that the run would have, and is refused where the run would refuse it; `parts` are what
    `work` would keep.
    """
    return _DryRun(plan, source, threads, Room.of(Budget.of(memory)), parts, progress).forecast()


def _by_bands(plan: Plan) -> Plan:
    """The bands that would find what an exact join finds, or as much of it as hashes can."""
    hashes = max(plan.hashes, 128)
    banded: dict[str, Any] = {"method": "lsh", "recall": min(plan.recall, 0.99), "hashes": hashes}
    try:
        return dataclasses.replace(plan, bands=None, rows=None, **banded)
    except InvalidOption:  # so low a threshold takes more hashes than there are
        return dataclasses.replace(plan, bands=hashes, rows=1, **banded)


class _DryRun:
    """One dry run: what it has seen so far, and what follows from it."""

    def __init__(
        self, plan: Plan, source: Source, threads: int, room: Room, parts: bool, progress: Progress | None
    ) -> None:
        self.source, self.threads, self.room, self.parts = source, threads, room, parts
        self.progress = progress or silent
        arrows = KernelArrows(default(threads))
        statistics = survey(plan, source, source.documents(0, SURVEYED), arrows)
        self.plan = plan.resolve(statistics)
        # An exact join has no buckets to sample; those of the bands it is taken instead of show its pairs as well.
        self.bands = _by_bands(plan).resolve(statistics) if self.plan.exact else self.plan
        self.costs = None
        if statistics.sets is not None:
            self.costs = Costs.predict(statistics.rows, statistics.sets, self.bands.banding)

    def forecast(self) -> Forecast:
        self._sign()
        first, copies = self._copies()
        buckets = self.keys.buckets((first != np.arange(len(first))) | self.empty)
        similarity, weight, left, right = self._compare(buckets)
        meetings = buckets.all_meetings
        share = (weight * meetings / max(1, len(weight))) if len(weight) else weight
        true = similarity >= float(self.plan.threshold)
        candidates = float(share.sum())
        pairs = float((share * copies[left] * copies[right])[true].sum()) + float((copies * (copies - 1) // 2).sum())
        counted = round(candidates)
        walked = float((share * self.both_sizes)[similarity >= 0.5 * float(self.plan.threshold)].sum())
        members = buckets.members / max(buckets.share, self._seen(buckets, len(weight), meetings))
        members = min(len(first), max(members, buckets.largest))
        if self.plan.exact:
            members = float(np.count_nonzero((first == np.arange(len(first))) & ~self.empty))
        needs = Needs(self.plan, len(first), self.bytes, members, self._set_size(), pairs, self.threads, self._packed)
        source = self.source
        return Forecast(
            plan=self.plan,
            documents=len(first),
            empty=int(np.count_nonzero(self.empty)),
            exact_copies=int(np.count_nonzero(first != np.arange(len(first)))),
            bytes=self.bytes,
            candidates=None if self.plan.exact else counted,
            pairs=round(pairs),
            memory=needs.memory(self.room),
            disk=needs.disk(self.room, parts=self.parts, quick=source.quick, held=source.held),
            seconds=self._seconds(counted, walked, pairs, members),
            warnings=tuple(self._warnings(buckets, similarity, share, pairs if needs.lists_pairs else 0)),
        )

    def _sign(self) -> None:
        """One pass over all texts: keys go into the sample, fingerprints stay."""
        p, self.keys = self.bands.plan, KeySample()
        fingerprints, empty, self.bytes = [np.zeros(0, np.uint64)], [np.zeros(0, bool)], 0
        column = self.source.column
        packing, kernel = _Packing(), default(self.threads)
        began = time.perf_counter()
        with closing(batches(self.source, [column], threads=self.threads)) as read:
            for batch in read:
                documents = Documents(batch.data.column(column), batch.start)
                self.room.check(kernel, documents.texts, self.bands.shingles)  # as the run would
                sketches = kernel.sketch(
                    documents,
                    self.bands.shingles,
                    sketch=p.sketch,
                    hashes=p.hashes,
                    seed=p.seed,
                    banding=self.bands.banding,
                )
                here = (sketches.flags & EMPTY) != 0
                rows = np.arange(batch.start, batch.start + len(batch), dtype=np.int64)
                self.keys.add(np.ascontiguousarray(sketches.keys[~here]), rows[~here])
                fingerprints.append(sketches.fingerprints[:, 0])
                empty.append(here)
                self.bytes += int(sketches.sizes.sum())
                if self.parts:
                    packing.add(documents, sketches.sizes)
                self.progress("dry run", batch.start + len(batch), self.source.total_rows())
        self.seconds = time.perf_counter() - began - packing.seconds
        self._packed = packing.share
        self.fingerprints, self.empty = np.concatenate(fingerprints), np.concatenate(empty)

    def _copies(self) -> tuple[Rows, Rows]:
        """The first copy of each row, and how many copies a first one has, itself included; empty texts have none."""
        first = np.arange(len(self.fingerprints), dtype=np.int64)
        filled = np.flatnonzero(~self.empty)
        _, where, group = np.unique(self.fingerprints[filled], return_index=True, return_inverse=True)
        first[filled] = filled[where[group]]
        return first, np.bincount(first, minlength=len(first)) * ~self.empty

    def _compare(self, buckets: Buckets) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], Rows, Rows]:
        """Some meetings: their similarities, and for how much of a pair each stands."""
        left, right = buckets.some_meetings(COMPARED, self.plan.plan.seed)
        rows = distinct(np.concatenate([left, right]))
        self.progress("compare a sample", 0, None)
        kernel = default(self.threads)
        sets = load_sets(kernel, self.plan, self.source, rows)
        a, b = np.searchsorted(rows, left), np.searchsorted(rows, right)
        began = time.perf_counter()
        shared = kernel.intersections(sets, a, b)
        compared = time.perf_counter() - began
        self.elements, self.both_sizes = float(sets.sizes.mean()) if len(rows) else 0.0, sets.sizes[a] + sets.sizes[b]
        self.slowness = max(1.0, compared * self.threads / (WALK * 1e-9 * max(SOME, int(self.both_sizes.sum()))))
        similarity = shared / np.maximum(1, sets.sizes[a] + sets.sizes[b] - shared)
        banding = self.bands.banding
        expected = banding.bands * similarity**banding.rows
        found = np.array([banding.collision_probability(s) for s in similarity.tolist()])
        # A pair that met against all odds stands for one meeting, not for a thousand pairs.
        return similarity, np.where(expected > 0, found / np.maximum(expected, 1e-300), 1.0), left, right

    def _seen(self, buckets: Buckets, compared: int, meetings: float) -> float:
        """The share of the documents with a candidate that have one in the buckets at hand."""
        if buckets.share == 1 or not compared:
            return 1.0
        several = max(1.0, meetings / max(1.0, buckets.members / buckets.share))
        return float(1 - (1 - buckets.share) ** min(several, self.bands.banding.bands))

    def _set_size(self) -> float:
        """Of sets that are read again: with bands those that have a candidate."""
        return self.costs.elements if self.plan.exact and self.costs is not None else self.elements

    def _seconds(self, candidates: float, walked: float, pairs: float, members: float) -> float:
        """Signing as it was measured; the rest by constants, times how slow comparing was beside its own.

        Candidates of less than half the threshold are seldom walked along.
        """
        listed = pairs * PAIR
        if self.plan.exact and self.costs is not None:
            work = self.costs.exact + listed
        else:
            signed = len(self.fingerprints) * self.bands.banding.bands * KEY
            work = signed + members * self._set_size() * CUT + candidates * CHECK + walked * WALK + listed
        return self.seconds + work * 1e-9 / self.threads * self.slowness

    def _warnings(self, buckets: Buckets, similarity: Any, share: Any, listed: float) -> list[Notice]:
        found, threshold = [], float(self.plan.threshold)
        most = self.room.pairs()
        if listed > most:
            code = "forecast-pairs-exceed-memory" if most < MOST_PAIRS else "forecast-too-many-pairs"
            found.append(Notice(code, pairs=_round(listed), most=most))
        hot = buckets.larger_than(HOT)
        if hot:
            largest = _round(buckets.largest)
            found.append(Notice("forecast-large-buckets", buckets=hot, size=HOT, largest=largest))
        documents = max(1, len(self.fingerprints) - int(np.count_nonzero(self.empty)))
        vain = float(share[similarity < 0.9 * threshold].sum())
        if vain > VAIN * documents and not self.plan.exact:
            each = vain / documents
            found.append(Notice("forecast-false-candidates", each=each, shingles=str(self.plan.shingles)))
        true, near = (
            float(share[similarity >= threshold].sum()),
            float(share[(similarity >= threshold) & (similarity < threshold + (1 - threshold) / 4)].sum()),
        )
        below = float(share[(similarity < threshold) & (similarity >= threshold - (1 - threshold) / 4)].sum())
        if true > documents and near > true / 2 and below > near:
            found.append(Notice("forecast-chaining", threshold=str(self.plan.threshold)))
        return found


class _Packing:
    """How much smaller texts are in a work folder: the first few of every batch are compressed to see."""

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


def _wrapped(name: str, words: str) -> str:
    return textwrap.fill(words, 80, initial_indent=f"{name:<11}", subsequent_indent=" " * 11, break_on_hyphens=False)


def _round(x: float) -> int:
    """To two figures: what is more would be made up."""
    unit = 10 ** max(0, len(str(round(x))) - 2)
    return int(round(x / unit) * unit)


def _duration(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds:.1g} s"
    if seconds < 120:
        return f"{seconds:,.0f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
