"""lookalike contamination: training data and test data → the test documents that stand in the training data."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import (
    CUT,
    FIND,
    INPUT,
    OUTPUT,
    RUN,
    Bits,
    Case,
    Force,
    Normalize,
    Options,
    Out,
    Quiet,
    Threads,
    Whitespace,
    option,
    reading,
    takes,
)  # fmt: skip

if TYPE_CHECKING:
    from lookalike.trust.contamination import Contamination

EXAMPLE = """\b
Example:
  lookalike contamination train/ --test test.jsonl --out leaked.parquet
  lookalike contamination 'crawl/*.parquet' --test q.csv --shingles words:13"""

Train = Annotated[
    list[str],
    typer.Argument(metavar="TRAIN...", show_default=False, help="Files, folders, globs, URLs, or - (see pairs)."),
]
Test = Annotated[
    list[str],
    option(INPUT, "PATH", "The test data. May be given several times; all of it is held in memory.", "--test"),
]
TestColumn = Annotated[str | None, option(INPUT, "NAME", "Column of the test texts, where it is not --column.")]
TestId = Annotated[str | None, option(INPUT, "NAME", "Column of the test ids, where it is not --id.")]
Least = Annotated[
    str,
    option(FIND, "SHARE", "Share of a test document's shingles that counts, in (0, 1] (default: 0.8).", "--threshold"),
]
Top = Annotated[int, option(FIND, "N", "Training documents that are listed for each test document (default: 1).")]
Cut = Annotated[str | None, option(CUT, "KIND", "words:8, chars:50, tokens:8 … (default: words:8).", "--shingles")]
Memory = Annotated[
    str | None, option(RUN, "SIZE", "The most memory to hold, test data and all, as in 2GiB (default: what it takes).")
]
Report = Annotated[Path | None, option(OUTPUT, "FILE", "Write an HTML report to open in a browser, offline too.")]


@takes(reading)
def contamination(
    train: Train,
    test: Test,
    test_column: TestColumn = None,
    test_id: TestId = None,
    threshold: Least = "0.8",
    top: Top = 1,
    shingles: Cut = None,
    whitespace: Whitespace = None,
    case: Case = None,
    normalize: Normalize = None,
    bits: Bits = None,
    threads: Threads = None,
    memory: Memory = None,
    quiet: Quiet = False,
    out: Out = "-",
    report: Report = None,
    force: Force = False,
    *,
    options: Options,
) -> None:
    """Test documents that stand in the training data.

    A test document counts if most of its shingles are in one training document (containment), or in all of them
    together. The table has the columns test, train (ids), containment, resemblance (Jaccard), covered (the share of its
    shingles that is anywhere in the training data) and passage (the longest that both have), in the order of the test
    data. That something was found is no error: the exit code is 0.
    """
    from lookalike.api import contamination as find
    from lookalike.cli.outputs import check_inputs_stay, check_outputs
    from lookalike.cli.progress import progress
    from lookalike.cli.session import check_table
    from lookalike.errors import InvalidOption
    from lookalike.io import Paths, open_source, write_table

    if "" in (*train, *test):
        raise InvalidOption("the name of an input is empty; for the folder you are in write .")
    if "-" in train and "-" in test:
        raise InvalidOption("standard input can be read once only; name a file for one of the two collections")
    outputs = {"--out": out, "--report": report}
    check_outputs(outputs, force=force)
    check_table(out)
    named = {"column": test_column, "id": test_id}
    sides = options.reading, options.reading | {name: value for name, value in named.items() if value is not None}
    sources = [open_source(Paths(paths), **side) for paths, side in zip((train, test), sides, strict=True)]
    for source in sources:
        check_inputs_stay(outputs, source)
    rest = {"whitespace": whitespace, "case": case, "normalize": normalize, "bits": bits, "memory": memory}
    with progress(quiet=quiet) as shown:
        found = find(*sources, threshold=threshold, shingles=shingles, top=top, threads=threads, progress=shown, **rest)  # type: ignore[arg-type]
    began = time.perf_counter()
    write_table(found.to_arrow(), out, force=force)
    if report is not None:
        from lookalike.report import write_leaks

        write_leaks(report, found, *sources, force=force)
    if not quiet:
        sys.stdout.flush()  # data first, where both go to one terminal
        seconds = found.summary.seconds | {"write": time.perf_counter() - began}
        wrote = [str(path) for path in (out, report) if path is not None and path != "-"]
        print(_summary(found, [source.name for source in sources], seconds, wrote), file=sys.stderr, end="")


def _summary(found: Contamination, names: list[str], seconds: dict[str, float], wrote: list[str]) -> str:
    from lookalike.cli.summary import lines_of, written_to

    def share(count: int) -> str:
        return f"{count:,} ({count / found.test:.1%})" if count else "0"

    each = ", ".join(f"{name} {taken:.2f}" for name, taken in seconds.items() if taken >= 0.005)
    lines = [
        ("train", f"{found.train:,} from {names[0]}"),
        ("test", f"{found.test:,} from {names[1]}"),
        ("unusable", f"{found.summary.empty:,} empty, {found.summary.malformed:,} malformed"),
        ("contained", f"{share(found.contained)}: {found.threshold} or more of their {found.shingles} in one document"),
        ("resembling", f"{share(found.resembling)}: similarity {found.threshold} or more to one document"),
        ("covered", f"{share(found.covered)}: {found.threshold} or more of their {found.shingles} in all together"),
        ("touched", f"{share(found.touched)}: one of their {found.shingles} or more"),
        ("time", f"{sum(seconds.values()):.2f} s" + (f" ({each})" if each else "")),
    ]
    if found.short:
        few = f"{found.short:,} test documents are shorter than a shingle, and are found only as a whole"
        lines.insert(3, ("short", few))
    lines += written_to(wrote)
    return lines_of([*lines, *(("warning", warning) for warning in found.summary.warnings)])


command = contamination
