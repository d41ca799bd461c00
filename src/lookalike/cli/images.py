"""lookalike images: finds copies of pictures, or the pictures nearest to a query."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any

from lookalike.cli.command_options import PictureOutputs, Queried, Table
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.requests.applications import FindPictures, NearestPictures

if TYPE_CHECKING:
    from lookalike.apps.images import NearestPictures as Neighbours
    from lookalike.apps.images import PicturePairs
    from lookalike.io.outputs import Outputs

EXAMPLE = """\b
Examples:
  lookalike images photos/ --out copies.csv --pictures pictures.csv --report copies.html
  lookalike images photos/ --query holiday.jpg --top 5 --out nearest.csv"""

Pictures = Annotated[
    list[str], Argument("FOLDER...", "Folders with pictures (JPEG, PNG, WebP, GIF, TIFF …), or picture files.")
]


@takes(FindPictures, Queried, NearestPictures, PictureOutputs, Table, example=EXAMPLE, loads="lookalike.apps.images")
def images(folders: Pictures, *, options: Options) -> None:
    """Finds copies of pictures, also scaled, recompressed, cropped or turned ones.

    No file is removed or changed. The table has one row per pair:

    \b
    left, right  paths of the two pictures
    similarity   1 for equal pictures; for others, how well their details agree
    kind         bytes (equal files), pixels (equal pictures) or near
    turned       degrees by which the left picture is turned to look like the right one
    brightness   light of the right picture, divided by that of the left one

    With --pictures, a second table lists every picture, with the copy to keep in its place. With --query, the table
    lists the pictures that are nearest to the queries: copies first, and then those with similar features.
    """
    from lookalike.cli.inputs import check_inputs
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import show
    from lookalike.display.progress import watching
    from lookalike.errors import InvalidOption
    from lookalike.io.outputs import Outputs

    queries: list[str] = options["query"] or []
    check_inputs(folders, queries)
    if queries and options["pictures"]:
        raise InvalidOption("pictures-of-queries")
    if options["top"] is not None and not queries and "top" in options.changed():
        raise InvalidOption("top-without-query")
    names = ("out", "pictures", "report")
    outputs = Outputs({name: options[name] for name in names}, force=options["force"], tables=["out", "pictures"])
    began = time.perf_counter()
    with watching(options.progress) as shown:
        found = _found(folders, queries, options, shown)
    outputs.write_table("out", found.to_arrow())
    if "pictures" in outputs.paths and not queries:
        outputs.write_table("pictures", found.tables()["pictures"])
    outputs.note("report")
    if options["json"]:
        print_json(options, facts_of(found), found.warnings, outputs)
    elif not options["quiet"]:
        show(_summary(found, time.perf_counter() - began, outputs))


def _found(folders: list[str], queries: list[str], options: Options, shown: Any) -> PicturePairs | Neighbours:
    from lookalike.apps.images import find_pairs, nearest

    if queries:
        return nearest(folders, queries, progress=shown, **options.of(NearestPictures))
    return find_pairs(folders, progress=shown, **options.of(FindPictures))


def _summary(found: PicturePairs | Neighbours, seconds: float, outputs: Outputs) -> str:
    from lookalike.apps.images import PicturePairs
    from lookalike.cli.summary import lines_of
    from lookalike.results.summary import counted

    counts = found.counts
    left_out = {
        "other files": counts["others"], "links to known files or to folders": counts["links"],
        "unreadable or too large": counts["problems"],
    }  # fmt: skip
    lines = [("pictures", f"{found.summary.documents - counts.get('queries', 0):,} from {found.name}")]
    if skipped := [f"{count:,} {what}" for what, count in left_out.items() if count]:
        lines.append(("not compared", ", ".join(skipped)))
    if counts["plain"]:
        lines.append(("almost plain", f"{counts['plain']:,}, compared only for exact copies"))
    if counts["animated"]:
        lines.append(("several frames", f"{counts['animated']:,}, of which only the first frame was compared"))
    if isinstance(found, PicturePairs):
        kinds = found.kind_counts()
        lines += [
            (
                "pairs",
                "{bytes:,} with equal bytes, {pixels:,} with equal pixels, {near:,} near".format(**kinds),
            ),
            ("could go", f"{found.removable:,}, each similar to a picture that is kept. Nothing was removed"),
        ]
    else:
        copies = sum(kind != "other" for kind in found.table["kind"].to_pylist())
        queries = counted(counts["queries"], "query", "queries")
        lines.append(("neighbours", f"{len(found):,} of {queries}, {copies:,} of them copies"))
    each = ", ".join(f"{name} {taken:.2f}" for name, taken in found.summary.seconds.items() if taken >= 0.005)
    lines.append(("time", f"{seconds:.2f} s" + (f" ({each})" if each else "")))
    return lines_of(lines, outputs.written, found.summary.warnings)


command = images
