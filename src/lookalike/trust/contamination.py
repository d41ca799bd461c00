"""Finds the test documents that appear in a training set, whole or in pieces.

A test document is *contained* if one training document has most of its shingles. Containment is the share of the test
document's shingles that are in the other document; unlike resemblance (Jaccard), it finds a question that is quoted in
a long page. A test document is *covered* if all training documents together have most of its shingles, and *touched* if
they have any of them (n-gram overlap, in the literature). The test set is kept in memory; the training set is read
once, block by block.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.errors import NoInput
from lookalike.families.amplify import Banded
from lookalike.flow import Shingles, Shingling, parse_shingling
from lookalike.flow.arrays import ids_of
from lookalike.flow.checks import check_whole
from lookalike.flow.distinct import distinct
from lookalike.flow.progress import Progress
from lookalike.flow.sketches import SHORT
from lookalike.flow.threshold import Threshold
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.joins.blocks import BlockPairs, block_size, in_blocks, join_blocks, put_together, size_of, within
from lookalike.joins.measures import Containment, Jaccard
from lookalike.joins.sets import nearest_sets
from lookalike.joins.source_sets import Cutting, surveyed
from lookalike.kernel import default as default_kernel
from lookalike.planning.plan import Plan
from lookalike.results.reporting import report_writer
from lookalike.results.restoring import MOST_ROWS, checked
from lookalike.results.result import Result, stored_ids
from lookalike.results.shown import Shown, display
from lookalike.results.summary import Summary
from lookalike.storage.budget import Budget
from lookalike.text.comparison import compare, of_one_kind

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables

K = 8
"""The default number of words or tokens per shingle. It is large enough that a match is not a coincidence."""

PASSAGES = 1000
"""The maximum number of pairs for which the shared passage is found, because their texts must be read again."""

LONGEST = 200
"""The maximum number of characters that are shown of a passage."""

COMPARED = 100_000
"""The maximum number of characters of a text that are searched for a passage."""

COUNTS = ("test", "train", "contained", "resembling", "covered", "touched", "short")
"""The names of the document counts in a result."""

COLUMNS = ("test", "train", "containment", "resemblance", "covered", "passage")

CARD = (
    ("training documents", "train"),
    ("contained in one", "contained"),
    ("covered by all together", "covered"),
    ("with at least one shared shingle", "touched"),
)
"""The labels and names of the counts that a card shows."""


@dataclass(frozen=True, eq=False, kw_only=True)
class Contamination(Result):
    """Test documents that appear in the training data, each with the training documents that share the most shingles
    with it."""

    table: pa.Table
    """A table with the columns test and train (ids), containment, resemblance, covered and passage. `train` is null if
    no single training document reaches the threshold, but the training data as a whole does."""
    pairs: BlockPairs
    """The test row and the training row for each table row in which `train` is not null."""
    ids: tuple[pa.Array | None, pa.Array | None]
    threshold: Threshold
    shingles: Shingling
    test: int
    train: int
    """The number of training documents; `test` is the number of test documents."""
    contained: int
    resembling: int
    covered: int
    touched: int
    """The number of test documents that share at least one shingle with the training data."""
    short: int
    """The number of test documents with fewer tokens than a shingle. They are found only if a training document
    consists of the same words in the same order."""
    summary: Summary
    sources: tuple[Source, Source] | None = None
    """The training data and the test data, from which the report reads texts; None if the result was loaded or
    copied."""

    def __len__(self) -> int:
        """Returns the number of test documents that are contained or covered."""
        return len(self.table["test"].unique())

    def __repr__(self) -> str:
        of = f"{len(self):,} of {self.test:,} test documents"
        return f"Contamination({of}, by {self.threshold} or more of their {self.shingles})"

    def report(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes a report: one HTML file that can be read offline. With `force`, an existing file is replaced.

        The texts that the report shows are read again from the data.
        """
        if self.sources is None:
            raise NoInput("report-without-texts", verb="contamination")
        return report_writer("write_leaks")(path, self, *self.sources, force=force)  # type: ignore[no-any-return]

    def show(self, n: int = 5) -> Shown:
        """Shows the first `n` leaked documents beside training documents that contain them, with differences marked.

        Scripts print them; notebooks and prompts display what is returned.
        """
        check_whole("n", n, 1)
        if self.sources is None:
            raise NoInput("result-without-texts", verb="contamination")
        module = import_module("lookalike.report.shown")
        return display(module.show_leaks(self, *self.sources, n))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"sources": None}

    def _card(self) -> Card:
        from lookalike.display.cells import FirstRows
        from lookalike.display.charts import similarity_chart

        counts = [(label, f"{getattr(self, name):,}") for label, name in CARD if getattr(self, name)]
        chart = similarity_chart(self.pairs.overlap / np.maximum(self.pairs.left_size, 1), "containment")
        return replace(self._heading(), counts=counts, chart=chart, tables=[FirstRows.of(self.table)])

    def names(self, which: Any) -> tuple[list[Any], list[Any]]:
        """Returns the ids of the test documents and of the training documents in the selected pairs."""
        rows = self.pairs.left[which], self.pairs.right[which]
        return ids_of(self.ids[0], rows[0]).to_pylist(), ids_of(self.ids[1], rows[1]).to_pylist()

    def to_arrow(self) -> pa.Table:
        return self.table

    def tables(self) -> dict[str, pa.Table]:
        return {"contamination": self.table}

    def _facts(self) -> dict[str, Any]:
        counts = {name: getattr(self, name) for name in COUNTS}
        return {"threshold": str(self.threshold), "shingles": self.shingles.to_dict(), **counts}

    def _stored(self) -> dict[str, pa.Table]:
        pairs = pa.table({name: pa.array(values) for name, values in vars(self.pairs).items()})
        ids = stored_ids(self.ids[0], "test_ids") | stored_ids(self.ids[1], "train_ids")
        return {"contamination": self.table, "pairs": pairs, **ids}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Contamination:
        counts = checked(facts, **dict.fromkeys(COUNTS, int))
        sizes = (tables.rows("pairs", name, MOST_ROWS) for name in ("overlap", "left_size", "right_size"))
        left, right = (
            tables.rows("pairs", name, counts[side]) for name, side in (("left", "test"), ("right", "train"))
        )
        return cls(
            table=tables.with_columns("contamination", *COLUMNS),
            pairs=BlockPairs(left, right, *sizes),
            ids=(tables.ids("test_ids", counts["test"]), tables.ids("train_ids", counts["train"])),
            threshold=Threshold(facts["threshold"]),
            shingles=Shingling.from_dict(facts["shingles"]),
            summary=summary,
            **counts,
        )


def find_contamination(
    train: Source,
    test: Source,
    *,
    threshold: Threshold,
    shingles: str | Shingling | None,
    rules: Mapping[str, Any],
    top: int,
    threads: int,
    progress: Progress,
    budget: Budget | None = None,
) -> Contamination:
    """Finds test documents that appear in the training data, and the passages that they share with it.

    The test set is kept in memory; the training set is read block by block.
    """
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    cut = _resolved(shingles, rules, train, test)
    test_sets = Cutting(test, cut, threads=threads, progress=progress, stage="test")
    with closing(test_sets.tables()) as tables:
        sets = put_together(list(within(tables, "the test documents", budget)))
    block = block_size(size_of(sets), "the test documents", budget)
    train_sets = Cutting(train, cut, threads=threads, progress=progress, stage="train")
    coverage = Coverage(sets)
    resemblance_found = Resemblance(sets, Jaccard(threshold.numerator, threshold.denominator), threads)
    with closing(train_sets.tables()) as tables:
        found = join_blocks(
            sets,
            resemblance_found.passing(coverage.passing(in_blocks(tables, block))),
            measures=[Containment(threshold.numerator, threshold.denominator)],
            top=top,
            threads=threads,
        )
    seconds["read and join"] = time.perf_counter() - began
    began = time.perf_counter()
    ids = test_sets.take_ids(), train_sets.take_ids()
    shared, sizes = coverage.counts(), sets.sizes
    covered = (sizes > 0) & (shared * threshold.denominator >= sizes * threshold.numerator)
    leaked = _Leaked(
        found, np.flatnonzero(covered & ~np.isin(np.arange(len(sets)), found.left)), shared / np.maximum(sizes, 1)
    )
    progress("passages", 0, None)
    table = leaked.table(ids, lambda: _passages(train, test, leaked, cut))
    for source in (train, test):
        source.check_unchanged()
    seconds["passages"] = time.perf_counter() - began
    summary = Summary(
        documents=test_sets.rows + train_sets.rows,
        empty=test_sets.empty + train_sets.empty,
        malformed=train.malformed + test.malformed,
        seconds=seconds,
        warnings=train.warnings + test.warnings,
    )
    return Contamination(
        sources=(train, test),
        table=table,
        pairs=found,
        ids=ids,
        threshold=threshold,
        shingles=cut,
        test=test_sets.rows,
        train=train_sets.rows,
        contained=len(distinct(found.left)),
        resembling=int(np.count_nonzero(resemblance_found.seen)),
        covered=int(np.count_nonzero(covered)),
        touched=int(np.count_nonzero(shared)),
        short=_short(test, cut, threads),
        summary=summary,
    )


class Coverage:
    """Records which elements of the test sets appear in any training set."""

    BITS = 24

    def __init__(self, sets: Shingles) -> None:
        self.sets = sets
        self.elements, self.place = np.unique(sets.values, return_inverse=True)
        self.seen = np.zeros(len(self.elements), np.bool_)
        self._filter = np.zeros(1 << self.BITS, np.bool_)  # quickly rejects nearly all elements that are in no test set
        self._filter[self._slots(self.elements)] = True

    def _slots(self, values: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
        return (values * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(64 - self.BITS)

    def passing(self, blocks: Iterable[Shingles]) -> Iterator[Shingles]:
        """Yields the blocks unchanged, and records the elements of the test sets that they contain."""
        for block in blocks:
            self.add(block.values)
            yield block

    def add(self, values: npt.NDArray[np.uint64]) -> None:
        if not len(self.elements):
            return
        near = values[self._filter[self._slots(values)]]
        place = np.minimum(np.searchsorted(self.elements, near), len(self.elements) - 1)
        self.seen[place[self.elements[place] == near]] = True

    def counts(self) -> npt.NDArray[np.int64]:
        """Returns the number of elements of each test set that were seen in a training set."""
        total = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.seen[self.place])])
        return np.asarray(total[self.sets.offsets[1:]] - total[self.sets.offsets[:-1]], np.int64)


class Resemblance:
    """Records the test sets that resemble a training set, which need not be the nearest by containment."""

    def __init__(self, sets: Shingles, measure: Jaccard, threads: int) -> None:
        self.sets, self.measure, self.threads = sets, measure, threads
        self.seen = np.zeros(len(sets), np.bool_)

    def passing(self, blocks: Iterable[Shingles]) -> Iterator[Shingles]:
        for block in blocks:
            near = nearest_sets(self.sets, block, top=1, measures=[self.measure], threads=self.threads)
            self.seen[near.left] = True  # one training set is enough; there may be very many similar ones
            yield block


@dataclass(frozen=True, eq=False)
class _Leaked:
    """Pairs of a test row and a training row that contains it, and test rows that only several training rows cover."""

    pairs: BlockPairs
    covered_only: npt.NDArray[np.int64]
    covered: npt.NDArray[np.float64]

    def table(self, ids: tuple[pa.Array | None, pa.Array | None], passages: Any) -> pa.Table:
        a, b, o = self.pairs.sizes
        alone = len(self.covered_only)
        test = np.concatenate([self.pairs.left, self.covered_only])
        train = pa.concat_arrays(
            [ids_of(ids[1], self.pairs.right), pa.nulls(alone, ids_of(ids[1], self.pairs.right).type)]
        )
        blank = pa.nulls(alone, pa.float64())
        table = pa.table(
            {
                "test": ids_of(ids[0], test),
                "train": train,
                "containment": pa.concat_arrays([pa.array(o / a, pa.float64()), blank]),
                "resemblance": pa.concat_arrays([pa.array(o / (a + b - o), pa.float64()), blank]),
                "covered": pa.array(self.covered[test], pa.float64()),
                "passage": pa.array([*passages(), *[None] * alone], pa.string()),
            }
        )
        return table.take(pa.array(np.lexsort((np.arange(len(test)), test))))


def _passages(train: Source, test: Source, leaked: _Leaked, shingles: Shingling) -> list[str | None]:
    """Returns the longest shared passage of each of the first `PASSAGES` pairs, and None for further pairs."""
    left, right = leaked.pairs.left[:PASSAGES], leaked.pairs.right[:PASSAGES]
    one, two = read_texts(test, left), read_texts(train, right)
    plan = Plan(shingles=shingles)
    found: list[str | None] = []
    for i, j in zip(left.tolist(), right.tolist(), strict=True):
        shared = compare(*of_one_kind(one[i][:COMPARED], two[j][:COMPARED]), plan).passages
        longest = max((passage.text for passage in shared), key=len, default=None)
        found.append(longest if longest is None or len(longest) <= LONGEST else longest[: LONGEST - 1] + "…")
    return found + [None] * (len(leaked.pairs) - len(found))


def _resolved(shingles: str | Shingling | None, rules: Mapping[str, Any], train: Source, test: Source) -> Shingling:
    facts = surveyed({"test": test, "training": train}, is_open=shingles is None)
    default = f"tokens:{K}" if facts.tokens else f"words:{K}"
    return Plan(shingles=parse_shingling(shingles or default, **rules)).resolve(facts).shingles


def _short(test: Source, shingles: Shingling, threads: int) -> int:
    """Returns the number of test documents with fewer tokens than a shingle."""
    rules: dict[str, Any] = {"sketch": "fast", "hashes": 1, "seed": 0, "banding": Banded(1, 1)}
    flags = (default_kernel(threads).sketch(documents, shingles, **rules).flags for documents in test.documents())
    return sum(int(np.count_nonzero(some & SHORT)) for some in flags)
