"""lookalike frequent: finds pairs of items that are often in the same basket."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from lookalike.cli.command_options import Table
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.requests.verbs import FrequentPairs as Request

if TYPE_CHECKING:
    from lookalike.frequent import FrequentPairs
    from lookalike.io.files import File
    from lookalike.notices import Notice

EXAMPLE = """\b
Examples:
  lookalike frequent baskets.dat --support 100
  lookalike frequent orders.csv --column product --basket order --support 0.01 --out pairs.parquet"""

Files = Annotated[
    list[str],
    Argument(
        "INPUT...",
        "Files, quoted globs, URLs, or - for standard input. The data can be basket files (one basket per line), "
        "Parquet, JSONL, CSV or TSV, and can be compressed (.gz, .zst, .bz2).",
    ),
]


@takes(Request, Table, example=EXAMPLE)
def frequent(inputs: Files, *, options: Options) -> None:
    """Finds pairs of items that often occur in the same basket.

    The output has the columns left, right, count, support, confidence, reverse_confidence, lift and interest, with the
    most frequent pairs first. The data is read at least twice and may be larger than memory.
    """
    from lookalike.api import frequent_pairs
    from lookalike.cli.inputs import check_inputs
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import lines_of, show
    from lookalike.display.progress import watching
    from lookalike.io.open import Paths
    from lookalike.io.outputs import Outputs

    check_inputs(inputs)
    outputs = Outputs({"out": options["out"]}, force=options["force"], tables=["out"])
    outputs.check_inputs(files=_files(inputs, options["format"]))
    with watching(options.progress) as shown:
        found = frequent_pairs(Paths(inputs), progress=shown, **options.of(Request))
    outputs.write_table("out", found.to_arrow())
    if options["json"]:
        print_json(options, facts_of(found), found.warnings, outputs)
    elif not options["quiet"]:
        show(lines_of(_summary(found), outputs.written))


def _files(inputs: list[str], format: str | None) -> Sequence[File]:
    from lookalike.io.baskets import format_by_name
    from lookalike.io.find_files import find_files, is_pipe

    named = [name for name in inputs if name != "-" and not is_pipe(name)]
    return find_files(named, format or format_by_name(named)).files if named else ()


def _summary(found: FrequentPairs) -> list[tuple[str, str | Notice]]:
    report = found.report
    lines: list[tuple[str, str | Notice]] = [
        ("frequent pairs", f"{len(found):,} in {found.least:,} or more of {found.baskets:,} baskets")
    ]
    for one in report.passes:
        lines += zip((one.name, ""), one.lines(), strict=True)
    return lines + [("note", note) for note in report.notes]


command = frequent
