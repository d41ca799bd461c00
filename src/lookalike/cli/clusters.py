"""lookalike clusters: a corpus → groups of similar documents."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.options import OUTPUT, Inputs, Options, Out, planning, reading, running, takes

EXAMPLE = """\b
Example:
  lookalike clusters news.jsonl --threshold 0.8 --out clusters.parquet
  lookalike clusters 'articles/*.txt' --shingles words:5 --report report.html"""

Keep = Annotated[
    str,
    typer.Option(
        metavar="RULE",
        rich_help_panel=OUTPUT,
        show_default=False,
        help="Which member stands for a cluster: first, last, longest, shortest or best:COLUMN (default: first).",
    ),
]


@takes(reading, planning, running)
def clusters(inputs: Inputs, out: Out = "-", keep: Keep = "first", *, options: Options) -> None:
    """Groups of similar documents.

    The table has a row for every document: id, cluster (a number), size (of the cluster) and representative (an id).
    A cluster is everything connected by similar pairs; a document that is like no other is a cluster of one.
    """
    from lookalike.api import find_clusters
    from lookalike.cli.session import Session

    with Session(inputs, options, out=out) as session:
        found = session.call(find_clusters, keep=keep)
        session.write(found.to_reader(), out)
        session.finish(found)


command = clusters
