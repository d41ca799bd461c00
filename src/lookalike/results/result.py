"""Result: what every verb returns. One protocol: a table, a summary with warnings, export, saving.

`Pairs` and `Clusters`, the last two nouns of the flow, are results too. They are in this room and not in flow/, because
saving a result needs storage/, which lies above flow/.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import pyarrow as pa

from lookalike.errors import MissingExtra
from lookalike.notices import Notice
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.results.saved import SavedTables

Stored: TypeAlias = "pa.Table | pa.RecordBatchReader"


class Result:
    """The base of all results. They pickle and copy, and are exported as tables by the Arrow interface.

    A subclass has `summary` and `to_arrow`. So that it can be saved, it also has `_facts` (all that is not in tables,
    in JSON types), `_stored` (tables by name) and their inverse `_restored`.
    """

    if TYPE_CHECKING:  # in most subclasses a field, which a property of the base would hide

        @property
        def summary(self) -> Summary:
            """What the run read, found and cost."""

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Warnings about the run, from its summary."""
        return self.summary.warnings

    def to_arrow(self) -> pa.Table:
        """The main table of the result."""
        raise NotImplementedError

    def tables(self) -> dict[str, pa.Table]:
        """All tables of the result by name, the main one first."""
        return {"table": self.to_arrow()}

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The main table as a pandas DataFrame."""
        return _with("pandas", "to_pandas()", lambda pandas: self.to_arrow().to_pandas())

    def to_polars(self) -> Any:
        """The main table as a Polars DataFrame."""
        return _with("polars", "to_polars()", lambda polars: polars.from_arrow(self.to_arrow()))

    def to_dict(self) -> dict[str, Any]:
        """All of the result in JSON types: its facts, its summary, and the rows of each table."""
        tables = {name: [_json(row) for row in table.to_pylist()] for name, table in self.tables().items()}
        return {"kind": type(self).__name__, **self._facts(), "summary": self.summary.to_dict(), **tables}

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Writes a folder that `lookalike.load` reads: summary.json, plan.toml, and tables as Parquet.

        The folder is written whole or not at all. With `force` a saved result is replaced.
        """
        from lookalike.results.saved import save

        return save(self, path, force=force)

    def _facts(self) -> dict[str, Any]:
        """All that `_restored` needs besides tables and summary, in JSON types."""
        return {}

    def _stored(self) -> Mapping[str, Stored]:
        """The tables that are saved, by name."""
        raise NotImplementedError

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Self:
        """The result that was saved."""
        raise NotImplementedError


def stored_ids(ids: pa.Array | None, name: str = "ids") -> dict[str, pa.Table]:
    """The ids of all rows as a table to save, if there are any."""
    return {} if ids is None else {name: pa.table({"id": ids})}


def _with(package: str, what: str, convert: Callable[[Any], Any]) -> Any:
    """Converts by a package that lookalike does not need itself."""
    try:
        module = import_module(package)
    except ImportError:
        raise MissingExtra("missing-package", what=what, package=package) from None
    return convert(module)


def _json(value: Any) -> Any:
    """A value of a table in JSON types; dates as ISO 8601."""
    if isinstance(value, dict):
        return {name: _json(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_json(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
