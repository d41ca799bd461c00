"""The stages of a run, in order. Each runs on the cluster, counts its results and is marked as finished in staging.

Finished stages, and finished parts of `sign`, are not computed again. Only counts are sent to the driver.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from lookalike.engines.spark import stars, tasks
from lookalike.engines.spark.comparing import Checker, FindComponents, FindPairs, JoinClusters
from lookalike.engines.spark.errors import map_batches, translated
from lookalike.engines.spark.rechecks import settle, unmerged_to_parts
from lookalike.engines.spark.shuffle import SCHEMA, sent
from lookalike.engines.spark.tasks import LARGE_BUCKETS, LARGE_BUCKETS_SUMMARY, TaskSetup
from lookalike.engines.stages.boilerplate import LEAST, LargeBuckets
from lookalike.errors import BrokenInvariant, InvalidOption
from lookalike.flow.buckets import MOST_COUNTED
from lookalike.flow.progress import Progress

TASK_BYTES = 8 << 20
"""The approximate number of bytes of input per task. A task takes a few tenths of a second."""

MOST_ADDRESSES = 4096
"""The maximum number of addresses in a shuffle. Every task may send to every address, and blocks of few rows are
inefficient."""

MOST_SENT = 1 << 40
"""The maximum number of bytes of sets that may be sent a second time, for buckets that span several clusters."""

EDGES = 1 << 22
"""The maximum number of edges that are connected in one task."""


@dataclass
class Stages:
    """A run on a Spark session: its stages, its progress and its counts."""

    session: Any
    run: TaskSetup
    progress: Progress
    task_bytes: int = TASK_BYTES
    edges: int = EDGES
    seconds: dict[str, float] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    """The number of rounds until nothing changed, for each call of `connect`, by name."""
    documents: int = 0
    checked: int = 0
    linked: int = 0
    """The number of rows that are linked to a smaller row of their component."""
    connected: str = ""
    """The stage that contains the links from rows to smaller rows of their component."""

    def stage(self, name: str, work: Callable[[], dict[str, int]], label: str = "") -> dict[str, int]:
        """Runs a stage, unless it is already finished, and returns its counts."""
        self.progress(label or name, 0, None)
        began = time.perf_counter()
        counts = self.run.staging.marked(name)
        if counts is None:
            with translated():
                counts = work()
            self.run.staging.mark(name, counts)
        label = label or name
        self.seconds[label] = self.seconds.get(label, 0.0) + time.perf_counter() - began
        return counts

    # the stages

    def sign(self) -> None:
        """Signs all documents, and sets the block size according to the average size of a set."""
        names = ("documents", "windows")
        counts = self.stage(
            "sign", lambda: self.counts(self.tasks(len(self.run.parts)), partial(tasks.sign, self.run), names)
        )
        self.documents = counts["documents"]
        size = 8 * (counts["windows"] / max(1, counts["documents"]) + self.run.bands + 1)  # bytes of an average set
        self.run = replace(self.run, block=int(min(LEAST, max(16, self.task_bytes / size))))

    def propose(self) -> dict[str, int]:
        """Decides which documents are compared, and where, and stores the decision."""
        run = self.run
        copies = self.addresses(self.documents * (24 + 8 * run.bands))
        buckets = self.addresses(self.documents * 18 * run.bands)

        def work() -> dict[str, int]:
            shuffled = map_batches(self.tasks(len(run.parts)), partial(tasks.by_words, run, copies), SCHEMA)
            shuffled = map_batches(sent(shuffled, copies), partial(tasks.collapse, run, buckets), SCHEMA)
            shuffled = map_batches(sent(shuffled, buckets), partial(tasks.group, run), SCHEMA)
            return self.wanted(shuffled, "wanted")

        return self.stage("propose", work)

    def wanted(self, shuffled: Any, stage: str) -> dict[str, int]:
        """Stores the rows that are needed from each part, which are received as shuffle blocks."""
        parts = max(1, len(self.run.parts))
        return self.counts(
            sent(shuffled, parts), partial(tasks.want, self.run, stage), ("wanted", "shipped", "elements")
        )

    def compare(
        self,
        wanted: str,
        counts: dict[str, int],
        found: str,
        checker: Checker,
        names: Sequence[str] = (),
        sets: bool = True,
        most: int | None = None,
    ) -> dict[str, int]:
        """Reads the needed documents, sends them to their places and compares them.

        Raises an error if far more than `most` pairs are found.
        """
        parts = [int(name.rpartition("/")[2]) for name in self.run.staging.names(wanted)]
        size = 8 * counts["elements"] * sets + counts["shipped"] * 8 * (self.run.bands + 3)
        addresses = self.addresses(size)
        shuffled = map_batches(
            self.tasks(len(parts)), partial(tasks.fetch, self.run, wanted, parts, addresses, sets), SCHEMA
        )
        work = partial(tasks.compare, self.run, found, checker, most)
        return self.counts(sent(shuffled, addresses), work, ("found", *names))

    def pairs(self, most: int | None = None) -> dict[str, int]:
        """Finds the similar pairs of distinct documents and stores them as the stage `found`. Returns counts."""
        checker = FindPairs(self.run.kernel, self.run.resolved)
        return self.compared(checker, ("checked", "candidates", "uncounted"), most)

    def compared(self, checker: Checker, names: Sequence[str], most: int | None = None) -> dict[str, int]:
        """Compares all candidate pairs, and stores what is found as the stage `found`. Returns counts."""
        wanted, sets = self.propose(), self.run.resolved.plan.verify != "none"
        if self.run.resolved.exact and 8 * wanted["elements"] > MOST_SENT:
            raise _too_much(1, wanted, exact=True)
        return self.stage(
            "compare", lambda: self.compare("wanted", wanted, "found", checker, names, sets, most), "verify"
        )

    def components(self) -> str:
        """Finds the connected components. Returns the stage that links rows to the smallest row of their component."""
        self.connected = self._components()
        return self.connected

    def _components(self) -> str:
        wanted, sets = self.propose(), self.run.resolved.plan.verify != "none"
        first = FindComponents(self.run.kernel, self.run.resolved)
        compared = self.stage(
            "compare", lambda: self.compare("wanted", wanted, "found", first, ("checked",), sets), "verify"
        )
        self.checked = compared["checked"]
        stage = self.connect(["found"], compared["found"], "components")
        large_buckets = self.run.staging.names(LARGE_BUCKETS)
        if not large_buckets:
            return stage
        left = self.stage("unmerged", lambda: settle(self, stage), "connect")
        if not left["buckets"]:
            return stage
        again = self.stage("wanted-again", lambda: self.wanted(unmerged_to_parts(self), "wanted-again"), "connect")
        if sets and 8 * again["elements"] > MOST_SENT:
            raise _too_much(left["buckets"], again, self.run.resolved.exact)
        checker = JoinClusters(self.run.kernel, self.run.resolved)
        compared = self.stage(
            "compare-again",
            lambda: self.compare("wanted-again", again, "found-again", checker, ("checked",), sets), "verify",
        )  # fmt: skip
        self.checked += compared["checked"]
        return self.connect([stage, "found-again"], self.linked + compared["found"], "components-again")

    def connect(self, stages: Sequence[str], edges: int, name: str) -> str:
        """Links rows to the smallest row of their component. Returns the stage that contains the links."""
        counts = self.stage(f"connect-{name}", lambda: self._connected(stages, edges, name), "connect")
        self.rounds[name], self.linked = counts["rounds"], counts["edges"]
        return f"{name}-{counts['rounds']}"

    def _connected(self, stages: Sequence[str], edges: int, name: str) -> dict[str, int]:
        staging = self.run.staging
        names = [part for stage in stages for part in staging.names(stage)]
        if edges <= self.edges:
            work = partial(stars.connect_here, staging, names, f"{name}-1")
            return self.counts(self.tasks(1 if names else 0), work, ("edges", "check")) | {"rounds": 1}
        addresses = self.addresses(edges * 16)
        before: dict[str, int] = {}
        for nth in range(1, stars.MOST_ROUNDS):
            stage = f"{name}-{nth}"
            shuffled = map_batches(
                self.tasks(len(names)), partial(stars.to_both_ends, staging, names, addresses), SCHEMA
            )
            shuffled = map_batches(sent(shuffled, addresses), partial(stars.large, addresses), SCHEMA)
            counts = self.counts(sent(shuffled, addresses), partial(stars.small, staging, stage), ("edges", "check"))
            self.progress("connect", nth, None)
            if counts == before:
                return counts | {"rounds": nth}
            before, names = counts, staging.names(stage)
        raise BrokenInvariant("components-not-found", edges=edges, rounds=stars.MOST_ROUNDS)

    # helpers

    def tasks(self, number: int) -> Any:
        """Returns a DataFrame of the numbers from 0 to `number` − 1, one per task."""
        return self.session.range(0, number, 1, max(1, number))

    def counts(self, frame: Any, work: Callable[..., Any], names: Sequence[str]) -> dict[str, int]:
        """Runs `work` on the cluster and returns the sums of its counts."""
        counted = map_batches(frame, work, ", ".join(f"{name} bigint" for name in names))
        sums = counted.groupBy().sum(*names).collect()[0]
        return {name: int(value or 0) for name, value in zip(names, sums, strict=True)}

    def addresses(self, size: float) -> int:
        """Returns the number of addresses, and thus of tasks, for a shuffle of `size` bytes."""
        return max(1, min(MOST_ADDRESSES, math.ceil(size / self.task_bytes)))

    def large_buckets(self) -> LargeBuckets:
        """Combines the large buckets of all parts, for a warning."""
        if self.run.resolved.exact:
            return LargeBuckets()
        every = [
            LargeBuckets.from_json(self.run.staging.metadata(name)[LARGE_BUCKETS_SUMMARY])
            for name in self.run.staging.names(LARGE_BUCKETS)
        ]
        some = [large_buckets for large_buckets in every if large_buckets.buckets]
        if not some:
            return LargeBuckets()
        most = min(some, key=lambda large_buckets: (-large_buckets.largest, large_buckets.members[0]))
        return LargeBuckets(sum(large_buckets.buckets for large_buckets in some), most.largest, most.members)


def _too_much(buckets: int, counts: dict[str, int], exact: bool) -> InvalidOption:
    """Returns the error for a recheck that would send more than MOST_SENT bytes of sets."""
    tasks, size = round(counts["shipped"] / max(1, counts["wanted"])), 8 * counts["elements"]
    if exact:
        return InvalidOption("exact-join-too-large", documents=counts["wanted"], tasks=tasks, size=size)
    return InvalidOption("buckets-too-large", documents=counts["wanted"], buckets=buckets, tasks=tasks, size=size)


def counted_candidates(counts: dict[str, int], split: bool) -> int | None:
    """Returns the number of candidates; None if buckets were too large to count them."""
    if split or counts["uncounted"] or counts["candidates"] > MOST_COUNTED:
        return None
    return counts["candidates"]
