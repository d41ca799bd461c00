"""lookalike link: finds records in two tables that refer to the same person, product or publication."""

from __future__ import annotations

from typing import Annotated

from lookalike.cli.command_options import RecordOutputs
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.requests.records import Link

EXAMPLE = """\b
Examples:
  lookalike link shop.csv supplier.csv --out matches.csv --report matches.html
  lookalike link a.csv b.csv --fields title=name:text --explain 17 42"""

Left = Annotated[str, Argument("LEFT", "A table, in one of the formats that resolve reads.")]
Right = Annotated[str, Argument("RIGHT", "The table to link LEFT with.")]


@takes(Link, RecordOutputs, example=EXAMPLE)
def link(left: Left, right: Right, *, options: Options) -> None:
    """Finds records in two tables that refer to the same person, product or publication.

    Columns are paired by name. As in resolve, their kinds are guessed, and their weights are learned without labels.
    The output has the columns left and right (ids), score (log odds or points) and, with weights, probability. Rows
    follow the order of the input.
    """
    from lookalike.apps.resolve import link as link_tables
    from lookalike.cli.records import called, finish

    finish(*called(link_tables, Link, [left, right], options), options)


command = link
