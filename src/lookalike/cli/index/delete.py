"""lookalike index delete: deletes documents from an index by their ids."""

from __future__ import annotations

from typing import Annotated

from lookalike.cli.command_options import Quiet
from lookalike.cli.help import Argument
from lookalike.cli.index.opening import LOADS, IndexPath, open_index, print_summary, shown_name
from lookalike.cli.options import Options, takes
from lookalike.errors import InvalidOption
from lookalike.requests.indexes import DeletedIds
from lookalike.results.summary import counted

EXAMPLE = """\b
Examples:
  lookalike index delete corpus.index 17 23
  lookalike index delete corpus.index --ids gone.txt
  lookalike index delete corpus.index --ids removed.parquet"""

Ids = Annotated[list[str] | None, Argument("[ID]...", "The ids of documents to delete.")]


@takes(DeletedIds, Quiet, loads=LOADS, example=EXAMPLE)
def delete(index: IndexPath, names: Ids = None, *, options: Options) -> None:
    """Deletes documents from an index by their ids.

    Ids that the index does not have are ignored and counted. Deleted documents are never found again.
    """
    from lookalike.cli.index.id_lists import ids_of_type, read_ids

    path = options["ids"]
    if bool(names) == (path is not None):
        raise InvalidOption("ids-or-file")
    given = read_ids(path) if path is not None else names or []
    with open_index(index, options) as ix:
        ids = ids_of_type(given, ix.store.ids)
        deleted, left = ix.delete(ids), len(ix)
    unknown = len({*ids}) - deleted
    lines = [("deleted", counted(deleted, "document"))]
    lines += [("unknown", f"{counted(unknown, 'id')} that the index does not have")] if unknown else []
    lines += [("index", f"{counted(left, 'document')} in {shown_name(index)}")]
    print_summary(options, lines, {"deleted": deleted, "unknown": unknown, "documents": left})


command = delete
