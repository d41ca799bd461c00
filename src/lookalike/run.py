"""One run of a verb over a corpus.

    request ─▶ plan, source, engine, outputs (checked once), work folder ─▶ engine ─▶ answer ─▶ result ─▶ outputs

`start` checks the options of a verb and creates a `Run`, so that invalid requests fail before the work begins. The
verbs in `api.py` and the commands in `cli/` both use it. `removal.py` turns the answer of a run into survivors and
removed rows.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from lookalike.engines import engine
from lookalike.engines.base import Engine
from lookalike.errors import InvalidOption
from lookalike.flow.progress import silent
from lookalike.flow.threshold import Threshold
from lookalike.io.chained_source import ChainedSource
from lookalike.io.open import describe, open_source, refuse_one_iterator
from lookalike.io.outputs import Outputs
from lookalike.io.source import Source, is_source
from lookalike.kernel.allocator import system_memory
from lookalike.notices import Notice
from lookalike.planning.plan import Goal, Plan
from lookalike.requests.clustering import OfReference
from lookalike.requests.option import naming, of_second_input, part
from lookalike.requests.reading import Reading, Tokenizing
from lookalike.requests.shared import ENGINE_OPTIONS, Linkage, Planning, StarLinkage
from lookalike.storage.budget import PER_BYTE, SMALL, Budget, peak
from lookalike.storage.parts import NoParts

# Modules that only some runs need are imported where they are needed: for a small file, imports take most of the time.
if TYPE_CHECKING:
    from lookalike.engines.base import Answer
    from lookalike.flow.preference import Prefer
    from lookalike.io.kept_rows import KeptOutput
    from lookalike.results.clusters import Clusters
    from lookalike.results.deduped import Deduped
    from lookalike.results.pairs import Pairs
    from lookalike.trust.forecast import Forecast
    from lookalike.work.folder import Work
    from lookalike.work.manifest import Manifest

Found = TypeVar("Found", "Pairs", "Clusters", "Deduped")

WRITTEN = ("out", "removed", "report", "save_plan")
"""The options that name outputs."""


@contextmanager
def start(data: Any, goal: Goal, options: Mapping[str, Any], *, rows: bool = False) -> Iterator[Run]:
    """Checks the options of a verb, opens its data and outputs, and yields the run.

    `rows` is True if `out` is for the kept rows of the input (`dedupe`) rather than for a table of results.
    """
    if options.get("vectors") is not None:
        from lookalike.vector_run import vector_run

        with vector_run(data, options, rows=rows) as fields:
            yield Run(**fields)
        return
    for name in ("measure", "distance"):
        if "vectors" in options and options.get(name) is not None:
            raise InvalidOption("only-for-vectors", option=name)
    began = time.perf_counter()
    where = engine(options["engine"], **{name: options[name] for name in ENGINE_OPTIONS})
    given = part(options, Planning, StarLinkage if rows else Linkage)
    against, index = options.get("against"), None
    if against is not None:
        from lookalike.index.reference import index_in, neighbourhood, plan_under

        index = index_in(against, threads=options["threads"], memory=options["memory"])
    plan = (
        Plan.from_options(options["plan"], goal, given)
        if index is None
        else plan_under(index, options["plan"], goal, given)
    )
    if plan.linkage is None and goal == "clusters":
        plan = replace(plan, linkage="star" if rows else "connected")
    removal = options.get("remove")
    if removal is not None or plan.copies is not None:
        from lookalike.requests.removing import with_removal, without_copies

        removal = plan.copies if removal is None else removal
        plan = with_removal(plan, removal, given | part(options, Tokenizing)) if rows else without_copies(plan)
        if plan.copies is not None and options.get("audit"):
            raise InvalidOption("audit-of-copies", result="this run", remove=removal)
    top, least = None, Fraction(0)
    if options.get("top") is not None:
        from lookalike.joins.most_similar import SMALLEST
        from lookalike.top_pairs import check_top

        top = check_top(options)
        floored = options["plan"] is not None or "threshold" in given
        least = Threshold(plan.threshold).value if floored else SMALLEST
    reading = part(options, Reading)
    with ExitStack() as stack:
        stack.enter_context(system_memory())
        if (memory := getattr(where, "memory", None)) is not None:
            stack.enter_context(Budget.of(memory).in_force())
        work = None if options.get("work") is None else _work(options, stack)
        for option in ("resume", "keep_work"):
            if work is None and options.get(option):
                raise InvalidOption("resume-without-work", option=option)
        outputs = Outputs(
            {name: options.get(name) for name in WRITTEN},
            force=options.get("force", False),
            tables=("removed",) if rows else ("out", "removed"),
            folder="out" if rows else None,
            claimed=(lambda path: False) if work is None else work.claimed,
        )
        reference: Source | None = None
        if against is not None:
            refuse_one_iterator(data, against)
        new = open_source(data, **reading)
        if index is not None:
            if own := part(options, OfReference):
                raise InvalidOption("index-needs-no-option", option=next(iter(own)))
            connected = plan.linkage == "connected"
            reference = neighbourhood(index, new, connected=connected, progress=options["progress"] or silent)
        elif against is not None:
            with naming(OfReference, "against_"):
                reference = open_source(against, **of_second_input(reading, options, OfReference, "against_"))
        elif own := part(options, OfReference):
            raise InvalidOption("no-reference", option=next(iter(own)))
        if index is not None:
            outputs.check_inputs(also=index.store.name)
        if outputs.paths:
            given = options["plan"]  # a string of several lines is a plan, not a path
            is_path = isinstance(given, str | Path) and "\n" not in str(given)
            outputs.check_inputs(new, reference, also=given if is_path else None)
            if options.get("decisions") is not None:
                outputs.check_inputs(also=options["decisions"])
        kept_output = None
        if rows and "out" in outputs.paths:
            from lookalike.io.kept_rows import KeptOutput

            kept_output = KeptOutput(new, outputs.paths["out"], outputs.targets.get("removed"))
        if options["threads"] is not None:
            where = _without_idle_threads(where, options, new, reference)
        source, known = new, 0
        if reference is not None:
            source = chain = ChainedSource(reference, new)
            known = chain.reference_rows
        if work is not None:
            work.claim(outputs.paths.values())
            work.start(_manifest(plan, source), source)
        progress = options["progress"] or silent
        run = Run(plan, source, new, known, where, outputs, kept_output, work, progress, began)
        run.top, run.least = top, least
        try:
            yield run
        except Exception:
            run.source.check_unchanged()  # a changed source explains any other error
            raise


def _work(options: Mapping[str, Any], stack: ExitStack) -> Work:
    """Opens the work folder of the options. A folder given as a path is closed by the run, a `Work` by the caller."""
    from lookalike.work.folder import Work

    folder, resume, keep = options["work"], options.get("resume", False), options.get("keep_work", False)
    return folder if isinstance(folder, Work) else stack.enter_context(Work(folder, resume=resume, keep=keep))


def _manifest(plan: Plan, source: Source) -> Manifest:
    """Creates the manifest for the work folder, which records everything that the result depends on."""
    import tomllib

    from lookalike import __version__
    from lookalike.work.manifest import Manifest

    entries = tomllib.loads(plan.to_toml())
    rules = entries.pop("shingles")
    entries |= {"shingles": str(plan.shingles)} | {name: rules[name] for name in rules if name not in ("kind", "k")}
    return Manifest.of(__version__, entries, source)


def _without_idle_threads(where: Engine, options: Mapping[str, Any], *sources: Source | None) -> Engine:
    """Returns the engine with at most one thread per core: more would only compete for the cores and take more memory.

    If files are not on this machine, threads mostly wait for the network, so there may be more of them.
    """
    from lookalike.flow.checks import check_threads

    files = [file for source in sources for file in getattr(source, "files", ())]
    cores = check_threads(None)
    if options["threads"] <= cores or any(getattr(file, "system", None) is not None for file in files):
        return where
    return engine(options["engine"], **{name: options[name] for name in ENGINE_OPTIONS} | {"threads": cores})


@dataclass(eq=False)
class Run:
    """One run: its plan, source, engine and outputs, and the work folder for finished parts, if any."""

    plan: Plan
    source: Source
    """The source of all rows: first those of the reference, if there is one, then the new rows."""
    new: Source
    """The source of the new rows, which are kept or removed."""
    reference: int
    """The number of reference rows."""
    engine: Engine
    outputs: Outputs
    kept_output: KeptOutput | None
    work: Work | None
    progress: Any
    began: float
    """The value of `time.perf_counter` at the start of the run."""
    seconds: dict[str, float] = field(default_factory=dict)
    """The wall time of each stage. The summary of the result shares this dictionary, so it also shows later stages."""
    top: int | None = None
    """The number of most similar pairs to find; None if all are."""
    least: Fraction = Fraction(0)
    """With `top`: the minimum similarity of a pair."""
    facts: dict[str, Any] = field(default_factory=dict)
    """Entries that the run adds to the engine's summary, or replaces in it."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Measures the wall time of a stage that is not part of the engine.

        Progress is reported by the stage itself.
        """
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began

    def answer(self, prefer: Prefer | None = None) -> Answer:
        """Returns the engine's answer, or the one that an interrupted run saved in the work folder. Fills `facts`.

        `prefer` returns the order in which rows are preferred as survivors.
        """
        if self.work is None:
            answer = self.engine.run(self.plan, self.source, NoParts(), self.progress, prefer)
            self.source.check_unchanged()
        else:
            answer = self._durable_answer(self.work, prefer)
        for stage, seconds in answer.summary.seconds.items():  # a search for the best pairs may run the engine again
            self.seconds[stage] = self.seconds.get(stage, 0.0) + seconds
        self.facts = {"input": describe(self.source), "seconds": self.seconds, "peak": peak()}
        summary = answer.summary
        if isinstance(self.source, ChainedSource):  # reference and input may use the same ids
            self.facts["warnings"] = tuple(one for one in summary.warnings if one.code != "duplicate-ids")
            self.facts["indexed"] = getattr(self.source.reference, "total", 0)
        elif summary.malformed and not summary.documents:
            self.facts["warnings"] = (Notice("every-row-skipped", count=summary.malformed), *summary.warnings)
        return answer

    def _durable_answer(self, work: Work, prefer: Prefer | None) -> Answer:
        from lookalike.engines.saved_result import keep_result, kept_result

        parts = work.parts
        answer = kept_result(parts, prefer)
        if answer is None:
            answer = self.engine.run(self.plan, self.source, parts, self.progress, prefer)
            self.source.check_unchanged()
            keep_result(answer, parts, prefer)
        spent = {"written": parts.disk.written, "disk": parts.disk.largest, "resumed": len(parts.reused)}
        return answer.with_summary(warnings=(*answer.summary.warnings, *parts.warnings), **spent)

    def pairs(self) -> Pairs:
        answer = self.answer() if self.top is None else self.best_answer(self.top)
        assert answer.pairs is not None
        return replace(answer.pairs, summary=replace(answer.summary, **self.facts))

    def best_answer(self, top: int) -> Answer:
        """Returns an answer with only the `top` most similar pairs."""
        from lookalike.top_pairs import TopPairs

        def answering(plan: Plan) -> Answer:
            self.plan = plan
            return self.answer()

        began, earlier = time.perf_counter(), sum(self.seconds.values())
        search = TopPairs(top, self.least, self.engine, self.source, self.progress)
        answer = search.find(self.plan, answering)
        self.source.check_unchanged()
        self.plan = answer.plan.plan
        self.seconds["join"] = time.perf_counter() - began - (sum(self.seconds.values()) - earlier)
        self.facts["warnings"] = tuple(dict.fromkeys(self.facts.get("warnings", ()) + answer.summary.warnings))
        return answer

    def clusters(self, keep: str | Sequence[str]) -> Clusters:
        from lookalike.removal import clusters_with_survivors

        return clusters_with_survivors(self, keep)[1]

    def dedupe(
        self, keep: str | Sequence[str] | None, protect: str | Sequence[str] | None = None, decisions: Any = None
    ) -> Deduped:
        """Finds the kept and removed rows, and writes them to the outputs: both or neither."""
        from lookalike.io.kept_rows import PER_WRITER
        from lookalike.io.sinks import staged
        from lookalike.removal import removed_rows

        deduped, outputs, output = removed_rows(self, keep, protect, decisions), self.outputs, self.kept_output
        rows = len(deduped.kept_rows)
        total = rows if output is not None else None
        self.progress("write", 0, total)
        with ExitStack() as both, self.stage("write"):
            if "removed" in outputs.paths and (output is None or output.table is None):
                force = "removed" in outputs.overwritable
                both.enter_context(staged(deduped.removed, outputs.paths["removed"], force=force))
            if output is not None:
                kept = np.zeros(deduped.read, dtype=bool)
                kept[deduped.kept_rows] = True
                force = "out" in outputs.overwritable
                reached = lambda written: self.progress("write", min(written, rows), total)  # noqa: E731
                threads, memory = getattr(self.engine, "threads", 1), getattr(self.engine, "memory", None)
                huge = PER_BYTE * max(0, getattr(self.engine, "largest", SMALL) - SMALL)
                writers = max(1, min(threads, (Budget.of(memory).free() - huge) // PER_WRITER))
                output.write(kept, deduped.removed, force=force, reached=reached, threads=writers)
        outputs.note("out", "removed")
        return deduped

    def reported(self, result: Found, data: Any = None) -> Found:
        """Writes the report, if one was requested, and returns the result.

        The result keeps `data`, the caller's data, for later reports. Without `data`, it keeps the source.
        """
        if self.source.in_memory and data is not None and not is_source(data) and not isinstance(data, Iterator):
            from lookalike.io.memory_source import checksum

            result._read_from(None, data, checksum(self.source))
        else:
            result._read_from(self.source)
        if (path := self.outputs.paths.get("report")) is not None:
            from lookalike.report import write_report

            self.progress("report", 0, None)
            threads, memory = getattr(self.engine, "threads", None), getattr(self.engine, "memory", None)
            force = "report" in self.outputs.overwritable
            write_report(path, result, self.source, force=force, threads=threads, memory=memory)
            self.outputs.note("report")
        return result

    def forecast(self, *, parts: bool = False) -> Forecast:
        """Predicts the result and cost of this run. `parts` is True if the run would save finished parts."""
        from lookalike.flow.checks import check_threads
        from lookalike.trust.dry_run import forecast

        memory, threads = getattr(self.engine, "memory", None), getattr(self.engine, "threads", None)
        made = forecast(
            self.plan, self.source, threads=check_threads(threads), memory=memory, parts=parts, progress=self.progress
        )
        self.source.check_unchanged()
        return made
