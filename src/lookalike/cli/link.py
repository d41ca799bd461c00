"""lookalike link: finds records of one table that are the same as records of another."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.command_options import RecordOutputs
from lookalike.cli.options import Options, takes
from lookalike.requests.applications import Link

EXAMPLE = """\b
Example:
  lookalike link shop.csv supplier.csv --out matches.csv --report matches.html
  lookalike link a.csv b.csv --fields title=name:text --explain 17 42"""

Left = Annotated[str, typer.Argument(metavar="LEFT", show_default=False, help="A table, as for resolve; or - for CSV.")]
Right = Annotated[str, typer.Argument(metavar="RIGHT", show_default=False, help="The table to link LEFT with.")]


@takes(Link, RecordOutputs)
def link(left: Left, right: Right, *, options: Options) -> None:
    """Finds records of two tables that are the same person, product or publication.

    Columns are paired by name; their kinds are guessed, and weights are learned without labels, as for resolve. The
    table has the columns left, right (ids), score (log odds) and probability, in the order of the input.
    """
    from lookalike.apps.resolve import link as link_tables
    from lookalike.cli.records import called, finish

    finish(*called(link_tables, Link, [left, right], options), options)


command = link
