"""lookalike index: the commands for documents that stay. Each is in a module of the same name."""

from __future__ import annotations

import click

from lookalike.cli.app import Group
from lookalike.cli.help import CONTEXT

COMMANDS = {
    "create": "Creates an empty index.",
    "add": "Adds documents to an index, all or none.",
    "query": "Finds the documents of an index that are similar to others.",
    "delete": "Deletes documents from an index by their ids.",
    "clusters": "Lists the clusters of the documents in an index.",
    "export": "Writes all documents of an index to a table.",
    "info": "Shows the counts, sizes and plan of an index.",
    "compact": "Returns the space of deleted documents, and merges all segments.",
    "verify": "Reads everything in an index, and reports damage.",
}
"""Maps each command to its line of help."""

EXAMPLES = """\b
Examples:
  lookalike index create corpus.index --threshold 0.8
  lookalike index add corpus.index 'crawl/*.parquet' --id id
  lookalike index query corpus.index new.jsonl --out matches.parquet
  lookalike index delete corpus.index --ids gone.txt"""


class IndexGroup(Group):
    """The commands for indexes."""

    lines = COMMANDS
    package = "lookalike.cli.index"


@click.command(
    "index",
    cls=IndexGroup,
    context_settings=CONTEXT,
    no_args_is_help=True,
    subcommand_metavar="COMMAND [ARGS]...",
    epilog=EXAMPLES,
)
def command() -> None:
    """Keeps documents in a folder, to ask which of them are similar to new ones.

    One process at a time can change an index, and any number can read it. A change is whole or not at all: after an
    error or Ctrl-C, the index is as it was.
    """
