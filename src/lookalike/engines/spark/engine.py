"""The Spark engine, which runs a plan on a cluster and gives the same answer as every other engine.

Results are read from staging, not collected by Spark. An answer takes about 50 bytes per document in the driver. If
that is too much, use the functions for DataFrames (`frames.py`), which leave all results in staging.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa

from lookalike.engines.base import Answer
from lookalike.engines.spark import survivors
from lookalike.engines.spark.corpus import AsSource, Corpus, Files, Staged, stage_source
from lookalike.engines.spark.hash_columns import unpacked
from lookalike.engines.spark.session import check_workers, master_of, session_at
from lookalike.engines.spark.stages import EDGES, TASK_BYTES, Stages, counted_candidates
from lookalike.engines.spark.staging import Staging
from lookalike.engines.spark.tasks import COPIES, LARGE_BUCKETS, SIGNED, TaskSetup
from lookalike.engines.stages.answer_builder import AnswerBuilder, RowFacts
from lookalike.engines.stages.arrows import KernelArrows
from lookalike.engines.stages.copies import too_many
from lookalike.engines.stages.survivors import PreferredCopies, among_copies
from lookalike.errors import InvalidOption
from lookalike.flow.arrays import Rows, to_numpy
from lookalike.flow.preference import Prefer
from lookalike.flow.progress import Progress, silent
from lookalike.flow.sketches import EMPTY
from lookalike.io.source import Source
from lookalike.kernel import default
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.planning.survey import resolve_on_source
from lookalike.results.pairs import MOST_PAIRS
from lookalike.storage.parts import PART_ROWS, Parts

LAYOUT = "spark 6"
"""The version of the part layout. Change it whenever the layout changes, so that older parts are not reused."""


class Spark(KernelArrows):
    """Runs plans in a Spark session: `session`, otherwise the active session, otherwise a new session at `master`.

    `staging` is a folder or URL that all machines can access; a local master does not need one. Finished parts stay
    there until a run succeeds, so that it can be resumed.
    """

    name = "spark"

    def __init__(
        self, session: Any = None, *, master: str | None = None, staging: str | None = None,
        rows_per_task: int = PART_ROWS, task_bytes: int = TASK_BYTES, edges: int = EDGES,
    ) -> None:  # fmt: skip
        """Creates the engine.

        `task_bytes` and `edges` limit a task's input; only tests set them, and no answer depends on them.
        """
        super().__init__(default())  # Spark runs one task per core, so a task uses one thread
        self.session = session_at(master) if session is None else session
        self.staging = None if staging is None else Staging(staging)
        self.rows_per_task, self.task_bytes, self.edges = rows_per_task, task_bytes, edges
        self._checked: set[str] = set()

    def run(
        self,
        plan: Plan,
        source: Source,
        parts: Parts,
        progress: Progress | None = None,
        prefer: Prefer | None = None,
    ) -> Answer:
        with staged_at(
            self.session, self.staging, f"{plan.to_toml()} {self.rows_per_task}", source.identity
        ) as staging:
            self.check(staging)
            corpus, rows = self._corpus(source, staging)
            resolved = resolve_on_source(plan, source, self)
            stages = self.stages(staging, corpus, resolved, progress)
            stages.sign()
            result = _result(stages, source, rows, prefer)
            if self.staging is not None:
                staging.remove()
        return result

    def check(self, staging: Staging) -> None:
        if staging.url.rpartition("/")[0] not in self._checked:
            check_workers(self.session, staging)
            self._checked.add(staging.url.rpartition("/")[0])

    def stages(self, staging: Staging, corpus: Corpus, resolved: ResolvedPlan, progress: Progress | None) -> Stages:
        run = TaskSetup(self.kernel, staging, corpus, resolved, tuple(corpus.parts()), staging)
        return Stages(self.session, run, progress or silent, self.task_bytes, self.edges)

    def _corpus(self, source: Source, staging: Staging) -> tuple[Corpus, int]:
        """Returns the corpus and its number of rows.

        Tasks open files themselves; rows in memory and in temporary files are written to staging.
        """
        if source.in_memory or _is_temporary(source):
            counts = staging.marked("documents")
            rows = stage_source(source, staging, self.rows_per_task) if counts is None else int(counts["documents"])
            staging.mark("documents", {"documents": rows})
            parts = tuple(range(-(-rows // self.rows_per_task)))
            return Staged(staging, self.rows_per_task, source.column, source.id, parts), rows
        known = source.total_rows()
        rows = sum(map(len, source.read([source.column]))) if known is None else known
        return Files(source, rows, self.rows_per_task), rows


def _is_temporary(source: Source) -> bool:
    """True if the source reads temporary files of this process, such as sets that it has grouped."""
    format = getattr(source, "format", None)
    return format is not None and any(file.temporary is not None for file in format.files)


@contextmanager
def staged_at(session: Any, staging: Staging | None, plan: str, identity: Any) -> Iterator[Staging]:
    """Yields a folder for this run: a temporary one, or a subfolder of `staging` named by a hash of plan and input."""
    if staging is not None:
        from lookalike import __version__

        key = hashlib.sha256(f"{LAYOUT} {__version__} {plan} {identity()}".encode()).hexdigest()[:24]
        yield staging.below(f"lookalike-{key}")
        return
    if not master_of(session).startswith("local"):
        raise InvalidOption("staging-needed")
    with tempfile.TemporaryDirectory(prefix="lookalike-") as folder:
        yield Staging(folder)


def _result(stages: Stages, source: Source, rows: int, prefer: Prefer | None) -> Answer:
    """Runs the stages after signing, and creates the answer from their stored results."""
    plan = stages.run.resolved.plan
    if plan.copies is not None:
        return _copies(stages, source, rows, prefer)
    if plan.goal == "clusters" and plan.linkage == "star":
        preference = None if prefer is None else prefer(_lengths(stages, rows))
        survivors.prefer(stages, preference)
        checked = survivors.choose(stages)["checked"]
        chosen = survivors.survivors_of_rows(stages, rows, preference)
        return _builder(stages, source, rows).stars(*chosen, checked=checked)
    staging, label = stages.run.staging, np.arange(rows, dtype=np.int64)
    if plan.goal == "clusters":
        components = stages.components()
        builder = _builder(stages, source, rows)
        for table in tables(staging, components):
            label[to_numpy(table["high"])] = to_numpy(table["low"])
        return builder.clusters(label[builder.first], checked=stages.checked)
    counted = stages.pairs(MOST_PAIRS)
    if counted["found"] > MOST_PAIRS:
        raise too_many(plan, counted["found"])
    found = pa.concat_tables([_no_pairs(), *tables(staging, "found")])
    left, right, shared, total = (to_numpy(found[name]) for name in ("left", "right", "shared", "total"))
    order = np.lexsort((right, left))
    left, right = left[order], right[order]
    similarity = None if plan.verify == "none" else shared[order] / total[order]
    candidates = counted_candidates(counted, bool(staging.names(LARGE_BUCKETS)))
    counts = {"candidates": candidates, "checked": counted["checked"]}
    return _builder(stages, source, rows).pairs(left, right, similarity, **counts)


def _copies(stages: Stages, source: Source, rows: int, prefer: Prefer | None) -> Answer:
    """Creates the answer if only copies are removed, from the hashes of all documents."""
    facts, hashes = _facts(stages, source, rows), np.zeros((rows, 2), np.uint64)
    for table in tables(stages.run.signed, SIGNED, ["row", "words"]):
        hashes[to_numpy(table["row"])] = unpacked(table["words"])
    kernel = stages.run.kernel
    first = kernel.copies(hashes, facts.flags & EMPTY != 0)
    builder = AnswerBuilder("spark", kernel, stages.run.resolved, source, facts, first, stages.seconds)
    preferred = PreferredCopies.of(prefer, first, facts.characters)
    return builder.stars(*preferred.for_rows(among_copies(kernel, preferred, first)))


def _builder(stages: Stages, source: Source, rows: int) -> AnswerBuilder:
    first = np.arange(rows, dtype=np.int64)
    for table in tables(stages.run.staging, COPIES):
        first[to_numpy(table["row"])] = to_numpy(table["first"])
    facts = _facts(stages, source, rows)
    return AnswerBuilder("spark", stages.run.kernel, stages.run.resolved, source, facts, first, stages.seconds)


def _lengths(stages: Stages, rows: int) -> Rows:
    """Returns the number of characters of each row."""
    lengths = np.zeros(rows, np.int64)
    for table in tables(stages.run.signed, SIGNED, ["row", "characters"]):
        lengths[to_numpy(table["row"])] = to_numpy(table["characters"])
    return lengths


def _facts(stages: Stages, source: Source, rows: int) -> RowFacts:
    flags, characters = np.zeros(rows, np.uint8), np.zeros(rows, np.int64)
    ids: list[pa.Array] = []
    size = 0
    columns = ["row", "flags", "characters", "bytes"] + (["id"] if source.id else [])
    for table in tables(stages.run.signed, SIGNED, columns):
        here = to_numpy(table["row"])
        flags[here], characters[here] = to_numpy(table["flags"]), to_numpy(table["characters"])
        size += int(to_numpy(table["bytes"]).sum())
        ids += table["id"].chunks if source.id else []
    known = None if source.id is None else pa.concat_arrays(ids) if ids else pa.array([], pa.string())
    warnings = stages.large_buckets().warnings(stages.run.resolved, AsSource(stages.run.corpus, rows), rows)
    return RowFacts(flags, characters, size, known, source.malformed, source.warnings + warnings)


def tables(staging: Staging, stage: str, columns: list[str] | None = None) -> Iterator[pa.Table]:
    """Reads the parts of a stage, in order."""
    return (staging.get(name, columns) for name in staging.names(stage))


def _no_pairs() -> pa.Table:
    return pa.table({name: pa.array([], pa.int64()) for name in ("left", "right", "shared", "total")})
