"""One run of a verb over a corpus.

    request ─▶ plan, source, engine, outputs (checked once), work folder ─▶ engine ─▶ answer ─▶ result ─▶ outputs

`start` checks the options of a verb and makes a `Run` from them, so that invalid requests fail before the work begins.
The verbs in `api.py` and the commands in `cli/` both use it. `removal.py` turns the answer of a run into survivors and
removed rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.engines import engine
from lookalike.engines.base import Engine
from lookalike.errors import InvalidOption
from lookalike.flow.progress import silent
from lookalike.io.chained_source import ChainedSource
from lookalike.io.open import open_source
from lookalike.io.outputs import Outputs, files_of
from lookalike.io.source import Source, check_unchanged, identity_of
from lookalike.io.source_description import describe
from lookalike.planning.plan import Goal, Plan
from lookalike.requests.option import part
from lookalike.requests.plan import plan_from
from lookalike.requests.shared import ENGINE_OPTIONS, Planning, Reading
from lookalike.storage.parts import NoParts, Parts

# Modules that only some runs need are imported where they are needed: for a small file, imports take most of the time.
if TYPE_CHECKING:
    from lookalike.engines.base import Answer
    from lookalike.results.clusters import Clusters
    from lookalike.results.deduped import Deduped
    from lookalike.results.pairs import Pairs
    from lookalike.trust.forecast import Forecast
    from lookalike.work.folder import Work
    from lookalike.work.manifest import Manifest

WRITTEN = ("out", "removed", "report", "save_plan")
"""The options that name outputs."""


def source_of(data: Any, reading: dict[str, Any]) -> Source:
    """The data as a source. An open source is returned as it is, because standard input can be read only once."""
    return data if is_source(data) else open_source(data, **reading)


def is_source(data: Any) -> bool:
    return hasattr(data, "documents") and hasattr(data, "identity")


@contextmanager
def start(data: Any, goal: Goal, options: Mapping[str, Any], *, rows: bool = False) -> Iterator[Run]:
    """Yields a run with the options of a verb. With `rows`, its output `out` is for kept rows instead of a table."""
    where = engine(options["engine"], **{name: options[name] for name in ENGINE_OPTIONS})
    plan = plan_from(options["plan"], goal, part(options, Planning))
    reading = part(options, Reading)
    with ExitStack() as stack:
        work = _work(options, stack)
        outputs = Outputs(
            {name: options.get(name) for name in WRITTEN},
            force=options.get("force", False),
            tables=("removed",) if rows else ("out", "removed"),
            folder="out" if rows else None,
            claimed=(lambda path: False) if work is None else work.claimed,
        )
        source = source_of(data, reading)
        reference = None if options.get("against") is None else source_of(options["against"], reading)
        if outputs.paths:
            _check_outputs(outputs, source, reference, options["plan"], rows)
        whole = source if reference is None else ChainedSource(reference, source)
        if work is not None:
            work.claim(outputs.paths.values())
            work.start(_manifest(plan, whole), whole)
        yield Run(plan, whole, where, outputs, work, options["progress"] or silent)


def _work(options: Mapping[str, Any], stack: ExitStack) -> Work | None:
    """The work folder, or None. If it was given as a path, the run closes it; a `Work` is closed by the caller."""
    folder, resume, keep = options.get("work"), options.get("resume", False), options.get("keep_work", False)
    if folder is None:
        if resume or keep:
            raise InvalidOption("resume-without-work", option="resume" if resume else "keep_work")
        return None
    from lookalike.work.folder import Work

    return folder if isinstance(folder, Work) else stack.enter_context(Work(folder, resume=resume, keep=keep))


def _check_outputs(outputs: Outputs, source: Source, reference: Source | None, plan: Any, rows: bool) -> None:
    """Raises an error if an output would overwrite an input, or if kept rows cannot be written to `out`."""
    outputs.check_inputs(files_of(source, reference), plan if isinstance(plan, str | Path) else None)
    if rows and "out" in outputs.paths:
        from lookalike.io.kept_rows import check_kept

        check_kept(source, outputs.paths["out"], outputs.names_inside("out", "removed"))


def _manifest(plan: Plan, source: Source) -> Manifest:
    """The manifest for the work folder: everything that the result depends on."""
    import tomllib

    from lookalike import __version__
    from lookalike.work.manifest import Manifest

    entries = tomllib.loads(plan.to_toml())
    rules = entries.pop("shingles")
    entries |= {"shingles": str(plan.shingles)} | {name: rules[name] for name in rules if name not in ("kind", "k")}
    return Manifest.of(__version__, entries, source)


class Run:
    """One run: its plan, source, engine and outputs, and the work folder for finished parts, if any."""

    def __init__(
        self, plan: Plan, source: Source, engine: Engine, outputs: Outputs, work: Work | None, progress: Any
    ) -> None:
        self.plan, self.source, self.engine = plan, source, engine
        self.outputs, self.work, self.progress = outputs, work, progress
        self.parts: Parts = NoParts() if work is None else work.parts
        self.identity = identity_of(source)
        """The identity of the source at the start, which shows later whether the source has changed."""
        self.seconds: dict[str, float] = {}
        """The wall time of each stage outside the engine."""
        self.reference, self.new, self.new_identity = 0, source, self.identity
        """The number of reference rows at the start of the source, and the source of the rows to keep or remove."""
        if isinstance(source, ChainedSource):
            self.reference, self.new, self.new_identity = source.reference_rows, source.new, source.new_identity

    @contextmanager
    def unchanged(self) -> Iterator[None]:
        """Wraps code that reads the source. If the source has changed, raises that error instead of any other."""
        try:
            yield
        except Exception:
            check_unchanged(self.source, self.identity)
            raise
        check_unchanged(self.source, self.identity)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measures the wall time of a stage outside the engine; the stage itself reports progress."""
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began

    def answer(self) -> Answer:
        """The engine's answer, or the one that an interrupted run saved in the work folder."""
        if self.work is None:
            with self.unchanged():
                answer = self.engine.run(self.plan, self.source, self.parts, self.progress)
        else:
            answer = self._durable_answer(self.work)
        facts: dict[str, Any] = {"input": describe(self.source)}
        if isinstance(self.source, ChainedSource):  # reference and input may use the same ids
            facts["warnings"] = tuple(one for one in answer.summary.warnings if one.code != "duplicate-ids")
        return answer.with_summary(**facts)

    def _durable_answer(self, work: Work) -> Answer:
        from lookalike.engines.saved_result import keep_result, kept_result

        parts = work.parts
        with self.unchanged():
            answer = kept_result(parts)
            if answer is None:
                answer = self.engine.run(self.plan, self.source, parts, self.progress)
                keep_result(answer, parts)
        spent = {"written": parts.disk.written, "disk": parts.disk.largest, "resumed": len(parts.reused)}
        return answer.with_summary(warnings=(*answer.summary.warnings, *parts.warnings), **spent)

    def pairs(self) -> Pairs:
        pairs = self.answer().pairs
        assert pairs is not None
        return pairs

    def clusters(self, keep: str) -> Clusters:
        from lookalike.removal import clusters_with_survivors

        return clusters_with_survivors(self, keep)[1]

    def dedupe(self, keep: str) -> Deduped:
        """Finds the kept and removed rows, and writes them to the outputs: both or neither."""
        from lookalike.removal import removed_rows

        deduped = removed_rows(self, keep)
        self.progress("write", 0, None)
        with self.stage("write"):
            self._write(deduped)
        return deduped

    def _write(self, deduped: Deduped) -> None:
        from lookalike.io.kept_rows import write_kept
        from lookalike.io.sinks import staged

        outputs, inside = self.outputs, self.outputs.names_inside("out", "removed")
        removed = None if inside else outputs.paths.get("removed")
        with staged(deduped.removed, removed, force="removed" in outputs.overwritable):
            if "out" in outputs.paths:
                kept = np.zeros(deduped.read, dtype=bool)
                kept[deduped.kept_rows] = True
                tables = dict.fromkeys(inside, deduped.removed)
                force = "out" in outputs.overwritable
                with self.unchanged():
                    write_kept(
                        self.new, kept, outputs.paths["out"],
                        force=force, companions=tables, identity=self.new_identity,
                    )  # fmt: skip
        for option in ("out", "removed"):
            if option in outputs.paths:
                outputs.note(option)

    def forecast(self, *, parts: bool = False) -> Forecast:
        """The forecast of this run. `parts` tells whether the run would save finished parts."""
        from lookalike.kernel.threads import check_threads
        from lookalike.trust.forecast import forecast

        memory, threads = getattr(self.engine, "memory", None), getattr(self.engine, "threads", None)
        with self.unchanged():
            return forecast(
                self.plan, self.source, threads=check_threads(threads), memory=memory, parts=parts,
                progress=self.progress,
            )  # fmt: skip
