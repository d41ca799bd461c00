"""lookalike dedupe: a corpus → the same corpus with one document of each cluster."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from lookalike.cli.clusters import Keep
from lookalike.cli.options import INPUT, OUTPUT, Inputs, Options, planning, reading, running, takes
from lookalike.cli.outputs import located
from lookalike.errors import InvalidOption

EXAMPLE = """\b
Example:
  lookalike dedupe news.jsonl --threshold 0.8 --out unique.jsonl
  lookalike dedupe 'crawl/*.parquet' --keep longest --out clean/
  lookalike dedupe new.jsonl --against old.jsonl --out unseen.jsonl"""

Kept = Annotated[
    str,
    typer.Option(
        metavar="PATH",
        rich_help_panel=OUTPUT,
        show_default=False,
        help="Write the kept rows here (a file, or a folder for many files), or - for standard output.",
    ),
]
Removed = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        rich_help_panel=OUTPUT,
        show_default=False,
        help="Write what was removed here (default: next to --out, clean/ → clean.removed.parquet, "
        "so that a glob over clean/ sees kept rows only).",
    ),
]
Against = Annotated[
    list[str] | None,
    typer.Option(
        metavar="PATH",
        rich_help_panel=INPUT,
        show_default=False,
        help="A reference, read like the input: what is similar to any of it goes, and nothing of it is written. "
        "May be given several times.",
    ),
]


@takes(reading, planning, running)
def dedupe(
    inputs: Inputs,
    out: Kept,
    against: Against = None,
    keep: Keep = "first",
    removed: Removed = None,
    *,
    options: Options,
) -> None:
    """The corpus with one document of each cluster.

    Kept rows are written in the input's format, with all columns, in the order of the input. Every removed row is
    accounted for in a second table: id, kept (the id of what stayed in its place), similarity (to that) and cluster.
    With --against also kept_in: where that is, in the reference or in the input.
    """
    from lookalike.api import dedupe as dedupe_corpus
    from lookalike.cli.session import Session

    if removed is None and out != "-":
        removed = beside(out)
    with Session(inputs, options, out=out, removed=removed, rows=True, against=against) as session:
        result = session.call(dedupe_corpus, keep=keep, out=out, removed=removed, force=session.force)
        session.note(out)
        if removed:
            session.note(removed)
        session.finish(result)


def beside(out: str) -> Path:
    """Where the removed rows go: clean/ → clean.removed.parquet, unique.jsonl.gz → unique.removed.parquet."""
    path = Path(out)
    if path.name in ("", "..") or out.startswith("~"):  # the name of the folder itself does not stand there
        path = located("--out", out)
    if not path.name:
        raise InvalidOption(f"--out {out} is no place for kept rows; name a file or a folder below it")
    stem = path.name
    if not out.endswith("/") and not os.path.isdir(path):  # noqa: PTH112  (Path's raises for names that are too long)
        if path.suffix in (".gz", ".zst", ".bz2"):
            stem = path.stem
        stem = Path(stem).stem
    return path.with_name(f"{stem}.removed.parquet")


command = dedupe
