"""Writes reports. Each is one self-contained HTML file, made from a result and its source, that can be read offline."""

from __future__ import annotations

import dataclasses
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from lookalike.errors import InvalidOption, OutputError, OutputExists
from lookalike.io.outputs import check_output
from lookalike.io.sinks import open_sink
from lookalike.io.source import Source
from lookalike.report.documents import render
from lookalike.report.figures import Predictions, Reportable, gather
from lookalike.storage.foreign_errors import writing

if TYPE_CHECKING:
    from lookalike.trust.audit import Audit
    from lookalike.trust.contamination import Contamination

__all__ = ["check_report", "save_page", "write_leaks", "write_report"]


def check_report(path: str | Path, *, force: bool = False) -> None:
    """Raises any error that `write_report` would raise about the path. Call it before the work starts."""
    try:
        target = Path(path).expanduser()
    except RuntimeError:
        raise InvalidOption("unknown-home", path=path) from None
    with writing(str(path)):
        if target.is_dir():
            raise OutputError("report-is-a-folder", path=target, example=target / "report.html")
        if target.exists() and not force:
            raise OutputExists.at(target)
    check_output(target, force=force)


def write_report(
    path: str | Path,
    result: Reportable,
    source: Source,
    *,
    force: bool = False,
    audit: Audit | None = None,
    forecast: Predictions = (),
    threads: int | None = None,
    memory: int | str | None = None,
) -> Path:
    """Writes the report on pairs, clusters or a deduplication. Texts are read from the source again.

    `forecast` lists the name, predicted value and actual value of each figure. `memory` limits the memory for measuring
    similarities that the result does not contain.
    """
    check_report(path, force=force)
    figures = dataclasses.replace(gather(result, source, audit, threads, memory), forecast=tuple(forecast))
    return save_page(path, render(figures, made=datetime.now()), force=force)


def write_leaks(path: str | Path, found: Contamination, train: Source, test: Source, *, force: bool = False) -> Path:
    """Writes the report on test documents that appear in the training data."""
    check_report(path, force=force)
    from lookalike.report.leaks import render_leaks

    return save_page(path, render_leaks(found, train, test, made=datetime.now()), force=force)


def save_page(path: str | Path, page: str, *, force: bool = False) -> Path:
    """Writes a rendered page to a file. Callers should call `check_report` before they start the work."""
    with open_sink(path, force=force) as sink:
        sink.write(page.encode())
    return Path(path)
