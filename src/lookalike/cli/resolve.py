"""lookalike resolve: one table of records → which of them are the same thing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.options import FIND, INPUT, OUTPUT, Options, Out, Quiet, Threads, option, takes
from lookalike.cli.records import comparing

EXAMPLE = """\b
Example:
  lookalike resolve people.csv --out entities.csv --save-settings people.toml
  lookalike resolve people.csv --field born:date --ignore note --explain 17 42"""

Files = Annotated[
    str,
    typer.Argument(
        metavar="INPUT",
        show_default=False,
        help="A table: Parquet, JSONL, CSV or TSV, also .gz, .zst and .bz2; a quoted glob, a URL, or - (CSV).",
    ),
]
Id = Annotated[
    str | None, option(INPUT, "NAME", "Column of the ids (default: one that numbers the records, else the position).")
]
Matches = Annotated[str | None, option(OUTPUT, "FILE", "Write the matching pairs here, with their scores.")]
Explain = Annotated[
    tuple[str, str] | None, option(FIND, "ID ID", "Say why two records match or do not, in place of --out.")
]


@takes(comparing)
def resolve(
    table: Files,
    id: Id = None,
    matches: Matches = None,
    explain: Explain = None,
    out: Out = "-",
    threads: Threads = None,
    quiet: Quiet = False,
    *,
    options: Options,
) -> None:
    """Which records of a table are the same person, product or publication.

    Columns are read, their kinds guessed and said; how much each tells is learnt from the data, without labels. The
    output has a row for every record: id, cluster, size and representative. Members of a cluster match on average.
    """
    from lookalike.apps.resolve import resolve as resolve_table
    from lookalike.cli.records import called, finish

    asked = options.comparing
    outputs: dict[str, str | Path | None] = {"--out": None if explain else out, "--matches": matches}
    outputs |= {"--save-settings": asked["save_settings"], "--report": asked["report"]}
    found = called(resolve_table, [table], asked, outputs, quiet=quiet, threads=threads, id=id)
    if explain:
        print(found.explain(*explain))
    finish(found, asked, outputs, quiet=quiet)


command = resolve
