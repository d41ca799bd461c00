"""lookalike join: two collections, or one → every similar pair, none missed."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from lookalike.cli.options import Options, Out, joining, reading, takes

EXAMPLE = """\b
Example:
  lookalike join customers.csv suppliers.csv --column name --measure levenshtein --distance 2
  lookalike join baskets.jsonl --column items --threshold 0.9 --out pairs.parquet"""

Left = Annotated[
    str,
    typer.Argument(
        metavar="LEFT", show_default=False, help="A file, a folder of texts, a quoted glob, a URL, or - (see pairs)."
    ),
]
Right = Annotated[
    str | None,
    typer.Argument(metavar="[RIGHT]", show_default=False, help="What to join it with; without it, with itself."),
]


@takes(reading, joining)
def join(left: Left, right: Right = None, out: Out = "-", *, options: Options) -> None:
    """Every similar pair of two collections, or of one with itself.

    Exact: every pair that counts is found. The table has the columns left, right (ids), similarity and, by a measure
    that is a distance, distance, in the order of the input.
    """
    from lookalike.api import join as join_data
    from lookalike.cli.outputs import check_inputs_stay, check_outputs
    from lookalike.cli.progress import progress
    from lookalike.cli.session import check_table
    from lookalike.cli.summary import summarise_join
    from lookalike.errors import InvalidOption
    from lookalike.io import Paths, open_source, write_table
    from lookalike.requests.verbs import Right

    asked = dict(options.joining)
    of_right = [name.removeprefix("right_") for name in Right.__annotations__]
    force, quiet = asked.pop("force"), asked.pop("quiet")
    if left == right == "-":
        raise InvalidOption("standard input can be read once only; name a file for one of the two collections")
    if "" in (left, right):
        raise InvalidOption("the name of an input is empty; for the folder you are in write .")
    check_outputs({"--out": out}, force=force)
    check_table(out)
    sides = [options.reading]
    if right is not None:
        other = {name: asked[f"right_{name}"] or options.reading[name] for name in of_right}
        sides.append(options.reading | other)
    elif any(asked[f"right_{name}"] for name in of_right):
        named = ", ".join(f"--right-{name}" for name in of_right)
        raise InvalidOption(f"{named} are about a second input, and there is none")
    sources = [open_source(Paths(path), **side) for path, side in zip((left, right), sides, strict=False) if path]
    for source in sources:
        check_inputs_stay({"--out": out}, source)
    for name in of_right:
        del asked[f"right_{name}"]
    with progress(quiet=quiet) as shown:
        found = join_data(*sources, progress=shown, **asked)
    began = time.perf_counter()
    write_table(found.to_arrow(), out, force=force)
    if not quiet:
        sys.stdout.flush()  # data first, where both go to one terminal
        seconds = {"write": time.perf_counter() - began}
        names = [source.name for source in sources]
        print(summarise_join(found, names, seconds, [] if out == "-" else [out]), file=sys.stderr, end="")


command = join
