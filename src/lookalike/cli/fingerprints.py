"""lookalike fingerprints: finds pairs of prints that may come from the same finger."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from lookalike.cli.command_options import Gallery, Table
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.requests.applications import MatchPrints

if TYPE_CHECKING:
    from lookalike.apps.fingerprints import AlignedMatches, PrintMatches

EXAMPLE = """\b
Examples:
  lookalike fingerprints prints/ --out matches.csv
  lookalike fingerprints found.fmr --gallery enrolled/ --threshold 0 --on-error skip
  lookalike fingerprints aligned.csv --method grid --margin 0.2 --count 2048"""

Prints = Annotated[
    list[str],
    Argument(
        "PRINT...",
        "Files, or folders of files: ISO/IEC 19794-2:2005 templates, or CSV tables with one minutia per row and "
        "the columns print, x, y and, optionally, angle (in degrees).",
    ),
]


@takes(Gallery, MatchPrints, Table, example=EXAMPLE)
def fingerprints(prints: Prints, *, options: Options) -> None:
    """Finds prints that may come from the same finger, without comparing every pair.

    Prints may have any position and rotation: candidates are found by the neighbourhoods of minutiae, and then aligned.
    This needs the directions of minutiae, and positions in millimetres. The output has the columns left and right
    (names of prints), similarity, paired (the number of minutiae that coincide), rotation, shift_x and shift_y (the
    motion that moves the right print onto the left one).

    With --method grid, prints must already be aligned. The output then has the columns left, right, similarity (of
    their sets of squares), shared (the number of squares in which both have minutiae) and buckets (the number of
    buckets that contain both prints). The most similar pairs come first.
    """
    from lookalike.apps.fingerprints import match_prints
    from lookalike.cli.inputs import check_inputs
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import show
    from lookalike.errors import OutputError
    from lookalike.io.outputs import Outputs, located

    out: str | None = options["out"]
    gallery: list[str] = options["gallery"] or []
    check_inputs(prints, gallery)
    outputs = Outputs({"out": out}, force=options["force"], tables=["out"])
    target = outputs.targets.get("out")
    for name in (*prints, *gallery):
        if target is not None and target.exists() and target.is_relative_to(located(name)):
            raise OutputError("output-is-input", option="out", path=out, name=name)
    found = match_prints(prints, gallery or None, **options.of(MatchPrints))
    outputs.write_table("out", found.to_arrow())
    if options["json"]:
        print_json(options, facts_of(found), found.warnings, outputs)
    elif not options["quiet"]:
        show(_summary(found, outputs.written))


def _summary(found: AlignedMatches | PrintMatches, wrote: list[str]) -> str:
    from lookalike.apps.fingerprints import PrintMatches
    from lookalike.cli.summary import lines_of

    lines = [("prints", f"{len(found.prints):,}")]
    if found.gallery is not found.prints:
        lines.append(("gallery", f"{len(found.gallery):,}"))
    share = f" ({found.candidates / found.compared:.2%} of all pairs)" if found.compared else ""
    candidates = ("candidates", f"{found.candidates:,}{share}")
    if isinstance(found, PrintMatches):
        lines += _grid(found)
    lines += [candidates, ("matches", f"{len(found):,}")]
    lines.append(("time", ", ".join(f"{name} {taken:.2f} s" for name, taken in found.summary.seconds.items())))
    return lines_of(lines, wrote, found.warnings)


def _grid(found: PrintMatches) -> list[tuple[str, str]]:
    grid, triples = found.grid, found.triples
    sectors = f" × {grid.sectors} directions" if grid.sectors > 1 else ""
    groups = f", in {triples.groups} groups" if triples.groups > 1 else ""
    lines = [
        ("grid", f"{grid.columns} × {grid.rows} squares{sectors}; a print fills {found.filled:.1%} of them"),
        ("functions", f"{triples.count:,} of {triples.size} squares{groups}"),
    ]
    if found.expected_false_rate is not None:
        lines.append(("expected", f"{found.expected_false_rate:.2%} of the pairs of different fingers are candidates"))
    return lines


command = fingerprints
