"""A job: a plan, its source, the engine to run it and where finished parts go; what verbs over a corpus share."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.engines import Engine, Result, engine
from lookalike.engines.registry import options as engine_options
from lookalike.errors import InvalidOption, NoSuchColumn
from lookalike.flow.arrays import to_arrow, to_numpy
from lookalike.flow.progress import Progress
from lookalike.io.chained_source import ChainedSource
from lookalike.io.open import open_source
from lookalike.io.source import Source, check_unchanged, identity_of
from lookalike.io.source_description import describe
from lookalike.notices import Notice
from lookalike.planning.plan import Goal, Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.requests.option import part
from lookalike.requests.plan import plan_from
from lookalike.requests.shared import Planning, Reading
from lookalike.results import Clusters
from lookalike.storage.parts import RESULT, NoParts, Parts

# What only some verbs need is imported by these: `find_pairs` on a small file is mostly imports.
if TYPE_CHECKING:
    from lookalike.results import Deduped, Keep
    from lookalike.work.folder import Work
    from lookalike.work.manifest import Manifest


def source_of(data: Any, reading: dict[str, Any]) -> Source:
    """A source that was opened already is taken as it is: standard input can be read only once."""
    return data if is_source(data) else open_source(data, **reading)


def is_source(data: Any) -> bool:
    return hasattr(data, "documents") and hasattr(data, "identity")


def check_path(name: str, path: Any) -> None:
    if not isinstance(path, str | os.PathLike):
        raise InvalidOption("not-a-path", option=name, type=type(path).__name__)


@contextmanager
def begin(data: Any, goal: Goal, options: Mapping[str, Any]) -> Iterator[Job]:
    """What the options of a verb over a corpus ask for, ready to run; everything that can be refused has been.

    Kept rows will go to `out`, the record of the others to `removed`. Rows of `against` are only compared with.
    """
    reading = part(options, Reading)
    where = engine(options["engine"], **{name: options[name] for name in engine_options()})
    plan = plan_from(options["plan"], goal, part(options, Planning))
    out, removed, against = (options.get(name) for name in ("out", "removed", "against"))
    force = options.get("force", False)
    outputs = [path for path in (out, removed) if path is not None]
    with ExitStack() as stack:
        work = _work(options.get("work"), options.get("resume", False), stack)
        own = {path for path in outputs if force or (work is not None and work.claimed(path))}
        source = source_of(data, reading)
        reference = None if against is None else source_of(against, reading)
        if outputs:
            _check_outputs(out, removed, own, source, [] if reference is None else [reference])
        if reference is not None:
            source = ChainedSource(reference, source)
        if work is not None:
            work.claim(outputs)
            work.start(_manifest(plan, source), source)
        yield Job(plan, source, where, work, options["progress"], identity_of(source), frozenset(own))


def _check_outputs(
    out: str | Path | None, removed: str | Path | None, own: set[str | Path], source: Source, inputs: list[Source]
) -> None:
    """Reports before the work what would prevent the writing of its results."""
    from lookalike.io.kept_rows import check_kept
    from lookalike.io.outputs import check_output, located, names_inside

    if removed is not None:
        if out is not None and located(out) == located(removed):
            raise InvalidOption("outputs-collide", first="out", second="removed", path=out)
        check_output(removed, force=removed in own, table=True, inputs=[source, *inputs])
    if out is not None:
        inside = [] if removed is None else names_inside(out, [removed])
        check_kept(source, out, force=out in own, companions=inside, inputs=inputs)


def _work(folder: str | Path | Work | None, resume: bool, stack: ExitStack) -> Work | None:
    """The work folder. One that was given as a path is ended by the stack, one that was given as such by its owner."""
    if folder is None:
        if resume:
            raise InvalidOption("resume-without-work", option="resume")
        return None
    from lookalike.work.folder import Work

    if isinstance(folder, Work):
        return folder
    return stack.enter_context(Work(folder, resume=resume))


def _manifest(plan: Plan, source: Source) -> Manifest:
    """What the result depends on, as a work folder keeps it."""
    import tomllib

    from lookalike import __version__
    from lookalike.work.manifest import Manifest

    said = tomllib.loads(plan.to_toml())
    rules = said.pop("shingles")
    said |= {"shingles": str(plan.shingles)} | {name: rules[name] for name in rules if name not in ("kind", "k")}
    return Manifest.of(__version__, said, source)


@dataclasses.dataclass(frozen=True)
class Job:
    """A plan, its source, the engine to run it, and where finished parts go."""

    plan: Plan
    source: Source
    engine: Engine
    work: Work | None
    progress: Progress | None
    identity: str | None
    """Of the source when the job began."""
    own: frozenset[str | Path]
    """Outputs that may be overwritten: by force, or since this run wrote them itself before it was interrupted."""

    @property
    def reference(self) -> int:
        """Rows at the start of the source that are only compared with."""
        return self.source.reference_rows if isinstance(self.source, ChainedSource) else 0

    @property
    def written(self) -> Source:
        """The source whose rows are kept or removed."""
        return self.source.new if isinstance(self.source, ChainedSource) else self.source

    @property
    def written_identity(self) -> str | None:
        """Of these when the job began."""
        return self.source.new_identity if isinstance(self.source, ChainedSource) else self.identity

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Around all that reads the source: raises if it changed, because the answer is then about other rows."""
        try:
            yield
        except Exception:
            check_unchanged(self.source, self.identity)  # it explains whatever went wrong
            raise
        check_unchanged(self.source, self.identity)

    def run(self) -> Result:
        result = self._found()
        warnings = result.summary.warnings
        if isinstance(self.source, ChainedSource):  # where both sides may well have a document of one id
            warnings = tuple(one for one in warnings if not isinstance(one, Notice) or one.code != "duplicate-ids")
        return result.telling(input=describe(self.source), warnings=warnings)

    def _found(self) -> Result:
        if self.work is None:
            with self.steady():
                return self.engine.run(self.plan, self.source, NoParts(), self.progress)
        from lookalike.engines.saved_result import keep_result, kept_result

        parts = self.work.parts
        with self.steady():
            result = kept_result(parts)
            if result is None:
                result = self.engine.run(self.plan, self.source, parts, self.progress)
                keep_result(result, parts)
        spent = {"written": parts.disk.written, "disk": parts.disk.largest, "resumed": len(parts.reused)}
        return result.telling(warnings=(*result.summary.warnings, *parts.warnings), **spent)

    def clusters(self, keep: Keep) -> tuple[Result, Clusters]:
        from lookalike.results import choose_survivors, preference

        if keep.column is not None and keep.column not in self.source.columns:
            raise NoSuchColumn.named(keep.column, self.source.columns, self.source.name, "keep")
        result = self.run()
        assert result.clusters is not None
        if self.progress:
            self.progress("keep", 0, None)
        values = None
        if keep.column is not None:
            with self.steady():
                chunks = [batch.data.column(0) for batch in self.source.read([keep.column])]
            values = pa.chunked_array(chunks or [pa.nulls(0)])
        known: dict[str, Any] = {"lengths": result.lengths, "values": values}
        keep = dataclasses.replace(keep, reference=self.reference)
        if result.edges is not None:
            left, right = result.edges
            among = np.maximum(left, right) < keep.reference  # the reference stays whole: each may stand for new ones
            order = preference(keep, len(result.clusters.labels), **known)
            result = dataclasses.replace(result, edges=(left[~among], right[~among])).preferring(order)
        assert result.clusters is not None
        survivors = choose_survivors(result.clusters.labels, keep, **known)
        return result, dataclasses.replace(result.clusters, survivors=survivors)

    def dedupe(self, keep: Keep) -> Deduped:
        from lookalike.results.deduped import Deduped, KeptRows

        result, clusters = self.clusters(keep)
        survivors = clusters.survivors
        assert survivors is not None
        reference, rows = self.reference, np.arange(len(survivors), dtype=np.int64)
        stays = (survivors == rows) | (rows < reference)
        gone = np.flatnonzero(~stays)
        table = clusters.to_arrow()
        removed = {
            "id": table["id"].take(gone),
            "kept": table["representative"].take(gone),
            "similarity": self._similarity(result, gone, survivors[gone]),
            "cluster": table["cluster"].take(gone),
        }
        if isinstance(self.source, ChainedSource):
            old = survivors[gone] < reference
            if clusters.ids is None:  # positions, in either collection
                removed |= {"id": gone - reference, "kept": np.where(old, survivors[gone], survivors[gone] - reference)}
            removed["kept_in"] = pa.array(np.where(old, "against", "input"), pa.string())
        kept = np.flatnonzero(stays[reference:])
        account = clusters.summary.stamp(pa.table(removed))
        read = KeptRows(self.written, self.written_identity, stays[reference:])
        return Deduped(clusters, kept, account, read, reference)

    def _similarity(self, result: Result, left: Any, right: Any) -> Any:
        """Exact similarities; copies need no reading."""
        first = result.copy_of if result.copy_of is not None else np.arange(result.summary.documents)
        apart = np.flatnonzero(first[left] != first[right])
        similarity = np.ones(len(left))
        similarity[apart] = self._measured(result.plan, first[left[apart]], first[right[apart]])
        return similarity

    def _measured(self, plan: ResolvedPlan, left: Any, right: Any) -> Any:
        """By the engine, unless this run did so before it was interrupted."""
        parts: Parts = NoParts() if self.work is None else self.work.parts
        pairs = hashlib.blake2b(left.tobytes() + right.tobytes(), digest_size=8).hexdigest() if parts.keeps else ""
        if (known := parts.get(f"{RESULT}-measured-{pairs}")) is not None:
            return to_numpy(known["similarity"])
        with self.steady():
            similarity = self.engine.measure(plan, self.source, left, right)
        parts.put(f"{RESULT}-measured-{pairs}", pa.table({"similarity": to_arrow(similarity)}))
        return similarity
