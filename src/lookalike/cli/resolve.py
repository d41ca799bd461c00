"""lookalike resolve: finds records in one table that refer to the same person, product or publication."""

from __future__ import annotations

from typing import Annotated

from lookalike.cli.command_options import Matches, RecordOutputs
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.requests.records import Resolve

EXAMPLE = """\b
Examples:
  lookalike resolve people.csv --out entities.csv --save-settings people.toml
  lookalike resolve people.csv --fields born:date --ignore note --explain 17 42"""

Files = Annotated[
    str,
    Argument(
        "INPUT",
        "A table, a quoted glob, a URL, or - for CSV on standard input. Tables can be Parquet, JSONL, CSV or TSV, and "
        "can be compressed (.gz, .zst, .bz2).",
    ),
]


@takes(Resolve, Matches, RecordOutputs, example=EXAMPLE)
def resolve(table: Files, *, options: Options) -> None:
    """Finds records in one table that refer to the same person, product or publication.

    The kind of each column is guessed and printed. The weight of each column is learned from the data, without labels.
    The output has one row per record: id, cluster, size and representative. Clusters are merged only if their members
    match on average, so that one wrong match does not join two entities.
    """
    from lookalike.apps.resolve import resolve as resolve_table
    from lookalike.cli.records import called, finish

    finish(*called(resolve_table, Resolve, [table], options), options)


command = resolve
