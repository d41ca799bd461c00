"""lookalike index export: writes all documents of an index to a table."""

from __future__ import annotations

import time

from lookalike.cli.command_options import Table
from lookalike.cli.index.opening import LOADS, IndexPath, open_index, print_summary, shown_name
from lookalike.cli.options import Options, takes
from lookalike.requests.indexes import ExportIndex, WithClusters
from lookalike.results.summary import counted

EXAMPLE = """\b
Examples:
  lookalike index export corpus.index --out documents.parquet
  lookalike index export corpus.index --no-clusters | head"""


@takes(ExportIndex, Table, loads=LOADS, example=EXAMPLE)
def export(index: IndexPath, *, options: Options) -> None:
    """Writes all documents of an index to a table.

    The output has one row per document, in the order in which they were added: id, text and cluster (a number). It is
    written piece by piece, so the index may be larger than memory.
    """
    from lookalike.display.progress import watching
    from lookalike.io.outputs import Outputs

    began = time.perf_counter()
    outputs = Outputs({"out": options["out"]}, force=options["force"], tables=["out"])
    on_terminal = options.is_table_on_terminal()
    with open_index(index, options) as ix, watching(options.progress and not on_terminal) as shown:
        total = len(ix)
        outputs.write_table("out", ix.to_reader(progress=shown, **options.of(WithClusters)))
    seconds = time.perf_counter() - began
    lines = [("exported", f"{counted(total, 'document')} from {shown_name(index)}"), ("time", f"{seconds:.2f} s")]
    print_summary(options, lines, {"documents": total, "total_seconds": seconds}, outputs)


command = export
