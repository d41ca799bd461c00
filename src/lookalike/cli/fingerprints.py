"""lookalike fingerprints: prints, and perhaps a gallery → the pairs that may be of one finger."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import CUT, FIND, INPUT, Force, Options, Out, Quiet, Threads, option, takes

if TYPE_CHECKING:
    from lookalike.apps.fingerprints import Matches

EXAMPLE = """\b
Example:
  lookalike fingerprints prints/ --out matches.csv
  lookalike fingerprints found.fmr --gallery enrolled/ --margin 0.2 --triples 2048"""

Prints = Annotated[
    list[str],
    typer.Argument(
        metavar="PRINT...",
        show_default=False,
        help="Files, or folders of files: ISO/IEC 19794-2:2005 templates, or CSV tables of one minutia a row with the "
        "columns print, x, y and perhaps angle (in degrees).",
    ),
]
Gallery = Annotated[
    list[str] | None,
    option(
        INPUT,
        "PATH",
        "Compare with these prints, and not with each other. May be given several times.",
        "--gallery",
    ),
]
Side = Annotated[
    float, option(CUT, "LENGTH", "Side of a grid square; of templates in millimetres (default: 1).", "--square")
]
Sectors = Annotated[int, option(CUT, "N", "Directions that are told apart in each square (default: 1).")]
Margin = Annotated[
    float, option(CUT, "LENGTH", "A minutia so close to a border is in the next square as well (default: 0).")
]
Count = Annotated[int, option(FIND, "N", "Hash functions: sets of squares (default: 1024).", "--triples")]
Size = Annotated[int, option(FIND, "N", "Squares of a function (default: 3).", "--size")]
Groups = Annotated[int, option(FIND, "N", "Groups of functions, in all of which a pair has to meet (default: 1).")]
Seed = Annotated[int, option(FIND, "N", "Seed of the functions (default: 0).")]
Least = Annotated[
    str | None,
    option(FIND, "SIMILARITY", "Least similarity of the squares of two prints (default: any).", "--threshold"),
]


@takes()
def fingerprints(
    prints: Prints,
    gallery: Gallery = None,
    square: Side = 1.0,
    sectors: Sectors = 1,
    margin: Margin = 0.0,
    triples: Count = 1024,
    size: Size = 3,
    groups: Groups = 1,
    seed: Seed = 0,
    threshold: Least = None,
    threads: Threads = None,
    quiet: Quiet = False,
    out: Out = "-",
    force: Force = False,
    *,
    options: Options,
) -> None:
    """Prints that may be of one finger, without comparing all with all.

    The table has the columns left, right (names of prints), similarity (of their sets of squares), shared (squares that
    both have) and buckets (functions that hold both); the most similar come first. Prints have to lie in the same place
    and direction.
    """
    from pathlib import Path

    from lookalike.apps.fingerprints import match_prints, read_prints
    from lookalike.cli.outputs import check_outputs, located
    from lookalike.cli.session import check_names, check_table
    from lookalike.errors import OutputError
    from lookalike.io import write_table

    check_names([*prints, *(gallery or [])])
    check_outputs({"--out": out}, force=force)
    check_table(out)
    for name in (*prints, *(gallery or [])):
        if out != "-" and Path(out).exists() and located("--out", out).is_relative_to(located("INPUT", name)):
            raise OutputError(f"--out {out} would overwrite what is being read; choose another name")
    began = time.perf_counter()
    read = [read_prints(prints), None if not gallery else read_prints(gallery)]
    seconds = {"read": time.perf_counter() - began}
    began = time.perf_counter()
    found = match_prints(
        read[0], read[1], side=square, sectors=sectors, margin=margin, count=triples, size=size, groups=groups,
        seed=seed, threshold=threshold, threads=threads,
    )  # fmt: skip
    seconds["match"] = time.perf_counter() - began
    write_table(found.to_arrow(), out, force=force)
    if not quiet:
        sys.stdout.flush()  # data first, where both go to one terminal
        print(_summary(found, seconds, [] if out == "-" else [out]), file=sys.stderr, end="")


def _summary(found: Matches, seconds: dict[str, float], wrote: list[str]) -> str:
    from lookalike.cli.summary import lines_of, written_to

    grid, triples = found.grid, found.triples
    sectors = f" × {grid.sectors} directions" if grid.sectors > 1 else ""
    groups = f", in {triples.groups} groups" if triples.groups > 1 else ""
    lines = [("prints", f"{len(found.prints):,}")]
    if found.gallery is not found.prints:
        lines.append(("gallery", f"{len(found.gallery):,}"))
    share = f" ({len(found) / found.compared:.2%} of all pairs)" if found.compared else ""
    lines += [
        ("grid", f"{grid.columns} × {grid.rows} squares{sectors}; a print has {found.filled:.1%} of them"),
        ("functions", f"{triples.count:,} of {triples.size} squares{groups}"),
        ("candidates", f"{len(found):,}{share}"),
        ("time", ", ".join(f"{name} {taken:.2f} s" for name, taken in seconds.items())),
    ]
    if found.expected_in_vain is not None:
        lines.insert(-2, ("expected", f"{found.expected_in_vain:.2%} of the pairs of different fingers are candidates"))
    return lines_of(lines + written_to(wrote))


command = fingerprints
