"""The verbs: data in, answers out. Each builds a plan, opens the source and hands both to an engine."""

from __future__ import annotations

import dataclasses
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

import numpy as np
import pyarrow as pa

from lookalike.engines import Engine, Progress, Result, engine
from lookalike.errors import InvalidOption, NoSuchColumn
from lookalike.flow import Auto, Chars, Clusters, Joined, Pairs, Shingling, parse_shingling
from lookalike.flow.arrays import to_arrow, to_numpy
from lookalike.io.chained import ChainedSource
from lookalike.io.description import describe, reopen
from lookalike.io.open import open_source
from lookalike.io.sinks import check_writable
from lookalike.io.source import Source, check_unchanged, identity_of
from lookalike.plan import Goal, Plan, ResolvedPlan
from lookalike.work import NoParts
from lookalike.work.parts import RESULT, Parts

# What only some verbs need is imported by these: `find_pairs` on a small file is mostly imports.
if TYPE_CHECKING:
    from lookalike.comparison import Comparison
    from lookalike.frequent import BasketOptions, FrequentPairs, Method
    from lookalike.joins.question import Question
    from lookalike.results import Deduped, Keep
    from lookalike.trust.audit import Audit
    from lookalike.trust.contamination import Contamination
    from lookalike.trust.forecast import Forecast
    from lookalike.work.folder import Work
    from lookalike.work.manifest import Manifest


READING = ("column", "id", "basket", "separator", "transpose", "format", "on_error", "batch_rows")
"""Options about how the data is read: those of `open_source`."""


class PlanOptions(TypedDict, total=False):
    """What goes into the plan; see `Plan` and the classes of shingles for the meaning and the defaults."""

    threshold: float | str
    recall: float
    method: Literal["auto", "exact", "lsh"]
    hashes: int
    bands: int | None
    rows: int | None
    sketch: Literal["fast", "classic"]
    verify: Literal["exact", "signature", "none"]
    linkage: Literal["connected", "star"]
    seed: int
    ignore_common: float | str | None
    shingles: str | Shingling
    whitespace: Literal["fold", "drop", "keep"]
    case: Literal["fold", "keep"]
    normalize: Literal["nfkc", "none"]
    bag: bool
    bits: Literal[32, 64]


class Options(PlanOptions, total=False):
    """What every verb over a corpus takes: the plan's options, how to read the data, and where to work."""

    plan: Plan | str | Path | None
    """A plan, or the path of a saved one; other plan options then change single entries of it."""
    column: str | None
    id: str | None
    basket: str | None
    """The column that says which set an item is in, in a table of one item a row."""
    separator: str | None
    """What stands between the items of a basket file (default: white space; in .csv a comma, in .tsv a tab)."""
    transpose: bool
    """Turns sets around: what was an item becomes a set, of all sets that held it."""
    format: str | None
    on_error: Literal["fail", "skip"]
    batch_rows: int
    engine: str | Engine
    threads: int | None
    memory: int | str | None
    """The most that the process may hold, such as "2GiB"; what does not fit is kept in files. Default: half of what is
    free. The answer does not depend on it."""
    progress: Progress | None
    work: str | Path | Work | None
    """A folder for finished parts, which are removed when all is done; or a `Work`, which says when that is."""
    resume: bool
    """Go on after the parts of an interrupted run, if there are any in `work`; without it they are refused."""


class AuditOptions(TypedDict, total=False):
    """What `audit` takes besides the result: how to read the data, where not as for the result, and how to run."""

    column: str
    id: str | None
    format: str | None
    on_error: Literal["fail", "skip"]
    batch_rows: int
    threads: int | None
    progress: Progress | None


class ContaminationOptions(TypedDict, total=False):
    """What `contamination` takes besides its question: how to read the data, how to cut texts, and how to run."""

    column: str
    id: str | None
    test_column: str | None
    """Of the test data, where it has other names than the training data."""
    test_id: str | None
    format: str | None
    on_error: Literal["fail", "skip"]
    batch_rows: int
    whitespace: Literal["fold", "drop", "keep"]
    case: Literal["fold", "keep"]
    normalize: Literal["nfkc", "none"]
    bits: Literal[32, 64]
    threads: int | None
    progress: Progress | None


class JoinOptions(TypedDict, total=False):
    """What `join` takes besides its question: how to read the data, how to cut texts, and where to run."""

    column: str | None
    id: str | None
    basket: str | None
    right_column: str | None
    """Of the right collection, where it has other names than the left."""
    right_id: str | None
    right_basket: str | None
    separator: str | None
    transpose: bool
    format: str | None
    on_error: Literal["fail", "skip"]
    batch_rows: int
    shingles: str | Shingling
    whitespace: Literal["fold", "drop", "keep"]
    case: Literal["fold", "keep"]
    normalize: Literal["nfkc", "none"]
    bag: bool
    bits: Literal[32, 64]
    threads: int | None
    progress: Progress | None


def find_pairs(data: Any, **options: Unpack[Options]) -> Pairs:
    """Every pair of similar documents, with its exact similarity.

    `data` is a list of texts or of token lists, a table (pandas, Polars, pyarrow, DuckDB …), a path, a glob, a
    folder, a URL or "-". A pair at the threshold is found with probability `recall`, more similar ones with more;
    every pair returned was verified.

    >>> texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    >>> find_pairs(texts, threshold=0.8, shingles="words:2").top()
    [(0, 1, 1.0)]
    """
    with _job(data, "pairs", options) as job:
        result = job.run()
        assert result.pairs is not None
        return result.pairs


def find_clusters(data: Any, *, keep: str = "first", **options: Unpack[Options]) -> Clusters:
    """Groups of similar documents, each with a representative: what is connected by similar pairs.

    With linkage="star" every member is similar to its representative itself.

    >>> texts = ["the cat sat on the mat today", "a dog", "The cat sat on the mat, today!"]
    >>> find_clusters(texts, threshold=0.8, shingles="words:2").members()
    [[0, 2]]
    """
    from lookalike.results import Keep

    with _job(data, "clusters", options) as job:
        return job.clusters(Keep.parse(keep))[1]


def dedupe(
    data: Any,
    *,
    against: Any = None,
    keep: str = "first",
    out: str | Path | None = None,
    removed: str | Path | None = None,
    force: bool = False,
    **options: Unpack[Options],
) -> Deduped:
    """One survivor of every cluster. With `out` the kept rows are written there, in the input's format.

    Everything removed is listed, with the id of what was kept in its place and its similarity to it; with `removed`
    that table is written there. Both are written, or neither.

    `against` is a reference, read like the data: what is similar to any of it goes too, and nothing of it is touched.

    >>> texts = ["the cat sat on the mat today", "a dog", "The cat sat on the mat, today!"]
    >>> result = dedupe(texts, threshold=0.8, shingles="words:2")
    >>> result.kept["text"].to_pylist(), result.removed.to_pylist()
    (['the cat sat on the mat today', 'a dog'], [{'id': 2, 'kept': 0, 'similarity': 1.0, 'cluster': 0}])
    >>> dedupe(texts, against=["A dog."], threshold=0.8, shingles="words:2").kept["text"].to_pylist()
    ['the cat sat on the mat today']
    """
    from lookalike.io import names_inside, staged, write_kept
    from lookalike.results import Keep

    rule = Keep.parse(keep)
    for name, path in (("out", out), ("removed", removed)):
        if path is not None:
            _check_path(name, path)
    with _job(data, "clusters", options, out, removed, force, against) as job:
        deduped = job.dedupe(rule)
        inside = [] if out is None or removed is None else names_inside(out, [removed])
        with staged(deduped.removed, None if inside else removed, force=removed in job.own):
            if out is not None:
                kept = np.zeros(deduped.read, dtype=bool)
                kept[deduped.kept_rows] = True
                tables = dict.fromkeys(inside, deduped.removed)
                with job.steady():
                    write_kept(
                        job.written, kept, out,
                        force=out in job.own, companions=tables, identity=job.written_identity,
                    )  # fmt: skip
        return deduped


def join(
    left: Any,
    right: Any = None,
    *,
    measure: str = "jaccard",
    threshold: float | str | None = None,
    distance: int | None = None,
    top: int | None = None,
    **options: Unpack[JoinOptions],
) -> Joined:
    """All similar pairs of two collections, or of one with itself; exact: every pair is true and none is missed.

    Sets, and texts cut into shingles, are joined by `jaccard`, `dice`, `cosine`, `overlap`, `containment` (of left in
    right) or `sum-bag` at a `threshold`, by `shared` at a least number of common elements, or by `hamming` at a
    `distance`; texts as strings by `edit` (insertions and deletions) or `levenshtein` (replacements too) at a
    `distance`. `top` keeps the nearest few of each left row.

    >>> join([["milk", "bread"], ["beer"]], [["bread", "milk", "eggs"]], threshold=0.6).top()
    [(0, 0, 0.6666666666666666)]
    >>> join(["Jon Smith", "John Smyth", "Mary Jones"], measure="levenshtein", distance=2).top()
    [(0, 1, 2)]
    """
    from lookalike.joins.question import Question
    from lookalike.joins.sources import join_sources
    from lookalike.work.threads import check_threads

    question = Question.of(measure, threshold, distance, top)
    rest: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    threads, progress = check_threads(rest.pop("threads", None)), rest.pop("progress", None)
    reading: dict[str, Any] = {name: rest.pop(name) for name in READING if name in rest}
    of_right = {name: rest.pop(f"right_{name}") for name in ("column", "id", "basket") if f"right_{name}" in rest}
    shingles = _shingles_of_join(question, rest)
    one, two = _source(left, reading), None if right is None else _source(right, reading | of_right)
    return join_sources(one, two, question, shingles, threads=threads, progress=progress)


def audit(
    result: Any,
    data: Any = None,
    *,
    sample: int = 1000,
    seed: int = 0,
    **options: Unpack[AuditOptions],
) -> Audit:
    """Measured recall: the true partners of `sample` documents, found exactly in all the data, held against a result.

    `result` is what `find_pairs`, `find_clusters` or `dedupe` gave, its table, or the path of the table (Parquet) or
    of a result folder. `data` is what it was made of; it may be left out where the result says which files these are.
    Columns are read as they were for the result unless the options say otherwise.

    >>> texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    >>> audit(find_pairs(texts, shingles="words:2"), texts)
    Audit(recall 1 (95 % interval 1 … 1), of 2 pairs of 3 sampled documents)
    """
    from lookalike.trust.audit import audit_result
    from lookalike.trust.reported import Reported
    from lookalike.work.threads import check_threads

    rest: dict[str, Any] = dict(options)
    threads, progress = check_threads(rest.pop("threads", None)), rest.pop("progress", None)
    unknown = rest.keys() - AuditOptions.__annotations__.keys()
    if unknown:
        raise InvalidOption(f"audit has no option {min(unknown)!r}")
    reported = Reported.of(result)
    source, warnings = (data, ()) if _is_source(data) else reopen(reported.input, data, **rest)
    return audit_result(
        reported, source, sample=sample, seed=seed, threads=threads, progress=progress or _silent, warnings=warnings
    )


def contamination(
    train: Any,
    test: Any,
    *,
    threshold: float | str = 0.8,
    shingles: str | Shingling | None = None,
    top: int = 1,
    **options: Unpack[ContaminationOptions],
) -> Contamination:
    """Which test documents stand in the training data: whole in one document, or in pieces all over it.

    A test document counts if at least `threshold` of its shingles are in one training document (containment; its `top`
    nearest are listed), or in all of them together. Shingles are runs of 8 words unless said otherwise. The test data
    is held in memory; the training data is read block by block and may have any size.

    >>> pages = ["a dog", "he said: the cat sat on the mat and looked at the moon for a long time, and left"]
    >>> found = contamination(pages, ["The cat sat on the mat and looked at the moon for a long time."])
    >>> found.contained, found.table["train"].to_pylist(), found.table["containment"].to_pylist()
    (1, [1], [1.0])
    """
    from lookalike.flow.threshold import Threshold
    from lookalike.trust.contamination import find_contamination
    from lookalike.work.threads import check_threads

    rest: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    threads, progress = check_threads(rest.pop("threads", None)), rest.pop("progress", None)
    if not isinstance(top, int) or isinstance(top, bool) or top < 1:
        raise InvalidOption(
            f"top, the number of training documents for each test document, must be 1 or more, got {top!r}"
        )
    reading: dict[str, Any] = {name: rest.pop(name) for name in READING if name in rest}
    of_test = {name: rest.pop(f"test_{name}") for name in ("column", "id") if f"test_{name}" in rest}
    rules = {name: rest.pop(name) for name in ("whitespace", "case", "normalize", "bits") if name in rest}
    if rest:
        raise InvalidOption(f"contamination has no option {min(rest)!r}")
    asked = None
    if shingles is not None or rules:
        asked = parse_shingling("words:8" if shingles is None else shingles, **rules)
    sources = _source(train, reading), _source(test, reading | of_test)
    return find_contamination(
        *sources, threshold=Threshold(threshold), shingles=asked, top=top, threads=threads,
        progress=progress or _silent,
    )  # fmt: skip


def forecast(data: Any, *, goal: Goal = "pairs", **options: Unpack[Options]) -> Forecast:
    """A dry run: what a run with these options would find, and what it would take, before it is made.

    All texts are read and signed, but nothing is listed: candidates and pairs are estimated from whole buckets of a
    share of the key space, which scale to all of it. It says which method would be taken and why, and warns.

    >>> texts = ["the cat sat on the mat today", "The cat sat on the mat, today!", "a dog"]
    >>> expected = forecast(texts, threshold=0.8, shingles="words:2")
    >>> expected.plan.method, expected.documents, expected.exact_copies, expected.pairs
    ('exact', 3, 1, 1)
    """
    from lookalike.trust.forecast import forecast
    from lookalike.work.threads import check_threads

    threads = options.get("threads")
    with _job(data, goal, options) as job, job.steady():
        parts = job.work is not None
        return forecast(job.plan, job.source, threads=check_threads(threads), parts=parts, progress=job.progress)


def compare(a: str, b: str, **options: Unpack[PlanOptions]) -> Comparison:
    """Two texts side by side: every measure that applies, and the passages they share."""
    from lookalike.comparison import compare

    texts: tuple[Any, Any] = (a, b)
    for text in texts:
        if isinstance(text, bytes | bytearray) or not isinstance(text, Iterable):
            raise InvalidOption(f"compare takes two texts, or two lists of tokens, got {type(text).__name__}")
    return compare(a, b, plan_from(None, "pairs", options))


def frequent_pairs(
    baskets: Any,
    *,
    support: int | float | str,
    method: Method | Literal["auto"] = "auto",
    memory: int | str = "256MiB",
    threads: int | None = None,
    progress: Progress | None = None,
    **reading: Unpack[BasketOptions],
) -> FrequentPairs:
    """Pairs of items that are in at least `support` baskets together: a number of baskets, or a share of all (0.01).

    `baskets` is a list of lists, a file of one basket a line, or a table; see `BasketOptions`. The data is read twice
    and may be larger than `memory`, which is for the whole process but for the pairs found; too little of it costs
    further passes, and the `report` of the result says so. The answer is the same for every method, memory and number
    of threads: `apriori` is the quickest where pairs fit into memory, `pcy`, `multihash` and `multistage` need less of
    it. "auto" is pcy for files larger than `memory`, else apriori.

    >>> frequent_pairs([["milk", "bread"], ["bread", "milk", "eggs"], ["beer"]], support=2).top()
    [('bread', 'milk', 2)]
    """
    from lookalike.frequent import find_frequent_pairs

    return find_frequent_pairs(
        baskets, support=support, method=method, memory=memory, threads=threads, progress=progress, **reading
    )


def plan_from(plan: Plan | str | Path | None, goal: Goal, options: PlanOptions) -> Plan:
    """The plan of a call: a given one or the default, with the options of the call put in.

    Bands and rows of a saved plan were chosen for its threshold, recall, method and hashes: another of these chooses
    them anew.
    """
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    unknown = given.keys() - PlanOptions.__annotations__.keys()
    if unknown:
        raise InvalidOption(f"there is no option {sorted(unknown)[0]!r}")
    if not isinstance(plan, Plan | str | os.PathLike | None):
        raise InvalidOption(f"plan must be a Plan or the path of a saved one, got {type(plan).__name__}")
    if not isinstance(given.get("bag", False), bool):
        raise InvalidOption(f"bag must be True or False, got {given['bag']!r}")
    base = Plan() if plan is None else plan if isinstance(plan, Plan) else Plan.load(plan)
    rules = {name: given.pop(name) for name in ("whitespace", "case", "normalize", "bag", "bits") if name in given}
    shingles = given.pop("shingles", base.shingles)
    if rules.get("whitespace") and not isinstance(parse_shingling(shingles), Chars | Auto):
        raise InvalidOption(f"whitespace is a rule of character shingles; it has no meaning for '{shingles}'")
    if isinstance(shingles, str):  # another kind of shingle leaves the plan's other rules as they were
        rules = {name: getattr(base.shingles, name) for name in ("case", "normalize", "bag", "bits")} | rules
    unchecked = given.get("verify", "exact") != "exact" and base.rows == 0  # an exact join always compares
    if given.keys() & {"threshold", "recall", "method", "hashes"} or unchecked:
        base = dataclasses.replace(base, bands=None, rows=None)
    return dataclasses.replace(base, goal=goal, shingles=parse_shingling(shingles, **rules), **given)


def resolve_plan(data: Any, plan: Plan, **reading: Any) -> ResolvedPlan:
    """What a plan would be resolved to on this data: how its texts are cut, and whether they are joined exactly."""
    from lookalike.survey import resolve

    source = _source(data, reading)
    return resolve(plan, source, engine("local", 1))


def _shingles_of_join(question: Question, options: dict[str, Any]) -> Shingling:
    """How texts are cut for a join; strings are not cut, and taken as they are unless the options say otherwise."""
    if not question.of_sets:
        meaningless = options.keys() & {"shingles", "whitespace", "bag", "bits"}
        if meaningless:
            raise InvalidOption(
                f"{question.measure} compares texts letter by letter; {min(meaningless)} has no meaning for it"
            )
        options = {"shingles": "chars:1", "case": "keep", "normalize": "none"} | options
    elif question.measure == "sum-bag":
        options = {"bag": True} | options
    unknown = options.keys() - JoinOptions.__annotations__.keys()
    if unknown:
        raise InvalidOption(f"join has no option {min(unknown)!r}")
    return parse_shingling(plan_from(None, "pairs", options).shingles)  # type: ignore[arg-type]


def _source(data: Any, reading: dict[str, Any]) -> Source:
    """A source that was opened already is taken as it is: standard input can be read only once."""
    return data if _is_source(data) else open_source(data, **reading)


def _is_source(data: Any) -> bool:
    return hasattr(data, "documents") and hasattr(data, "identity")


def _silent(stage: str, done: int, total: int | None) -> None:
    pass


def _check_path(name: str, path: Any) -> None:
    if not isinstance(path, str | os.PathLike):
        raise InvalidOption(f"{name} must be a path, got {type(path).__name__}")


@contextmanager
def _job(
    data: Any,
    goal: Goal,
    options: Options,
    out: str | Path | None = None,
    removed: str | Path | None = None,
    force: bool = False,
    against: Any = None,
) -> Iterator[_Job]:
    """What the options ask for, ready to run: everything that can be refused has been.

    Kept rows will go to `out`, the record of the others to `removed`. Rows of `against` are only compared with.
    """
    rest: dict[str, Any] = dict(options)
    reading: dict[str, Any] = {name: rest.pop(name) for name in READING if name in rest}
    where = engine(rest.pop("engine", "local"), rest.pop("threads", None), rest.pop("memory", None))
    if not hasattr(where, "run"):
        raise InvalidOption(f"engine must be the name of an engine or an Engine, got {where!r}")
    folder, resume, progress = rest.pop("work", None), rest.pop("resume", False), rest.pop("progress", None)
    plan = plan_from(rest.pop("plan", None), goal, rest)  # type: ignore[arg-type]
    outputs = [path for path in (out, removed) if path is not None]
    with ExitStack() as stack:
        work = _work(folder, resume, stack)
        own = {path for path in outputs if force or (work is not None and work.claimed(path))}
        for path in outputs:
            check_writable(path, path in own)
        source = _source(data, reading)
        if out is not None:
            from lookalike.io import check_kept_writable, names_inside

            inside = [] if removed is None else names_inside(out, [removed])
            check_kept_writable(source, out, out in own, inside)  # what it would say after the work it says before
        if against is not None:
            source = ChainedSource(_source(against, reading), source)
        if work is not None:
            work.claim(outputs)
            work.start(_manifest(plan, source), source)
        yield _Job(plan, source, where, work, progress, identity_of(source), frozenset(own))


def _work(folder: str | Path | Work | None, resume: bool, stack: ExitStack) -> Work | None:
    """The work folder. One that was given as a path is ended by the stack, one that was given as such by its owner."""
    if folder is None:
        if resume:
            raise InvalidOption("--resume / resume= needs --work / work=: the folder of the run that was interrupted")
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
class _Job:
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
            warnings = tuple(said for said in warnings if not said.startswith("ids are not unique"))
        return result.telling(input=describe(self.source), warnings=warnings)

    def _found(self) -> Result:
        if self.work is None:
            with self.steady():
                return self.engine.run(self.plan, self.source, NoParts(), self.progress)
        from lookalike.engines.finished import keep_result, kept_result

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
            raise NoSuchColumn.named(
                keep.column, self.source.columns, self.source.name, "--keep best:COLUMN / keep='best:COLUMN'"
            )
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
        from lookalike.results import Deduped

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
        return Deduped(clusters, kept, account, self._reader(stays[reference:]), reference)

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

    def _reader(self, kept: Any) -> Callable[[], pa.Table]:
        from lookalike.io.kept import schema_of

        def read() -> pa.Table:
            with self.steady():
                batches = [
                    batch.data.filter(pa.array(kept[batch.start : batch.start + len(batch)]))
                    for batch in self.written.read()
                ]
            return pa.Table.from_batches(batches, None if batches else schema_of(self.written))

        return read


__all__ = [
    "audit",
    "compare",
    "contamination",
    "dedupe",
    "find_clusters",
    "find_pairs",
    "forecast",
    "frequent_pairs",
    "join",
    "plan_from",
    "resolve_plan",
]
