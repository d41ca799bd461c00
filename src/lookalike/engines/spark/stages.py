"""The stages of a run, in order: each is handed out to the cluster, counted, and marked as finished in staging.

A stage that is marked is not done again, and of one that is not, finished parts are not. Nothing but counts comes to
the driver.
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
"""Bytes that a task is sent, about: a few tenths of a second of work."""

MOST_ADDRESSES = 4096
"""The most tasks of a shuffle: every part writes to every address, and blocks of a few rows cost most."""

MOST_SENT = 1 << 40
"""Bytes of sets that are sent a second time at most, for buckets whose documents are not of one cluster."""

EDGES = 1 << 22
"""Up to so many edges are connected in one task."""


@dataclass
class Stages:
    """A run on a Spark session, as far as it has come."""

    session: Any
    run: TaskSetup
    progress: Progress
    task_bytes: int = TASK_BYTES
    edges: int = EDGES
    seconds: dict[str, float] = field(default_factory=dict)
    rounds: dict[str, int] = field(default_factory=dict)
    """Of connecting: how many it took until nothing changed."""
    documents: int = 0
    checked: int = 0
    hanging: int = 0
    """Rows that hang on a smaller one."""
    connected: str = ""
    """The stage that says on which."""

    def stage(self, name: str, work: Callable[[], dict[str, int]], label: str = "") -> dict[str, int]:
        """What a stage counted, now or when it was done before."""
        self.progress(label or name, 0, None)
        began = time.perf_counter()
        said = self.run.staging.marked(name)
        if said is None:
            with translated():
                said = work()
            self.run.staging.mark(name, said)
        label = label or name
        self.seconds[label] = self.seconds.get(label, 0.0) + time.perf_counter() - began
        return said

    # the stages

    def sign(self) -> None:
        """All documents; from then on the size of blocks is known."""
        names = ("documents", "windows")
        said = self.stage(
            "sign", lambda: self.counts(self.tasks(len(self.run.parts)), partial(tasks.sign, self.run), names)
        )
        self.documents = said["documents"]
        size = 8 * (said["windows"] / max(1, said["documents"]) + self.run.bands + 1)  # of a set, at most
        self.run = replace(self.run, block=int(min(LEAST, max(16, self.task_bytes / size))))

    def propose(self) -> dict[str, int]:
        """Which documents are wanted where."""
        run = self.run
        copies = self.addresses(self.documents * (24 + 8 * run.bands))
        buckets = self.addresses(self.documents * 18 * run.bands)

        def work() -> dict[str, int]:
            shuffled = map_batches(self.tasks(len(run.parts)), partial(tasks.by_fingerprint, run, copies), SCHEMA)
            shuffled = map_batches(sent(shuffled, copies), partial(tasks.collapse, run, buckets), SCHEMA)
            shuffled = map_batches(sent(shuffled, buckets), partial(tasks.group, run), SCHEMA)
            return self.wanted(shuffled, "wanted")

        return self.stage("propose", work)

    def wanted(self, shuffled: Any, stage: str) -> dict[str, int]:
        """Shuffle blocks by part → the rows that are needed of each part."""
        parts = max(1, len(self.run.parts))
        return self.counts(
            sent(shuffled, parts), partial(tasks.want, self.run, stage), ("wanted", "shipped", "elements")
        )

    def meet(
        self,
        wanted: str,
        said: dict[str, int],
        found: str,
        checker: Checker,
        names: Sequence[str] = (),
        sets: bool = True,
        most: int | None = None,
    ) -> dict[str, int]:
        """What is wanted is read, sent to where it is wanted, and compared there. Over `most` pairs are refused."""
        parts = [int(name.rpartition("/")[2]) for name in self.run.staging.names(wanted)]
        size = 8 * said["elements"] * sets + said["shipped"] * 8 * (self.run.bands + 3)
        addresses = self.addresses(size)
        shuffled = map_batches(
            self.tasks(len(parts)), partial(tasks.fetch, self.run, wanted, parts, addresses, sets), SCHEMA
        )
        work = partial(tasks.compare, self.run, found, checker, most)
        return self.counts(sent(shuffled, addresses), work, ("found", *names))

    def pairs(self, most: int | None = None) -> dict[str, int]:
        """The similar pairs of distinct documents, in parts of `found`."""
        said, names = self.propose(), ("checked", "candidates", "uncounted")
        sets = self.run.resolved.plan.verify != "none"
        checker = FindPairs(self.run.kernel, self.run.resolved)
        return self.stage("compare", lambda: self.meet("wanted", said, "found", checker, names, sets, most), "verify")

    def components(self) -> str:
        """The stage whose parts say of every row that hangs on a smaller one, on which."""
        self.connected = self._components()
        return self.connected

    def _components(self) -> str:
        said, sets = self.propose(), self.run.resolved.plan.verify != "none"
        first = FindComponents(self.run.kernel, self.run.resolved)
        met = self.stage("compare", lambda: self.meet("wanted", said, "found", first, ("checked",), sets), "verify")
        self.checked = met["checked"]
        stage = self.connect(["found"], met["found"], "components")
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
        met = self.stage(
            "compare-again",
            lambda: self.meet("wanted-again", again, "found-again", checker, ("checked",), sets), "verify",
        )  # fmt: skip
        self.checked += met["checked"]
        return self.connect([stage, "found-again"], self.hanging + met["found"], "components-again")

    def connect(self, stages: Sequence[str], edges: int, name: str) -> str:
        """Edges → on which row each hangs, in parts of the stage that is given back."""
        said = self.stage(f"connect-{name}", lambda: self._connected(stages, edges, name), "connect")
        self.rounds[name], self.hanging = said["rounds"], said["edges"]
        return f"{name}-{said['rounds']}"

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
            said = self.counts(sent(shuffled, addresses), partial(stars.small, staging, stage), ("edges", "check"))
            self.progress("connect", nth, None)
            if said == before:
                return said | {"rounds": nth}
            before, names = said, staging.names(stage)
        raise BrokenInvariant("components-not-found", edges=edges, rounds=stars.MOST_ROUNDS)

    # what stages are made of

    def tasks(self, number: int) -> Any:
        """Numbers from 0, one a task."""
        return self.session.range(0, number, 1, max(1, number))

    def counts(self, frame: Any, work: Callable[..., Any], names: Sequence[str]) -> dict[str, int]:
        """The sums of what tasks counted."""
        counted = map_batches(frame, work, ", ".join(f"{name} bigint" for name in names))
        sums = counted.groupBy().sum(*names).collect()[0]
        return {name: int(value or 0) for name, value in zip(names, sums, strict=True)}

    def addresses(self, size: float) -> int:
        """To how many tasks so many bytes are sent."""
        return max(1, min(MOST_ADDRESSES, math.ceil(size / self.task_bytes)))

    def large_buckets(self) -> LargeBuckets:
        """The large buckets of all parts, for a warning."""
        if self.run.resolved.exact:
            return LargeBuckets()
        every = [
            LargeBuckets.from_json(self.run.staging.said(name)[LARGE_BUCKETS_SUMMARY])
            for name in self.run.staging.names(LARGE_BUCKETS)
        ]
        some = [large_buckets for large_buckets in every if large_buckets.buckets]
        if not some:
            return LargeBuckets()
        most = min(some, key=lambda large_buckets: (-large_buckets.largest, large_buckets.members[0]))
        return LargeBuckets(sum(large_buckets.buckets for large_buckets in some), most.largest, most.members)


def _too_much(buckets: int, said: dict[str, int], exact: bool) -> InvalidOption:
    """The error for documents whose sets would be sent to very many tasks."""
    tasks, size = round(said["shipped"] / max(1, said["wanted"])), 8 * said["elements"]
    if exact:
        return InvalidOption("exact-join-too-large", documents=said["wanted"], tasks=tasks, size=size)
    return InvalidOption("buckets-too-large", documents=said["wanted"], buckets=buckets, tasks=tasks, size=size)


def counted_candidates(said: dict[str, int], split: bool) -> int | None:
    """How many candidates there were; None where buckets are so large that nobody counts."""
    if split or said["uncounted"] or said["candidates"] > MOST_COUNTED:
        return None
    return said["candidates"]
