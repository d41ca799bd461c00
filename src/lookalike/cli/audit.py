"""lookalike audit: a result and its data → the recall that was reached, measured."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli.options import FIND, INPUT, OUTPUT, RUN, Force, Options, Quiet, Threads, option, takes

EXAMPLE = """\b
Example:
  lookalike audit pairs.parquet
  lookalike audit unique.removed.parquet news.jsonl --sample 5000 --out missed.parquet"""

Result = Annotated[
    str,
    typer.Argument(
        metavar="RESULT",
        show_default=False,
        help="What pairs or clusters wrote, or dedupe's table of what was removed, as Parquet; or a result folder.",
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[INPUT]...", show_default=False, help="The data it was made of, where that is not where it was."
    ),
]
Column = Annotated[str | None, option(INPUT, "NAME", "Column of the texts (default: as for the result).")]
Id = Annotated[str | None, option(INPUT, "NAME", "Column of the ids (default: as for the result).")]
Format = Annotated[str | None, option(INPUT, "FORMAT", "Format of the data (default: as for the result).")]
OnError = Annotated[str | None, option(INPUT, "fail|skip", "As in the other commands (default: as for the result).")]
SampleSize = Annotated[int, option(FIND, "N", "Documents whose partners are looked for (default: 1000).")]
Seed = Annotated[int, option(FIND, "N", "Which documents are sampled (default: 0).")]
Memory = Annotated[str | None, option(RUN, "SIZE", "The most memory to hold, as in 1GiB (default: what it takes).")]
Missed = Annotated[
    Path | None, option(OUTPUT, "FILE", "Write the missed pairs here: .parquet, .jsonl, .csv or .tsv.", "--out")
]
Json = Annotated[bool, option(OUTPUT, None, "The numbers, as JSON.", "--json")]


@takes()
def audit(
    result: Result,
    data: Data = None,
    column: Column = None,
    id: Id = None,
    format: Format = None,
    on_error: OnError = None,
    sample: SampleSize = 1000,
    seed: Seed = 0,
    threads: Threads = None,
    memory: Memory = None,
    quiet: Quiet = False,
    out: Missed = None,
    json: Json = False,
    force: Force = False,
    *,
    options: Options,
) -> None:
    """Measures the recall of a result.

    Documents are sampled, all their true partners in the whole data are found exactly, and the result is held against
    them: the share of true pairs that it has, with a 95 % interval, and the pairs that it missed.
    """
    from lookalike.api import audit as audit_result
    from lookalike.cli.audit_lines import lines_of_audit
    from lookalike.cli.outputs import check_inputs_stay, check_outputs
    from lookalike.cli.progress import progress
    from lookalike.cli.session import check_table
    from lookalike.cli.summary import lines_of
    from lookalike.errors import InvalidOption
    from lookalike.io import Paths, write_table

    check_outputs({"--out": out}, force=force)
    if out is not None:
        if str(out) == "-":
            raise InvalidOption("--out takes the name of a file; standard output has the summary")
        check_table(out)
    if data and "" in data:
        raise InvalidOption("the name of an input is empty; for the folder you are in write .")
    reading = {"column": column, "id": id, "format": format, "on_error": on_error}
    given: dict[str, Any] = {name: value for name, value in reading.items() if value is not None}
    named: Any = Paths(data) if data else None
    if out is not None and force:
        from lookalike.io.description import reopen
        from lookalike.trust.reported_pairs import Reported

        source, _ = reopen(Reported.of(result).input, named, **given)
        check_inputs_stay({"--out": out}, source, Path(result))
        named = source if data else None  # standard input can be read only once
    if memory is not None:
        given["memory"] = memory
    with progress(quiet=quiet) as shown:
        found = audit_result(result, named, sample=sample, seed=seed, threads=threads, progress=shown, **given)
    if out is not None:
        write_table(found.missed, out, force=force)
    if json:
        from json import dumps

        print(dumps(found.to_dict(), indent=1))
        return
    lines = lines_of_audit(found) + ([("written to", str(out))] if out is not None else [])
    print(lines_of(lines), end="")
    sys.stdout.flush()


command = audit
