"""What commands over vectors share: inputs are opened, a verb is called, its table written, its summary said."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from lookalike.errors import InvalidOption


class Input(NamedTuple):
    """Where vectors are, and what their columns are called."""

    paths: Sequence[str]
    column: str | None = None
    id: str | None = None
    inherited: Sequence[str] = ()
    """Those of the two that were said of another input."""


def answer(
    verb: Callable[..., Any], inputs: Sequence[Input], out: str, *, force: bool, quiet: bool, **asked: Any
) -> None:
    """Calls a verb with the vectors of each input, and writes what it gives."""
    from lookalike.cli.outputs import check_files_stay, check_outputs
    from lookalike.cli.progress import progress
    from lookalike.cli.session import check_names, check_table
    from lookalike.cli.summary import summarise_join
    from lookalike.io import Paths, write_table
    from lookalike.io.vectors import open_vectors

    check_names([name for one in inputs for name in one.paths])
    if sum("-" in one.paths for one in inputs) > 1:
        raise InvalidOption("standard input can be read once only; name a file for one of the two collections")
    check_outputs({"--out": out}, force=force)
    check_table(out)
    with progress(quiet=quiet) as shown:
        shown("read", 0, None)
        began = time.perf_counter()
        tables = [
            open_vectors(Paths(one.paths), column=one.column, id=one.id, inherited=one.inherited) for one in inputs
        ]
        seconds = {"read": time.perf_counter() - began}
        for table in tables:
            check_files_stay({"--out": out}, table.files)
        found = verb(*tables, progress=shown, **asked)
    began = time.perf_counter()
    write_table(found.to_arrow(), out, force=force)
    if not quiet:
        sys.stdout.flush()  # data first, where both go to one terminal
        seconds["write"] = time.perf_counter() - began
        wrote = [] if out == "-" else [out]
        names = [table.name for table in tables][::-1]  # on the left are those that ask
        print(summarise_join(found, names, seconds, wrote), file=sys.stderr, end="")


def refuse_others(given: dict[str, Any], meant: Sequence[str]) -> dict[str, Any]:
    """Those of the options that mean something for vectors; another one that was given is refused."""
    for name, value in given.items():
        if value and name not in meant:
            raise InvalidOption(f"--{name.replace('_', '-')} means nothing for vectors; leave it out")
    return {name: given[name] for name in meant if given[name] is not None}
