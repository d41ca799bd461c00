"""lookalike frequent: baskets → pairs of items that are often together."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from lookalike.cli.options import FIND, INPUT, OUTPUT, RUN, Basket, Options, Out, Separator, Transpose, takes

if TYPE_CHECKING:
    from lookalike.frequent import FrequentPairs

EXAMPLE = """\b
Example:
  lookalike frequent baskets.dat --support 100
  lookalike frequent orders.csv --column product --basket order --support 0.01 --out pairs.parquet"""

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="INPUT...",
        show_default=False,
        help="Files, quoted globs, URLs, or - for standard input: basket files (one basket a line), or "
        "Parquet, JSONL, CSV and TSV; also .gz, .zst and .bz2.",
    ),
]
Least = Annotated[
    str,
    typer.Option(
        metavar="N|SHARE",
        rich_help_panel=FIND,
        show_default=False,
        help="In how many baskets a pair has to be: a number (100), or a share of all baskets (0.01).",
    ),
]
How = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        rich_help_panel=FIND,
        show_default=False,
        help="apriori, pcy, multistage or multihash; all find the same pairs (default: pcy for files larger than "
        "--memory, else apriori).",
    ),
]
Memory = Annotated[
    str,
    typer.Option(
        metavar="SIZE",
        rich_help_panel=RUN,
        show_default=False,
        help="For the whole process, but for the pairs found; less memory costs further passes (default: 256MiB).",
    ),
]
Column = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        rich_help_panel=INPUT,
        show_default=False,
        help="Column of the items: lists or, with --basket, one item a row (default: items).",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        metavar="FORMAT",
        rich_help_panel=INPUT,
        show_default=False,
        help="baskets, parquet, jsonl, csv or tsv (default: by file name).",
    ),
]
OnError = Annotated[
    str,
    typer.Option(
        metavar="fail|skip",
        rich_help_panel=INPUT,
        show_default=False,
        help="What to do with a malformed basket (default: fail). Skipped ones are counted.",
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(metavar="N", rich_help_panel=RUN, show_default=False, help="Threads (default: all cores)."),
]
Force = Annotated[
    bool,
    typer.Option("--force", rich_help_panel=OUTPUT, show_default=False, help="Overwrite an output that exists."),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", rich_help_panel=RUN, show_default=False, help="Neither progress nor summary."),
]


@takes()
def frequent(
    inputs: Files,
    support: Least,
    method: How = "auto",
    memory: Memory = "256MiB",
    column: Column = None,
    basket: Basket = None,
    separator: Separator = None,
    transpose: Transpose = False,
    format: Format = None,
    on_error: OnError = "fail",
    threads: Threads = None,
    out: Out = "-",
    force: Force = False,
    quiet: Quiet = False,
    *,
    options: Options,
) -> None:
    """Pairs of items that are often in the same basket.

    The table has the columns left, right, count, support, confidence, reverse_confidence, lift and interest; the most
    frequent pairs come first. The data is read twice and may be larger than memory.
    """
    from lookalike.api import frequent_pairs
    from lookalike.cli.outputs import check_outputs
    from lookalike.cli.progress import progress
    from lookalike.cli.session import check_table
    from lookalike.cli.summary import lines_of
    from lookalike.io import Paths, write_table

    check_outputs({"--out": out}, force=force)
    check_table(out)
    _check_inputs_stay(inputs, format, out)
    with progress(quiet=quiet) as shown:
        found = frequent_pairs(
            Paths(inputs),
            support=support,
            method=method,  # type: ignore[arg-type]
            memory=memory,
            threads=threads,
            progress=shown,
            column=column,
            basket=basket,
            separator=separator,
            transpose=transpose,
            format=format,
            on_error=on_error,  # type: ignore[arg-type]
        )
    write_table(found.to_arrow(), out, force=force)
    if not quiet:
        sys.stdout.flush()  # data first, where both go to one terminal
        written = [] if out == "-" else [("written to", out)]
        print(lines_of([*_summary(found), *written]), file=sys.stderr, end="")


def _check_inputs_stay(inputs: list[str], format: str | None, out: str) -> None:
    from lookalike.cli.outputs import check_files_stay
    from lookalike.io.baskets import format_by_name
    from lookalike.io.find_files import find_files, is_pipe

    named = [name for name in inputs if name != "-" and not is_pipe(name)]
    if named and out != "-":
        check_files_stay({"--out": out}, find_files(named, format or format_by_name(named)).files)


def _summary(found: FrequentPairs) -> list[tuple[str, str]]:
    from lookalike.flow.byte_sizes import in_words

    report = found.report
    lines = [("frequent pairs", f"{len(found):,} in {found.least:,} or more of {found.baskets:,} baskets")]
    for one in report.passes:
        counts = ", ".join(f"{count:,} {what}" for what, count in one.counts.items())
        lines.append((one.name, f"{counts}; {one.seconds:.2f} s"))
        lines.append(("", ", ".join(f"{what} {in_words(size)}" for what, size in one.bytes.items())))
    return lines + [("note", str(note)) for note in report.notes]


command = frequent
