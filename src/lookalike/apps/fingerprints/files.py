"""Reads prints from files and folders: ISO/IEC 19794-2 templates, and CSV tables with one minutia per row."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from lookalike.apps.fingerprints.minutiae import Print
from lookalike.apps.fingerprints.templates import is_template, read_template
from lookalike.errors import InputError, MalformedInput, NoInput, NoSuchColumn
from lookalike.flow.checks import check_one_of
from lookalike.io.file_names import as_text
from lookalike.notices import Notice


def read_prints(paths: Iterable[str | Path], on_error: str = "fail") -> list[Print]:
    """Reads all prints in these files and folders. The files in a folder are read in the order of their paths.

    A table has the columns print, x, y and, optionally, angle (in degrees). The column print contains the name of the
    print. Prints in templates are named after the file, or after the path of the file within the folder. With
    `on_error="skip"`, files that cannot be read are left out.
    """
    return collect_prints(paths, on_error)[0]


def collect_prints(paths: Iterable[str | Path], on_error: str = "fail") -> tuple[list[Print], list[Notice]]:
    """Reads prints as `read_prints` does. Also returns a warning for each file that was left out."""
    check_one_of("on_error", on_error, ("fail", "skip"))
    prints: list[Print] = []
    skipped: list[Notice] = []
    for path in paths:
        for file, name in _files(Path(path)):
            try:
                prints += _read(file, as_text(name))
            except (MalformedInput, NoSuchColumn) as error:
                if on_error == "fail":
                    raise
                skipped.append(Notice("prints-skipped", reason=error.notice))
    return prints, skipped


def _files(path: Path) -> Iterator[tuple[Path, str]]:
    if path.is_dir():
        files = sorted(file for file in path.rglob("*") if file.is_file() and not file.name.startswith("."))
        if not files:
            raise NoInput("no-prints-in-folder", path=path)
        yield from ((file, file.relative_to(path).as_posix()) for file in files)
    elif path.exists():
        yield path, path.name
    else:
        raise NoInput("no-prints-at-path", path=path)


def _read(file: Path, name: str) -> list[Print]:
    try:
        data = file.read_bytes()
    except OSError as error:
        raise InputError("prints-unreadable", path=file, reason=error.strerror) from None
    if is_template(data):
        return read_template(data, name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise MalformedInput("not-prints", path=file) from None
    csv.field_size_limit(sys.maxsize)  # the limit is global, and other readers of this package raise it too
    rows = csv.DictReader(io.StringIO(text, newline=""))  # quoted names may contain line breaks
    try:
        return _table(rows, str(file))
    except csv.Error as error:
        raise MalformedInput("minutiae-not-csv", path=file, line=rows.reader.line_num, reason=str(error)) from None


def _table(rows: csv.DictReader[str], where: str) -> list[Print]:
    columns = list(rows.fieldnames or [])
    for column in ("print", "x", "y"):
        if column not in columns:
            raise NoSuchColumn("minutiae-without-column", path=where, column=column)
    wanted = ["x", "y", "angle"] if "angle" in columns else ["x", "y"]
    found: dict[str, list[list[float]]] = {}
    for row in rows:
        try:
            values = [float(row[column] or "nan") for column in wanted]
        except ValueError:
            values = [np.nan, np.nan]
        if not np.isfinite(values).all() or min(values[:2]) < 0:
            given = [row[column] or "" for column in wanted]
            raise MalformedInput("minutia-not-a-place", path=where, line=rows.reader.line_num, values=given)
        found.setdefault(row["print"] or "", []).append(values)
    prints = []
    for name, minutiae in found.items():
        x, y, *angle = np.array(minutiae).T
        prints.append(Print(name, x, y, angle[0] % 360 if angle else None))
    return prints
