"""Code shared by the commands for indexes: opens an index, and prints what a command did."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from lookalike.cli.help import Argument
from lookalike.cli.options import Options
from lookalike.cli.process import return_memory_early
from lookalike.requests.shared import OnThisMachine

if TYPE_CHECKING:
    from lookalike.index.index import Index
    from lookalike.io.outputs import Outputs
    from lookalike.notices import Notice

IndexPath = Annotated[
    str,
    Argument("INDEX", "The folder of the index, or its address in PostgreSQL: postgresql://USER@HOST/DATABASE#NAME."),
]

LOADS = "lookalike.index.index"
"""The module that commands for indexes need, for `takes`."""


def open_index(path: str, options: Options) -> Index:
    """Opens the index that an argument names."""
    from lookalike.index.index import Index

    how = options.of(OnThisMachine) if "threads" in options.fields else {}
    if how.get("memory") is not None:
        return_memory_early()
    return Index.open(path, **how)


def shown_name(path: str) -> str:
    """Returns the name of an index as it is printed: an address without its password."""
    from lookalike.index.postgres.address import address_of, is_address

    return address_of(path).shown if is_address(path) else path


def print_summary(
    options: Options,
    lines: Sequence[tuple[str, str | Notice]],
    facts: Mapping[str, Any],
    outputs: Outputs | None = None,
    warnings: Iterable[Notice] = (),
) -> None:
    """Prints what a command did: lines on standard error or, with --json, an object with the facts."""
    from lookalike.cli.json_output import print_json
    from lookalike.cli.summary import lines_of, show

    if options["json"]:
        print_json(options, facts, warnings, outputs)
    elif not options["quiet"]:
        show(lines_of(lines, [] if outputs is None else outputs.written, warnings))


def lines_of_plan(plan: Any) -> list[tuple[str, str]]:
    """Returns the lines about the plan of an index, which is complete after its first add."""
    from lookalike.planning.plan import Plan

    if isinstance(plan, Plan):
        return [("threshold", str(plan.threshold)), ("shingles", f"{plan.shingles}; decided by the first add")]
    found = f"about {plan.recall:.1%} of the pairs at {plan.threshold}"
    if plan.plan.verify == "signature":
        found += ", whose similarities are then estimated from 8 bits per hash"
    return [
        ("threshold", str(plan.threshold)),
        ("shingles", str(plan.shingles)),
        ("method", f"{plan.bands} bands of {plan.rows} rows: {found}"),
    ]
