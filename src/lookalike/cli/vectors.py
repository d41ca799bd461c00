"""Code shared by commands for vectors: opens inputs, calls a verb, writes its table and prints its summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple

from lookalike.cli.command_options import Table
from lookalike.cli.options import Options
from lookalike.errors import InvalidOption
from lookalike.requests.verbs import FindVectorPairs, Queries


class Input(NamedTuple):
    """One input of vectors: its files, and the names of its columns for vectors and ids."""

    paths: Sequence[str]
    column: str | None = None
    id: str | None = None
    inherited: Sequence[str] = ()
    """The names among `column` and `id` that were given for another input. They are ignored if this input has no
    columns.
    """


def answer(
    verb: Callable[..., Any], inputs: Sequence[Input], options: Options, *, swapped: bool = True, **asked: Any
) -> None:
    """Calls a verb with the vectors of each input, writes its result, and prints the summary.

    With `swapped`, the second input is on the left of the result, as queries are.
    """
    from lookalike.cli.inputs import check_inputs
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import show, summarise_join
    from lookalike.display.progress import watching
    from lookalike.io.open import Paths
    from lookalike.io.outputs import Outputs
    from lookalike.io.vectors import open_vectors
    from lookalike.requests.option import naming

    check_inputs(*(one.paths for one in inputs))
    outputs = Outputs({"out": options["out"]}, force=options["force"], tables=["out"])
    with watching(options.progress) as shown:
        shown("read", 0, None)
        began = time.perf_counter()
        tables: list[Any] = []
        for one in inputs:
            with naming(Queries, "query_") if tables else nullcontext():
                tables.append(open_vectors(Paths(one.paths), column=one.column, id=one.id, inherited=one.inherited))
        seconds = {"read": time.perf_counter() - began}
        outputs.check_inputs(*tables)
        found = verb(*tables, progress=shown, **asked)
    began = time.perf_counter()
    outputs.write_table("out", found.to_arrow())
    if options["json"]:
        print_json(options, facts_of(found), found.warnings, outputs)
    elif not options["quiet"]:
        seconds["write"] = time.perf_counter() - began
        names = [table.name for table in tables][:: -1 if swapped else 1]
        show(summarise_join(found, names, seconds, outputs.written))


def check_vector_options(options: Options) -> None:
    """Raises an error if options are given that do not apply to vectors."""
    allowed = {"measure", *FindVectorPairs.__annotations__, *Table.__annotations__}
    for name in options.changed():
        if name not in allowed:
            raise InvalidOption("not-for-vectors", option=name)
