"""A run of `find_clusters` or `dedupe` over vectors: documents are similar if their vectors are.

    request ─▶ measure, vectors, rows ─▶ near pairs ─▶ survivors ─▶ Run

`start` in `run.py` calls `vector_run`, and makes a `Run` like any other. Its engine is a `VectorEngine`, which joins
vectors instead of texts. Rules, protected rows, decisions and outputs work as for texts.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import tomli_w

from lookalike.engines.base import Answer
from lookalike.engines.stages.checking import Counts
from lookalike.engines.stages.survivors import PreferredCopies, from_pairs
from lookalike.errors import InvalidOption, MalformedInput, NoSuchColumn
from lookalike.flow.arrays import Rows, strings, take
from lookalike.flow.checks import check_one_of, check_threads
from lookalike.flow.progress import Progress, silent
from lookalike.io.file_source import COLUMN
from lookalike.io.open import open_source
from lookalike.io.outputs import Outputs
from lookalike.io.source import Source
from lookalike.io.vectors import Vectors, open_vectors
from lookalike.joins.vectors import join_vectors
from lookalike.joins.vectors.bits import HammingBits
from lookalike.joins.vectors.input_checks import checked, places_of
from lookalike.joins.vectors.measure_names import MEASURES, check_name, measure_of
from lookalike.joins.vectors.measures import Matrix, Measure, Values
from lookalike.joins.vectors.plan import Method
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.planning.plan import Plan
from lookalike.requests.clustering import Dedupe, FindClusters, VectorClusters, VectorDedupe
from lookalike.requests.option import declared, part
from lookalike.requests.reading import Reading
from lookalike.requests.shared import Search
from lookalike.results.clusters import Clusters, star_labels
from lookalike.results.deduped import IDENTICAL, NEAR_COPY
from lookalike.results.summary import Summary
from lookalike.results.survivors import Keep
from lookalike.storage.budget import Budget

if TYPE_CHECKING:
    from lookalike.flow.preference import Prefer

SIMILARITIES = tuple(name for name in MEASURES if name != "euclidean")
"""The measures by which documents can be removed. They are similarities, or a share of equal bits."""

COPIES = 3
"""The number of copies of the vectors that a join may have in memory."""


@contextmanager
def vector_run(data: Any, options: Mapping[str, Any], *, rows: bool) -> Iterator[dict[str, Any]]:
    """Checks the options, opens rows, vectors and outputs, and yields the fields of the run."""
    from lookalike.io.kept_rows import KeptOutput

    began = time.perf_counter()
    allowed = (VectorDedupe if rows else VectorClusters).__annotations__
    usual = {name: field.option.default for name, field in declared(Dedupe if rows else FindClusters).items()}
    for name, value in options.items():
        if name not in allowed and name in usual and value != usual[name]:
            raise InvalidOption("not-for-vectors", option=name)
    for name in ("forecast", "audit", "save_plan"):  # options of the commands
        if options.get(name):
            raise InvalidOption("not-for-vectors", option=name)
    measure = _measure(options)
    for rule in Keep.parse(options.get("keep") or "first").rules:
        if rule.name in ("longest", "shortest"):
            raise InvalidOption("keep-by-length-of-vectors", rule=rule.name)
    threads, budget = check_threads(options["threads"]), Budget.of(options["memory"])
    linkage = options.get("linkage") or ("star" if rows else "connected")
    check_one_of("linkage", linkage, ("connected", "star"))
    plan = Plan.from_options(None, "clusters", {"linkage": linkage})
    with ExitStack() as stack:
        stack.enter_context(budget.in_force())
        paths = {name: options.get(name) for name in ("out", "removed")}
        outputs = Outputs(
            paths,
            force=options.get("force", False),
            tables=("removed",) if rows else ("out", "removed"),
            folder="out" if rows else None,
        )
        given = _vectors(data, options["vectors"])
        source = _rows(data, part(options, Reading), options["vectors"])
        if outputs.paths:
            outputs.check_inputs(source)
        budget.require(COPIES * np.asarray(given.matrix).nbytes, Notice("memory-for-vectors", rows=len(given)))
        matrix = checked(given.matrix, given.name, bits=measure.on_bits)
        measure.check(matrix, given.name)
        if source.total_rows() not in (None, len(matrix)):
            raise InvalidOption("rows-without-vectors", rows=source.total_rows(), vectors=len(matrix))
        kept_output = None
        if rows and "out" in outputs.paths:
            kept_output = KeptOutput(source, outputs.paths["out"], outputs.targets.get("removed"))
        search = {"recall": 0.99, "method": "auto", "seed": 0} | part(options, Search)
        engine: Any = VectorEngine(
            measure,
            matrix,
            given.name,
            options["vectors"],
            options.get("id"),
            linkage,
            search,
            threads,
            options["memory"],
        )
        progress = options["progress"] or silent
        yield {
            "plan": plan, "source": source, "new": source, "reference": 0, "engine": engine, "outputs": outputs,
            "kept_output": kept_output, "work": None, "progress": progress, "began": began,
        }  # fmt: skip


def _measure(options: Mapping[str, Any]) -> Measure:
    name = check_name(options["measure"] or "cosine")
    check_one_of("measure", name, SIMILARITIES)
    return measure_of(name, options.get("threshold"), options.get("distance"))


def _vectors(data: Any, column: str) -> Vectors:
    """Opens the vectors. Errors name the option `vectors`, because `column` names the texts."""
    try:
        return open_vectors(data, column=column)
    except NoSuchColumn as error:
        raise NoSuchColumn(error.code, **{**error.values, "options": ("vectors",)}) from None
    except (InvalidOption, MalformedInput) as error:
        if error.code == "array-has-no-columns":
            raise InvalidOption("vectors-not-in-a-table", name=error.values["name"]) from None
        if error.code == "not-a-vector-column":
            raise MalformedInput(error.code, **{**error.values, "option": "vectors"}) from None
        raise


def _rows(data: Any, reading: Mapping[str, Any], vectors: str) -> Source:
    """Opens the rows. A table without a column of texts has the vectors in its place: texts are not compared."""
    try:
        return open_source(data, **reading)
    except NoSuchColumn as error:
        if "column" in reading or error.values.get("options") != (COLUMN,):
            raise
    table = pa.table(data) if isinstance(data, Mapping) else data
    return open_source(table, **reading, column=vectors, any_type=True)


@dataclass(frozen=True, eq=False)
class VectorEngine:
    """Finds clusters of documents by their vectors, with the methods of an engine that `removal.py` calls."""

    measure: Measure
    matrix: Matrix
    source_name: str
    column: str
    """The column of the vectors."""
    id: str | None
    """The column of the ids."""
    linkage: str
    search: Mapping[str, Any]
    threads: int
    memory: int | str | None
    name: str = "local"

    def run(self, plan: Plan, source: Source, parts: Any, progress: Progress, prefer: Prefer | None) -> Answer:
        began, rows = time.perf_counter(), len(self.matrix)
        ids = _ids(source, self.id)
        lengths = np.zeros(rows, np.int64)  # `longest` and `shortest` leave ties
        preferred = PreferredCopies.of(prefer, first_of_equal(self.matrix), lengths)
        usable = self.measure.usable(self.matrix)
        empty = np.zeros(rows, bool) if usable is None else ~usable
        distinct = np.flatnonzero(~preferred.left_out(empty))
        progress("join", 0, None)
        method: Method = self.search["method"]
        near = join_vectors(
            self.matrix[distinct], self.measure, recall=self.search["recall"], seed=self.search["seed"], method=method,
            threads=self.threads, name=self.source_name, progress=progress,
        )  # fmt: skip
        kernel = default(self.threads)
        survivors: Rows | None = None
        if self.linkage == "star":
            counts = Counts(near.checked, None)
            chosen = from_pairs(kernel, preferred.among(distinct), near.left, near.right, near.value, counts)
            survivors, _ = preferred.for_rows(chosen, distinct)
            labels = star_labels(survivors)
        else:
            copies = np.flatnonzero(preferred.first != np.arange(rows))
            left = np.concatenate([distinct[near.left], preferred.first[copies]])
            labels = Clusters.from_edges(rows, left, np.concatenate([distinct[near.right], copies])).labels
        sizes = np.bincount(labels, minlength=max(1, rows))
        summary = Summary(
            documents=rows,
            empty=int(np.count_nonzero(empty)),
            checked=near.checked,
            clusters=int(np.count_nonzero(sizes >= 2)),
            clustered=int(sizes[sizes >= 2].sum()),
            seconds={"join": time.perf_counter() - began},
            memory=Budget.of(self.memory).limit,
            plan=tomli_w.dumps(self._rules() | {"how": str(near.plan.reason)} | near.plan.to_dict()),
        )
        similarity = None
        if survivors is not None:
            similarity = self.similarity(np.arange(rows, dtype=np.int64), survivors)
        clusters = Clusters(labels, survivors, ids, summary)
        return Answer(plan.resolve(), summary, ids, None, clusters, lengths, None, survivors, similarity)

    def _rules(self) -> dict[str, Any]:
        """Returns the request, in the form saved with a result. It has no shingles, so it is not a plan for texts."""
        option = "distance" if self.measure.is_distance else "threshold"
        request = {"vectors": self.column, "measure": self.measure.name, option: self.measure.bound}
        return request | {"recall": float(self.search["recall"]), "linkage": self.linkage}

    def similarity(self, left: Rows, right: Rows) -> Values:
        """Returns the exact similarities of pairs of rows; for the Hamming distance, the shares of equal bits."""
        values = np.ones(len(left))
        other = np.flatnonzero(left != right)
        found = self.measure.values(self.matrix, self.matrix, left[other], right[other], self.threads)
        if isinstance(self.measure, HammingBits):
            found = 1 - found / places_of(self.matrix, True)
        values[other] = found
        return values

    def measure_rows(self, left: Rows, right: Rows) -> dict[str, Any]:
        """Returns how each removed row is related to the one kept in its place."""
        same = (self.matrix[left] == self.matrix[right]).all(axis=1)
        return {"how": take(strings(IDENTICAL, NEAR_COPY), np.where(same, 0, 1))}


def first_of_equal(matrix: Matrix) -> Rows:
    """Returns, for each row, the first row with the same bytes.

    >>> first_of_equal(np.array([[1.0, 2], [3, 4], [1, 2]])).tolist()
    [0, 1, 0]
    """
    if not len(matrix):
        return np.zeros(0, np.int64)
    whole = np.ascontiguousarray(matrix).view(np.dtype((np.void, matrix.itemsize * matrix.shape[1])))[:, 0]
    _, first, which = np.unique(whole, return_index=True, return_inverse=True)
    return np.asarray(first[which.reshape(-1)], np.int64)


def _ids(source: Source, id: str | None) -> pa.Array | None:
    if id is None:
        return None
    chunks = [batch.data.column(id) for batch in source.read([id])]
    return pa.concat_arrays(chunks) if chunks else pa.array([], pa.large_string())
