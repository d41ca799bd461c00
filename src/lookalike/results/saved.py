"""Results ↔ folders: summary.json, plan.toml, and a Parquet file per table."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from lookalike.errors import MalformedInput, NoInput, OutputError, OutputExists
from lookalike.results.result import Result, Stored
from lookalike.results.summary import Summary
from lookalike.storage.whole_folders import replace_folder

FORMAT = 2
"""Version of what is in a folder. A folder of another version is refused."""

ABOUT, PLAN = "summary.json", "plan.toml"

HOMES = ("lookalike", "lookalike.apps.fingerprints")
"""Packages that results are public names of."""


class SavedTables:
    """The tables in the folder of a saved result, read when asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __contains__(self, name: str) -> bool:
        return self.path(name).is_file()

    def __getitem__(self, name: str) -> pa.Table:
        return pq.read_table(self.path(name))

    def path(self, name: str) -> Path:
        return self.folder / f"{name}.parquet"

    def ids(self, name: str = "ids") -> pa.Array | None:
        """The ids of all rows; None if there are none."""
        return self[name]["id"].combine_chunks() if name in self else None

    def array(self, name: str, column: str) -> Any:
        """A column of numbers as NumPy array; None if there is no such column."""
        table = self[name]
        return table[column].to_numpy() if column in table.column_names else None


def save(result: Result, path: str | Path, *, force: bool = False) -> Path:
    """See `Result.save`."""
    from lookalike import __version__

    target = Path(path).expanduser()
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
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with replace_folder(target) as folder:
            for name, table in tables.items():
                _write(table, folder / f"{name}.parquet")
            (folder / PLAN).write_text(result.summary.plan, encoding="utf-8")
            (folder / ABOUT).write_text(json.dumps(about, indent=1, ensure_ascii=False), encoding="utf-8")
    except (OSError, pa.ArrowException) as error:
        raise OutputError("result-not-written", path=path, reason=_reason(error)) from None
    return target


def load(path: str | Path) -> Any:
    """The result that `save` wrote to a folder: Pairs, Clusters, Deduped …, as it was."""
    folder = Path(path).expanduser()
    about = _about(folder, path)
    if "format" not in about and "version" not in about:
        raise NoInput("not-a-saved-result", path=path)
    if about.get("format") != FORMAT:
        found = about.get("format", about.get("version"))
        raise MalformedInput("result-of-another-version", path=path, found=found, known=FORMAT)
    try:
        kind = _kind(about["kind"])
        return kind._restored(about["facts"], SavedTables(folder), Summary.from_dict(about["summary"]))
    except (KeyError, TypeError, ValueError, AttributeError, pa.ArrowException, OSError) as error:
        raise MalformedInput("damaged-result", path=path, reason=_reason(error)) from None


def _about(folder: Path, path: str | Path) -> dict[str, Any]:
    file = folder / ABOUT
    if not file.is_file():
        raise NoInput("not-a-saved-result", path=path)
    try:
        about = json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise MalformedInput("damaged-result", path=path, reason=_reason(error)) from None
    return about if isinstance(about, dict) else {}


def _kind(name: str) -> type[Result]:
    """The class of a result by its public name."""
    for home in HOMES:
        kind = getattr(import_module(home), name, None)
        if isinstance(kind, type) and issubclass(kind, Result):
            return kind
    raise TypeError(f"there is no result called {name}")


def _check_replaceable(target: Path) -> None:
    """Raises if there is anything but a saved result."""
    if not target.is_dir():
        raise OutputError("not-a-folder-to-replace", path=target)
    try:
        about: Mapping[str, Any] = json.loads((target / ABOUT).read_text(encoding="utf-8"))
        ours = {ABOUT, PLAN, *(f"{name}.parquet" for name in about["tables"])}
    except (OSError, ValueError, KeyError, TypeError):
        ours = set()
    others = sorted({path.name for path in target.iterdir()} - ours)
    if others:
        raise OutputError("folder-of-other-files", path=target, file=others[0])


def _write(table: Stored, path: Path) -> None:
    with pq.ParquetWriter(path, table.schema, compression="zstd") as writer:
        if isinstance(table, pa.Table):
            writer.write_table(table)
        else:
            for batch in table:
                writer.write_batch(batch)


def _reason(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
