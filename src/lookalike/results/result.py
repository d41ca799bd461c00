"""Result: the base class of all values that verbs return. It has a table, a summary, warnings, export and saving.

`Pairs` and `Clusters`, the last two steps of the flow, are results too. They are in this package and not in flow/,
because saving a result needs storage/, which is a layer above flow/.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import pyarrow as pa

from lookalike.errors import MissingExtra
from lookalike.flow.checks import check_whole
from lookalike.notices import Notice
from lookalike.results.summary import Summary

# Modules that only cards need are imported where a card is made, because most programs show none.
if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.row import Row
    from lookalike.results.saved import SavedTables

Stored: TypeAlias = "pa.Table | pa.RecordBatchReader"


class Result:
    """The base class of all results. Results can be pickled, copied, and read as tables through the Arrow interface.

    A notebook shows a result as a card: counts, a small chart, and the first rows. `str()` returns the card as text,
    without the chart; `repr()` returns one line.

    A subclass defines `summary` and `to_arrow`. To support saving, it must also define `_facts` (everything that is not
    in tables, in JSON types), `_stored` (tables by name) and their inverse `_restored`.
    """

    if TYPE_CHECKING:  # most subclasses have this field, which a property here would hide

        @property
        def summary(self) -> Summary:
            """The counts, times and plan of the run."""

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """The warnings about the run, from its summary."""
        return self.summary.warnings

    def to_arrow(self) -> pa.Table:
        """Returns the main table of the result."""
        raise NotImplementedError

    def tables(self) -> dict[str, pa.Table]:
        """Returns all tables of the result by name, with the main table first."""
        return {"table": self.to_arrow()}

    def __iter__(self) -> Iterator[Row]:
        """Yields the rows of the main table, as named tuples."""
        from lookalike.results.row import rows_of

        return rows_of(self.to_arrow())

    def head(self, n: int = 5) -> list[Row]:
        """Returns the first `n` rows of the main table, as named tuples."""
        check_whole("n", n, 0)
        return list(islice(self, n))

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """Returns the main table as a pandas DataFrame."""
        return _with("pandas", "to_pandas()", lambda pandas: self.to_arrow().to_pandas())

    def to_polars(self) -> Any:
        """Returns the main table as a Polars DataFrame."""
        # Polars ignores metadata, but ends with a panic if it is not UTF-8.
        table = self.to_arrow().replace_schema_metadata(None)
        return _with("polars", "to_polars()", lambda polars: polars.from_arrow(table))

    def to_dataset(self) -> Any:
        """Returns the main table as a Hugging Face dataset.

        If `dedupe` was given such a dataset, the kept rows have all its columns and features, such as class labels.
        """
        return _with("datasets", "to_dataset()", lambda datasets: _dataset(datasets, self.to_arrow()))

    def to_dict(self) -> dict[str, Any]:
        """Returns the whole result in JSON types: its values, its summary, and the rows of each table."""
        return self.without_tables() | {name: _rows(table) for name, table in self.tables().items()}

    def without_tables(self) -> dict[str, Any]:
        """Returns the result in JSON types, without its tables."""
        return {"kind": type(self).__name__, **self._facts(), "summary": self.summary.to_dict()}

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes a folder that `lookalike.load` reads: summary.json, plan.toml, and tables as Parquet.

        The folder is written completely or not at all. With `force`, an existing saved result is replaced.
        """
        from lookalike.results.saved import save

        return save(self, path, force=force)

    def __str__(self) -> str:
        return self._card().text()

    def _repr_html_(self) -> str:
        return self._card().html()

    def _card(self) -> Card:
        """Returns the card that notebooks and `str()` show.

        Subclasses may add facts and a chart, or choose other tables.
        """
        from lookalike.display.cells import FirstRows

        return replace(self._heading(), tables=[FirstRows.of(self.to_arrow())])

    def _heading(self) -> Card:
        """Returns the card without facts, chart and tables."""
        from lookalike.display.card import Card

        title, words = repr(self).removesuffix(")").split("(", 1)
        summary = self.summary
        counts = {
            **self._copies(),
            "empty": summary.empty,
            "malformed": summary.malformed,
            "candidates": summary.candidates,
            "compared (copies count once)" if summary.same_words else "compared": summary.checked,
        }
        shown = [(_singular(label) if count == 1 else label, f"{count:,}") for label, count in counts.items() if count]
        notes = [str(warning) for warning in self.warnings]
        return Card(title, words, counts=shown, notes=notes, seconds=summary.total_seconds)

    def _copies(self) -> dict[str, int]:
        """Returns how many documents are copies of others, by kind."""
        return {"same words": self.summary.same_words}

    def _facts(self) -> dict[str, Any]:
        """Returns everything that `_restored` needs besides tables and summary, in JSON types."""
        return {}

    def _stored(self) -> Mapping[str, Stored]:
        """Returns the tables to save, by name."""
        raise NotImplementedError

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Self:
        """Rebuilds the result from its saved facts, tables and summary."""
        raise NotImplementedError


def _singular(label: str) -> str:
    return {"candidates": "candidate"}.get(label, label)


def stored_ids(ids: pa.Array | None, name: str = "ids") -> dict[str, pa.Table]:
    """Returns the table of ids to save, under its name; empty if there are no ids."""
    return {} if ids is None else {name: pa.table({"id": ids})}


def _with(package: str, what: str, convert: Callable[[Any], Any]) -> Any:
    """Imports an optional package and returns `convert(package)`. Raises an error if the package is not installed."""
    try:
        module = import_module(package)
    except ImportError:
        raise MissingExtra("missing-package", what=what, package=package) from None
    return convert(module)


def _dataset(datasets: Any, table: pa.Table) -> Any:
    """Converts a table to a dataset. If the table came from a dataset, its features are taken from the metadata.

    The fingerprint in the metadata is dropped, because it identifies the rows of the original dataset.
    """
    stored = json.loads((table.schema.metadata or {}).get(b"huggingface", b"{}"))
    known = datasets.Features.from_dict(stored.get("info", {}).get("features") or {})
    table = table.replace_schema_metadata(None)
    features = datasets.Features.from_arrow_schema(table.schema)
    features.update({name: known[name] for name in features if name in known})
    return datasets.Dataset(table.cast(features.arrow_schema))


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    """Returns the rows of a table in JSON types."""
    try:
        return [_json(row) for row in table.to_pylist()]
    except (OverflowError, ValueError, KeyError):  # dates and time zones that Python cannot represent
        from lookalike.io.text_values import values_by_column

        columns = [values_by_column(batch) for batch in table.to_batches()]
        rows = (row for values in columns for row in zip(*values, strict=True))
        return [_json(dict(zip(table.column_names, row, strict=True))) for row in rows]


def _json(value: Any) -> Any:
    """Converts a value to JSON types; dates become ISO 8601 strings."""
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
