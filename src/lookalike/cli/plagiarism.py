"""lookalike plagiarism: submissions, and sources they may stem from → ranked pairs with their copied passages."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import CUT, FIND, INPUT, OUTPUT, Force, Options, Out, Quiet, Threads, option, takes

if TYPE_CHECKING:
    from lookalike.apps.plagiarism import Plagiarism

EXAMPLE = """\b
Example:
  lookalike plagiarism submissions/ --sources library/ --report copied.html
  lookalike plagiarism homework/ --template skeleton.java --out pairs.csv --passages passages.csv"""

Submissions = Annotated[
    list[str],
    typer.Argument(
        metavar="SUBMISSION...",
        show_default=False,
        help="Folders of which every file is a document, files, quoted globs, or tables (see pairs).",
    ),
]
Sources = Annotated[
    list[str] | None,
    option(INPUT, "PATH", "What may have been copied from, of any size. May be given several times.", "--sources"),
]
Template = Annotated[
    list[str] | None,
    option(INPUT, "PATH", "What was given out to all, and does not count. May be given several times.", "--template"),
]
Column = Annotated[str | None, option(INPUT, "NAME", "Column of the texts, in tables (default: text).")]
Id = Annotated[
    str | None, option(INPUT, "NAME", "Column of the ids (default: the row's position; for folders the path).")
]
Format = Annotated[
    str | None,
    option(INPUT, "FORMAT", "text (a document a file), lines, parquet, jsonl, csv or tsv (default: by name)."),
]
OnError = Annotated[
    str, option(INPUT, "fail|skip", "What to do with a file that is no text (default: fail). Skipped ones are counted.")
]
Code = Annotated[
    str,
    option(
        CUT,
        "auto|no|c|python",
        "What is source code: files whose suffix says so, nothing, or everything, in a language like C (Java, "
        "JavaScript, Go, Rust …) or Python (default: auto).",
    ),
]
Names = Annotated[
    str, option(CUT, "fold|keep", "Whether the names that a program gives to things may differ (default: fold).")
]
Length = Annotated[int, option(CUT, "N", "Words, or tokens of a program, in a shingle (default: 5).", "--k")]
Least = Annotated[str, option(FIND, "SIMILARITY", "Least similarity that is listed, in (0, 1] (default: 0.1).")]
Passage = Annotated[int, option(FIND, "N", "Words or tokens of a passage that is always listed (default: 15).")]
Common = Annotated[
    str, option(FIND, "SHARE", "Leave out what more than this share of the submissions has; 1: nothing (default: 0.8).")
]
Top = Annotated[int, option(FIND, "N", "How many others are looked at for each submission (default: 10).")]
ByFolder = Annotated[
    bool,
    option(FIND, None, "A folder for each author (the first in a path): do not compare files of one.", "--by-folder"),
]
Passages = Annotated[
    Path | None, option(OUTPUT, "FILE", "Write the passages here, with their places: .parquet, .jsonl, .csv or .tsv.")
]
Report = Annotated[Path | None, option(OUTPUT, "FILE", "Write a page that shows both side by side, offline too.")]


@takes()
def plagiarism(
    submissions: Submissions,
    sources: Sources = None,
    template: Template = None,
    column: Column = None,
    id: Id = None,
    format: Format = None,
    on_error: OnError = "fail",
    threshold: Least = "0.1",
    passage: Passage = 15,
    common: Common = "0.8",
    top: Top = 10,
    by_folder: ByFolder = False,
    code: Code = "auto",
    names: Names = "fold",
    k: Length = 5,
    threads: Threads = None,
    quiet: Quiet = False,
    out: Out = "-",
    passages: Passages = None,
    report: Report = None,
    force: Force = False,
    *,
    options: Options,
) -> None:
    """Submissions that have passages from one another, or from sources.

    The table has the columns submission, other (ids), kind (submission or source: what the other is), similarity (the
    share of the shorter document in runs that both have), containment (of the submission's shingles in the other),
    reverse, resemblance (Jaccard), copied (the share of the submission in passages), passages (their number) and
    longest (in words or tokens); the most similar come first. That something was found is no error: the exit code is 0.
    """
    from lookalike.apps.plagiarism import open_texts
    from lookalike.apps.plagiarism import plagiarism as find
    from lookalike.cli.outputs import check_inputs_stay, check_outputs
    from lookalike.cli.progress import progress
    from lookalike.cli.session import check_names, check_table
    from lookalike.errors import InvalidOption
    from lookalike.io import Paths, write_table

    given = [submissions, sources or [], template or []]
    check_names([name for some in given for name in some])
    if sum("-" in some for some in given) > 1:
        raise InvalidOption("standard input can be read once only; name a file for all but one of the collections")
    outputs = {"--out": out, "--passages": passages, "--report": report}
    check_outputs(outputs, force=force)
    for table in (out, passages):
        if table is not None:
            check_table(table)
    how = {"column": column, "id": id, "format": format, "on_error": on_error}
    opened = [open_texts(Paths(some), **how) if some else None for some in given]
    for source in opened:
        if source is not None:
            check_inputs_stay(outputs, source)
    with progress(quiet=quiet) as shown:
        found = find(
            opened[0], opened[1], template=opened[2], code=code, names=names, threshold=threshold,  # type: ignore[arg-type]
            passage=passage, common=common, k=k, top=top, by_folder=by_folder, threads=threads,
            progress=shown,
        )  # fmt: skip
    began = time.perf_counter()
    write_table(found.pairs, out, force=force)
    if passages is not None:
        write_table(found.passages, passages, force=force)
    if report is not None:
        from lookalike.apps.plagiarism.page import write_page

        write_page(report, found, force=force)
    if not quiet:
        sys.stdout.flush()  # data first, where both go to one terminal
        seconds = found.summary.seconds | {"write": time.perf_counter() - began}
        wrote = [str(path) for path in (out, passages, report) if path is not None and path != "-"]
        print(_summary(found, seconds, wrote), file=sys.stderr, end="")


def _summary(found: Plagiarism, seconds: dict[str, float], wrote: list[str]) -> str:
    from lookalike.cli.summary import lines_of, written_to

    each = ", ".join(f"{name} {taken:.2f}" for name, taken in seconds.items() if taken >= 0.005)
    counted = zip(("submissions", "sources"), (found.submissions, found.sources), found.sides, strict=False)
    lines = [(stage, f"{many:,} from {side.source.name}") for stage, many, side in counted]
    passages = sum(len(one.passages) for one in found.ranked)
    lines += [
        ("unusable", f"{found.summary.empty:,} empty, {found.summary.malformed:,} malformed"),
        ("left out", f"{found.template:,} shingles of templates, {found.common:,} that too many submissions have"),
        ("pairs", f"{len(found):,}, with {passages:,} passages of {found.question.passage} or more words or tokens"),
        ("time", f"{sum(seconds.values()):.2f} s" + (f" ({each})" if each else "")),
    ]
    lines += written_to(wrote)
    return lines_of([*lines, *(("warning", warning) for warning in found.summary.warnings)])


command = plagiarism
