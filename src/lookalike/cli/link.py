"""lookalike link: two tables of records → which of one are which of the other."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.options import FIND, INPUT, Options, Out, Quiet, Threads, option, takes
from lookalike.cli.records import comparing

EXAMPLE = """\b
Example:
  lookalike link shop.csv supplier.csv --out matches.csv --report matches.html
  lookalike link a.csv b.csv --field title=name:text --explain 17 42"""

Left = Annotated[str, typer.Argument(metavar="LEFT", show_default=False, help="A table, as for resolve; or - for CSV.")]
Right = Annotated[str, typer.Argument(metavar="RIGHT", show_default=False, help="The table to link it with.")]
Id = Annotated[
    str | None, option(INPUT, "NAME", "Column of the ids (default: one that numbers the records, else the position).")
]
RightId = Annotated[str | None, option(INPUT, "NAME", "Column of the ids of RIGHT, where it is not --id.")]
Single = Annotated[
    bool | None,
    option(
        FIND,
        None,
        "Whether a record has one match at most (default: yes, unless a table repeats itself).",
        "--one-to-one/--many-to-many",
    ),
]
Explain = Annotated[
    tuple[str, str] | None, option(FIND, "ID ID", "Say why two records match or do not, in place of --out.")
]


@takes(comparing)
def link(
    left: Left,
    right: Right,
    id: Id = None,
    right_id: RightId = None,
    one_to_one: Single = None,
    explain: Explain = None,
    out: Out = "-",
    threads: Threads = None,
    quiet: Quiet = False,
    *,
    options: Options,
) -> None:
    """Which records of one table are those of another.

    Columns go together by name; kinds are guessed, and weights learnt without labels, as for resolve. The output has
    the columns left, right (ids), score (log odds) and probability, in the order of the input.
    """
    from lookalike.apps.resolve import link as link_tables
    from lookalike.cli.records import called, finish

    asked = options.comparing
    outputs: dict[str, str | Path | None] = {"--out": None if explain else out}
    outputs |= {"--save-settings": asked["save_settings"], "--report": asked["report"]}
    found = called(
        link_tables, [left, right], asked, outputs, quiet=quiet, threads=threads, id=id, right_id=right_id,
        one_to_one=one_to_one,
    )  # fmt: skip
    if explain:
        print(found.explain(*explain))
    finish(found, asked, outputs, quiet=quiet)


command = link
