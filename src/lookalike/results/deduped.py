"""Deduped: the kept rows, and the removed rows with the survivor of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.errors import BrokenInvariant, LookalikeError, MalformedInput
from lookalike.flow.arrays import Mask, Rows, to_arrow
from lookalike.io.source import Source
from lookalike.notices import Notice
from lookalike.results.clusters import Clusters
from lookalike.results.reporting import DocumentReport
from lookalike.results.restoring import Damage, count
from lookalike.results.result import Result, Stored
from lookalike.results.row import Row, rows_in
from lookalike.results.summary import Overview, Summary
from lookalike.storage.arrow_files import open_arrow
from lookalike.storage.foreign_errors import brief, cannot_read

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.display.cells import FirstRows
    from lookalike.results.saved import SavedTables

IDENTICAL, SAME_WORDS, NEAR_COPY = "identical", "same words", "near"
"""How a removed document is related to the one kept in its place: values of the column `how`."""

PROTECTED, DIFFERENT, EXCLUDED = "protected", "different", "excluded"
"""Why documents were left as they are: values of the column `kind` of `Deduped.exempt`."""

EXEMPT = "lookalike.exempt"
"""The metadata of a table of removed documents that says how many rows `Deduped.exempt` has."""

NEAR = 10_000
"""The maximum number of rows that are read to find the first kept rows."""


@dataclass(frozen=True, eq=False)
class KeptRows:
    """Reads the kept rows of a source on demand. Raises an error if the source has changed since the run."""

    source: Source
    kept: Mask
    """A mask of the rows of the source that are kept."""

    def __call__(self) -> pa.Table:
        reader = self.reader()
        return pa.Table.from_batches(list(reader), reader.schema)

    def index(self) -> tuple[Any, list[str]] | None:
        """Returns the labels of the kept rows of a DataFrame, and their columns in Arrow; None for other data."""
        index = getattr(self.source, "index", None)
        if index is None:
            return None
        names = [] if type(index).__name__ == "RangeIndex" else [str(name) for name in index.names if name is not None]
        return index[self.kept], names

    def reader(self) -> pa.RecordBatchReader:
        """Returns the kept rows in batches."""
        from lookalike.io.kept_rows import schema_of

        batches = self._batches()
        first = next(batches, None)
        if first is None:
            return pa.RecordBatchReader.from_batches(schema_of(self.source), [])
        return pa.RecordBatchReader.from_batches(first.schema, _after(first, batches))

    def first(self, n: int) -> pa.Table:
        """Returns the first `n` kept rows, or fewer if they are far apart.

        If the source is slow to reread, only their texts and ids are returned.
        """
        source, first = self.source, int(np.argmax(self.kept)) if len(self.kept) else 0
        rows = first + np.flatnonzero(self.kept[first : first + NEAR])[:n]
        if not len(rows) or (first > NEAR and not source.cheap_to_reread):
            return pa.table({})
        source.check_unchanged()
        start, stop = int(rows[0]), int(rows[-1]) + 1
        if source.cheap_to_reread:
            from lookalike.io.kept_rows import whole_rows

            read = whole_rows(source, start, stop)
        else:
            read = source.read([*([source.id] if source.id else []), source.column], start, stop)
        batches = [batch.data for batch in read]
        return pa.Table.from_batches(batches).filter(pa.array(self.kept[rows[0] : rows[-1] + 1]))

    def _batches(self) -> Iterator[pa.RecordBatch]:
        from lookalike.io.kept_rows import whole_rows

        try:
            for batch in whole_rows(self.source):
                yield batch.data.filter(pa.array(self.kept[batch.start : batch.start + len(batch)]))
        except Exception:
            self.source.check_unchanged()  # a changed source explains any other error
            raise
        self.source.check_unchanged()


@dataclass(frozen=True)
class SavedRows:
    """Reads the kept rows in the folder of a saved result, on demand."""

    path: Path

    def __call__(self) -> pa.Table:
        return self.reader().read_all()

    def reader(self) -> pa.RecordBatchReader:
        """Returns the kept rows in batches."""
        import pyarrow.parquet as pq  # imported here: it is slow, and few runs need it

        with self._reading():
            file = pq.ParquetFile(open_arrow(self.path))
        return pa.RecordBatchReader.from_batches(file.schema_arrow, self._batches(file))

    def first(self, n: int) -> pa.Table:
        """Returns the first `n` kept rows."""
        return next((pa.Table.from_batches([batch.slice(0, n)]) for batch in self.reader()), pa.table({}))

    def _batches(self, file: Any) -> Iterator[pa.RecordBatch]:
        with self._reading():
            yield from file.iter_batches()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except FileNotFoundError:
            reason = Notice("table-missing", file=self.path.name)
            raise MalformedInput("damaged-result", path=self.path.parent, reason=reason) from None
        except PermissionError as error:
            raise cannot_read(str(self.path), error) from None
        except (OSError, pa.ArrowException) as error:
            reason = Notice("table-unreadable", file=self.path.name, reason=brief(error))
            raise MalformedInput("damaged-result", path=self.path.parent, reason=reason) from None


@dataclass(frozen=True, eq=False)
class Deduped(DocumentReport, Result):
    """The deduplicated corpus: one survivor per cluster and all protected rows. A table lists the removed documents.

    `removed` has the columns id, kept (the id of the survivor), similarity (the exact similarity to the survivor), how,
    lost and cluster. The similarity may be below the threshold if the two documents are linked only by a chain of
    similar documents. `how` is "identical" (the same bytes as the survivor), "same words" (in the same order) or
    "near". `lost` is the number of characters (for lists, of tokens) in shingles that the survivor lacks. It is null if
    the two documents are too large for the memory budget. After deduplication against a reference, `removed` also has
    the column kept_in: "against" if the survivor is in the reference, "input" if it is in the input. In `clusters`, the
    rows of the reference then come before those of the input; `kept_rows` are always row numbers of the input.
    """

    clusters: Clusters
    kept_rows: Rows
    removed: pa.Table
    read_kept: KeptRows | SavedRows | Callable[[], pa.Table]
    reference: int = 0
    """The number of reference documents."""
    exempt: pa.Table | None = None
    """A table of the rows and pairs that are exempt from deduplication; None if there are none. The column kind is
    "protected" (the row is never removed), "different" (a decision says that the two rows are different) or "excluded"
    (a decision says that the row is similar to nothing). The columns left and right contain rows of `clusters`; they
    differ only if the kind is "different"."""
    read: int = field(init=False)
    """The number of input documents."""
    summary: Summary = field(init=False)

    def __post_init__(self) -> None:
        kept, removed, read = len(self.kept_rows), self.removed.num_rows, len(self.clusters.labels) - self.reference
        if kept + removed != read:
            raise BrokenInvariant("rows-lost", kept=kept, removed=removed, read=read)
        object.__setattr__(self, "read", read)
        object.__setattr__(self, "summary", self.clusters.summary)

    def __len__(self) -> int:
        return len(self.kept_rows)

    def __repr__(self) -> str:
        return f"Deduped(kept {len(self):,}, removed {self.removed.num_rows:,}, of {self.read:,} documents)"

    @property
    def kept(self) -> pa.Table:
        """The kept rows with all their columns, in input order. Each access reads them from the source again."""
        return self.read_kept()

    def __iter__(self) -> Iterator[Row]:
        """Yields the kept rows, which are read in batches."""
        if not isinstance(self.read_kept, KeptRows | SavedRows):
            return super().__iter__()
        reader = self.read_kept.reader()
        return rows_in(reader.schema.names, reader)

    def to_arrow(self) -> pa.Table:
        """Returns the kept rows as a table."""
        return self.kept

    def to_pandas(self) -> Any:
        """Returns the kept rows as a pandas DataFrame.

        Rows of a DataFrame keep their index.
        """
        frame = super().to_pandas()
        index = self.read_kept.index() if isinstance(self.read_kept, KeptRows) else None
        if index is None:
            return frame
        labels, names = index
        return frame.drop(columns=names).set_axis(labels, axis="index")

    def tables(self) -> dict[str, pa.Table]:
        return {"kept": self.kept, "removed": self.removed, **self.clusters.tables()}

    def _overview(self) -> Overview:
        reference = known = None
        if "kept_in" in self.removed.column_names:
            reference, known = self.reference, self.removed["kept_in"].to_pylist().count("against")
        kept, removed, below = len(self.kept_rows), self.removed.num_rows, 0
        if self.summary.plan:
            import tomllib  # imported here because only summaries need it

            threshold = float(tomllib.loads(self.summary.plan).get("threshold", 0))  # a distance has none
            below = int(np.count_nonzero(self.removed["similarity"].to_numpy() < threshold))
        counts = self.clusters._overview(kept=kept, removed=removed, reference=reference, known=known, below=below)
        if "how" not in self.removed.column_names:
            return counts
        import pyarrow.compute as pc  # not on top: see flow/arrays.py

        how, lost = self.removed["how"].to_pylist(), 0
        if "lost" in self.removed.column_names:  # not known of vectors
            lost = pc.sum(self.removed["lost"]).as_py() or 0
        copies = removed - how.count(NEAR_COPY)
        return replace(counts, copies=copies, near=removed - copies, identical=how.count(IDENTICAL), lost=lost)

    def _card(self) -> Card:
        from lookalike.display.cells import FirstRows
        from lookalike.display.charts import similarity_chart

        removed = FirstRows.of(self.removed, "Removed rows, and the row kept in place of each")
        tables = [*self._first_kept(), *([removed] if removed.total else [])]
        chart = similarity_chart(self.removed["similarity"].to_numpy())
        return replace(self._heading(), chart=chart, tables=tables)

    def _copies(self) -> dict[str, int]:
        if "how" not in self.removed.column_names:
            return super()._copies()
        how = self.removed["how"].to_pylist()
        return {kind: how.count(kind) for kind in (IDENTICAL, SAME_WORDS)}

    def _first_kept(self) -> list[FirstRows]:
        """Returns the first kept rows; none if they are expensive to read, or if the data has changed or is gone."""
        from lookalike.display.cells import ROWS, FirstRows

        read = self.read_kept
        try:
            rows = read.first(ROWS) if isinstance(read, KeptRows | SavedRows) else read().slice(0, ROWS)
        except LookalikeError:
            return []
        return [FirstRows(rows, len(self), "Kept rows")] if rows.num_rows else []

    def _facts(self) -> dict[str, Any]:
        return {"reference": self.reference}

    def _stored(self) -> dict[str, Stored]:
        read = self.read_kept
        kept = read.reader() if isinstance(read, KeptRows | SavedRows) else read()
        rows = pa.table({"row": to_arrow(self.kept_rows)})
        exempt = {} if self.exempt is None else {"exempt": self.exempt}
        return {"kept": kept, "kept_rows": rows, "removed": self.removed, **exempt, **self.clusters._stored()}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Deduped:
        clusters = Clusters._restored({}, tables, summary)
        reference = count(facts, "reference", most=len(clusters.labels))
        kept_rows = tables.rows("kept_rows", "row", len(clusters.labels) - reference)
        kept, expected, found = SavedRows(tables.path("kept").absolute()), len(kept_rows), tables.length("kept")
        if found != expected:
            raise Damage(Notice("table-of-other-length", file=kept.path.name, expected=expected, found=found))
        tables.floats("removed", "similarity")
        removed = tables.with_columns("removed", "id", "kept", "similarity", "cluster")
        exempt = None
        if "exempt" in tables:
            exempt = tables.with_columns("exempt", "kind", "left", "right")
            for column in ("left", "right"):
                tables.rows("exempt", column, len(clusters.labels))
        return cls(clusters, kept_rows, removed, kept, reference, exempt)


def _after(first: pa.RecordBatch, others: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    yield first
    yield from others
