"""Finds plagiarism: pairs of two submissions, or of a submission and a source, that share passages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Unpack

from lookalike.apps.plagiarism.find import Plagiarism, PlagiarismCriteria, find_plagiarism
from lookalike.apps.plagiarism.reading import Reading
from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_threads, check_whole
from lookalike.flow.progress import callback
from lookalike.flow.threshold import Threshold
from lookalike.io.files import SUFFIXES, TABLES
from lookalike.io.open import open_source, paths_in, refuse_one_iterator
from lookalike.io.outputs import Outputs
from lookalike.io.source import Source
from lookalike.requests import applications as requests
from lookalike.requests.option import naming, of_second_input, part, renamed, sharing_columns
from lookalike.requests.verb import verb

__all__ = ["Plagiarism", "open_texts", "plagiarism"]

TABLE_SUFFIXES = tuple(suffix for suffix, format in SUFFIXES.items() if format in TABLES)


@verb(requests.Plagiarism)
def plagiarism(submissions: Any, sources: Any = None, **options: Unpack[requests.Plagiarism]) -> Plagiarism:
    """Finds passages that submissions share with one another or with sources.

    Each file in a folder is a document. Files with the suffix of a programming language are compared by their tokens:
    layout, comments and, unless names="keep", identifier names are ignored. With code="auto", the suffix decides
    whether a file is source code. With "no", all files are plain text; with "c" or "python", all files are source code
    in a C-like language or in Python, respectively. Text that also appears in `template`, which all authors were given,
    is ignored. Text that appears in a larger share of the submissions than `common` does not count as a passage.

    Each submission is compared with its `top` nearest submissions and its `top` nearest sources. A pair is listed if
    its similarity is at least `threshold`, or if its documents share a passage of at least `passage` words or tokens.
    With `by_folder`, the files of one folder belong to one author and are not compared with each other.

    >>> tale = "It was the best of times, it was the worst of times, it was the age of wisdom, it was the age of fools."
    >>> found = plagiarism(["My own thoughts first. " + tale, "Nothing of this kind."], [tale])
    >>> [(one["submission"], one["other"], one["start"], one["end"]) for one in found.passages.to_pylist()]
    [(0, 0, 23, 125)]
    """
    for name in ("passage", "top"):
        check_whole(name, options[name], 1)
    question = PlagiarismCriteria(
        threshold=Threshold(options["threshold"]).value,
        passage=options["passage"],
        common=Threshold(options["common"]).value,
        top=options["top"],
        by_folder=options["by_folder"],
    )
    how = Reading(options["code"], options["names"], options["k"])
    reading = part(options, requests.TextFiles)
    refuse_one_iterator(submissions, sources, options["template"])
    first = open_texts(submissions, **reading)
    others = [open_sources(sources, options, reading), open_template(options["template"], reading)]
    outputs = Outputs({"report": options["report"]}, force=options["force"])
    outputs.check_inputs(first, *others)
    progress = callback(options["progress"])
    found = find_plagiarism(
        first, *others, reading=how, question=question, threads=check_threads(options["threads"]),
        progress=progress,
    )  # fmt: skip
    for path in outputs.paths.values():
        progress("report", 0, None)
        found.report(path, force=options["force"])
    return found


def open_texts(data: Any, *, format: str | None = None, **reading: Any) -> Source:
    """Opens a source as `open_source` does, except that each file in a folder is one document, unless all files are
    tables."""
    paths = paths_in(data)
    if format is None and paths is not None and any(_holds_texts(path) for path in paths):
        format = "text"
    return open_source(data, format=format, **reading)


def open_sources(data: Any, options: Mapping[str, Any], reading: Mapping[str, Any]) -> Source | None:
    """Opens the sources with the options of the submissions, unless the sources have their own.

    None if there are none.
    """
    own = renamed(options, requests.OfSources, "sources_")
    if data is None:
        if own:
            raise InvalidOption("no-sources", option=f"sources_{next(iter(own))}")
        return None
    with naming(requests.OfSources, "sources_"):
        return open_texts(data, **of_second_input(reading, options, requests.OfSources, "sources_"))


def open_template(data: Any, reading: Mapping[str, Any]) -> Source | None:
    """Opens the template with the options of the submissions. Returns None if there is none."""
    with sharing_columns("template"):
        return None if data is None else open_texts(data, **reading, inherited=("column", "id"))


def _holds_texts(path: str) -> bool:
    try:
        folder = Path(path).expanduser()
        if not folder.is_dir():
            return False
    except (OSError, ValueError, RuntimeError):  # an invalid path, which will be reported when it is opened
        return False
    names = (file.name.lower() for file in folder.rglob("*") if file.is_file() and not file.name.startswith("."))
    return any(not any(suffix in name for suffix in TABLE_SUFFIXES) for name in names)
