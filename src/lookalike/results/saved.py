"""Saves results to folders and loads them: summary.json, plan.toml, and a Parquet file per table."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import (
    BrokenInvariant,
    InvalidOption,
    LookalikeError,
    MalformedInput,
    NoInput,
    OutputError,
    OutputExists,
)
from lookalike.flow.arrays import Rows
from lookalike.flow.checks import check_true_or_false
from lookalike.flow.json_text import json_text
from lookalike.io.outputs import located
from lookalike.notices import Notice
from lookalike.results.restoring import Damage, Described, checked, entry
from lookalike.results.result import Result, Stored
from lookalike.results.summary import Summary
from lookalike.storage.arrow_files import open_arrow
from lookalike.storage.foreign_errors import brief, cannot_read, writing
from lookalike.storage.whole_folders import replace_folder

OF_TABLES = (".parquet", ".jsonl", ".json", ".csv", ".tsv", ".arrow", ".feather")
"""Suffixes of files. A result is saved as a folder, so such a name is probably a mistake."""

FORMAT = 2
"""The version of the folder format. Loading a folder of another version raises an error."""

ABOUT, PLAN = "summary.json", "plan.toml"

HOMES = ("lookalike", "lookalike.apps.fingerprints", "lookalike.apps.images")
"""The packages that export result classes."""


UNFIT = (
    LookupError,
    TypeError,
    ValueError,
    AttributeError,
    ArithmeticError,
    RecursionError,
    NotImplementedError,
    pa.ArrowException,
)
"""Errors that may be raised while a result is restored from a folder with invalid data."""


class SavedTables:
    """Reads the tables of a saved result on demand. `names` are the tables that its summary.json lists."""

    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        self.folder = folder
        self.names = names
        for name in names:
            if not self.path(name).is_file():
                raise Damage(Notice("table-missing", file=self.path(name).name))

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def __getitem__(self, name: str) -> pa.Table:
        return self._read(name, lambda path: pq.read_table(open_arrow(path)))

    def length(self, name: str) -> int:
        """Returns the number of rows of a table, without reading them."""
        return int(self._read(name, lambda path: pq.read_metadata(open_arrow(path))).num_rows)

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    def ids(self, name: str = "ids", rows: int | None = None) -> pa.Array | None:
        """Returns the ids of all rows, or None if no ids were saved.

        If `rows` is given, there must be that many ids.
        """
        if name not in self:
            return None
        ids = self._column(name, "id").combine_chunks()
        if rows is not None and len(ids) != rows:
            raise Damage(Notice("table-of-other-length", file=self.path(name).name, expected=rows, found=len(ids)))
        return ids

    def array(self, name: str, column: str) -> Any:
        """Returns a column of numbers as a NumPy array; None if there is no such column."""
        return self._numbers(name, column) if column in self[name].column_names else None

    def floats(self, name: str, column: str) -> npt.NDArray[np.float64]:
        """Returns a column of numbers with fractions, which must exist."""
        numbers: npt.NDArray[np.float64] = self._numbers(name, column)
        if numbers.dtype != np.float64:
            kind = str(numbers.dtype)
            raise Damage(Notice("column-not-as-saved", column=column, file=self.path(name).name, type=kind))
        return numbers

    def rows(self, name: str, column: str, end: int | None = None) -> Rows:
        """Returns a column of row numbers from 0 to `end` - 1. By default, `end` is the length of the table."""
        rows: Rows = self._numbers(name, column)
        if rows.dtype != np.int64:
            raise Damage(Notice("column-not-as-saved", column=column, file=self.path(name).name, type=str(rows.dtype)))
        end = len(rows) if end is None else end
        outside = rows[(rows < 0) | (rows >= end)]
        if len(outside):
            raise Damage(Notice("row-outside", column=column, file=self.path(name).name, row=outside[0], rows=end))
        return rows

    def labels(self, name: str, column: str) -> Rows:
        """Returns a column of cluster labels: for each row, the first row of its cluster."""
        labels = self.rows(name, column)
        if not np.array_equal(labels[labels], labels):
            raise Damage(Notice("labels-not-first-rows", file=self.path(name).name))
        return labels

    def with_columns(self, name: str, *columns: str) -> pa.Table:
        """Reads a table, which must have these columns."""
        for column in columns:
            self._column(name, column)
        return self[name]

    def _read(self, name: str, read: Callable[[Path], Any]) -> Any:
        if name not in self:
            raise Damage(Notice("table-not-listed", file=self.path(name).name))
        try:
            return read(self.path(name))
        except PermissionError:
            raise
        except (pa.ArrowException, OSError) as error:
            raise Damage(Notice("table-unreadable", file=self.path(name).name, reason=brief(error))) from None

    def _numbers(self, name: str, column: str) -> Any:
        found = self._column(name, column)
        if found.null_count or not (pa.types.is_primitive(found.type) and not pa.types.is_temporal(found.type)):
            kind = "null" if found.null_count else str(found.type)
            raise Damage(Notice("column-not-as-saved", column=column, file=self.path(name).name, type=kind))
        return found.to_numpy()

    def _column(self, name: str, column: str) -> pa.ChunkedArray:
        table = self[name]
        if column not in table.column_names:
            raise Damage(Notice("column-missing", column=column, file=self.path(name).name))
        return table[column]


def save(result: Result, path: str | Path, *, force: bool = False) -> Path:
    """Saves a result to a folder; see `Result.save`."""
    from lookalike import __version__

    _check_path(path)
    if (suffix := Path(path).suffix.lower()) in OF_TABLES:
        raise InvalidOption("table-instead-of-folder", path=path, suffix=suffix)
    check_true_or_false("force", force)
    with writing(path):
        target = located(path)
        if target.exists():
            if not force:
                raise OutputExists.at(path)
            _check_replaceable(target)
    tables = result._stored()
    about = {
        "format": FORMAT,
        "lookalike": __version__,
        "kind": type(result).__name__,
        "tables": list(tables),
        "facts": result._facts(),
        "summary": result.summary.to_dict(),
    }
    with writing(path):
        target.parent.mkdir(parents=True, exist_ok=True)
        with replace_folder(target) as folder:
            for name, table in tables.items():
                _write(table, folder / f"{name}.parquet")
            (folder / PLAN).write_text(result.summary.plan, encoding="utf-8")
            (folder / ABOUT).write_text(json_text(about, indent=1), encoding="utf-8")
    return Path(path).expanduser()


def load(path: str | Path) -> Any:
    """Loads a result from the folder that `Result.save` wrote. Returns a result of the same class: Pairs, Clusters,
    Deduped …"""
    _check_path(path)
    try:
        folder = Path(path).expanduser()
    except RuntimeError:  # ~user/… of an unknown user
        raise NoInput("no-such-file", path=path, reason=Notice("unknown-user"), advice=None) from None
    try:
        about = _about(folder / ABOUT)
        if about is None or ("format" not in about and "version" not in about):
            raise NoInput("not-a-saved-result", path=path)
        if about.get("format") != FORMAT:
            found = about.get("format", about.get("version"))
            raise MalformedInput("result-of-another-version", path=path, found=found, known=FORMAT)
        return _restored(about, folder)
    except Damage as damage:
        raise MalformedInput("damaged-result", path=path, reason=damage.reason) from None
    except LookalikeError:
        raise
    except OSError as error:
        raise cannot_read(str(path), error) from None


def _about(file: Path) -> Described | None:
    """Returns the contents of summary.json; None if there is no such file, or if it is not a JSON object."""
    if not file.is_file():
        return None
    try:
        about = json.loads(file.read_text(encoding="utf-8"), object_hook=Described)
    except RecursionError:
        raise Damage(Notice("summary-nested-too-deeply")) from None
    except ValueError as error:
        raise Damage(Notice("summary-not-json", reason=brief(error))) from None
    return about if isinstance(about, Described) else None


def _restored(about: Described, folder: Path) -> Result:
    kind = _kind(about["kind"])
    names, facts = entry(about, "tables", list), entry(about, "facts", dict)
    if not all(isinstance(name, str) and name.isidentifier() for name in names):
        raise Damage(Notice("entry-not-as-saved", name="tables", value=names))
    try:
        return kind._restored(facts, SavedTables(folder, names), _summary(entry(about, "summary", dict)))
    except (InvalidOption, MalformedInput, BrokenInvariant) as error:
        raise Damage(error.notice) from None
    except UNFIT as error:
        reason = f"{type(error).__name__}: {brief(error)}"
        raise Damage(Notice("result-not-described", kind=kind.__name__, reason=reason)) from None


def _summary(values: dict[str, Any]) -> Summary:
    kinds = {type(None): int | None, dict: dict[str, float], list: list[dict[str, Any]]}
    usual = {name: type(value) for name, value in Summary().to_dict().items() if name in values}
    checked(values, **{name: kinds.get(kind, kind) for name, kind in usual.items()})
    return Summary.from_dict(values)


def _kind(name: object) -> type[Result]:
    """Returns the result class with this public name."""
    for home in HOMES:
        kind = getattr(import_module(home), name, None) if isinstance(name, str) else None
        if isinstance(kind, type) and issubclass(kind, Result) and kind is not Result:
            return kind
    raise Damage(Notice("no-such-kind-of-result", kind=name))


def _check_path(path: object) -> None:
    if not isinstance(path, str | os.PathLike) or not isinstance(os.fspath(path), str):
        raise InvalidOption("not-a-path", option="path", type=type(path).__name__)
    if not os.fspath(path):
        raise InvalidOption("empty-option", option="path")


def _check_replaceable(target: Path) -> None:
    """Raises an error if the folder contains anything but the regular files of a saved result."""
    if not target.is_dir():
        raise OutputError("not-a-folder-to-replace", path=target)
    try:
        about: Mapping[str, Any] = json.loads((target / ABOUT).read_text(encoding="utf-8"))
        ours = {ABOUT, PLAN, *(f"{name}.parquet" for name in about["tables"])}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        ours = set()
    for path in sorted(target.iterdir()):
        if path.name not in ours or not stat.S_ISREG(path.lstat().st_mode):
            raise OutputError("folder-of-other-files", path=target, file=path.name)


def _write(table: Stored, path: Path) -> None:
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        if isinstance(table, pa.Table):
            writer.write_table(table)
        else:
            for batch in table:
                writer.write_batch(batch)
