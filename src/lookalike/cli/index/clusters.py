"""lookalike index clusters: lists the clusters of the documents in an index."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lookalike.cli.command_options import Table
from lookalike.cli.index.opening import LOADS, IndexPath, open_index, print_summary, shown_name
from lookalike.cli.options import Options, takes
from lookalike.requests.indexes import IndexClusters, MinimumSize
from lookalike.results.summary import counted

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLE = """\b
Examples:
  lookalike index clusters corpus.index --out clusters.parquet
  lookalike index clusters corpus.index --min-size 2"""


@takes(IndexClusters, MinimumSize, Table, loads=LOADS, example=EXAMPLE)
def clusters(index: IndexPath, *, options: Options) -> None:
    """Lists the clusters of the documents in an index.

    The output has one row per document, in the order in which they were added: id, cluster (a number), size (of the
    cluster) and representative (an id). Documents that are connected by similar pairs form a cluster.
    """
    from lookalike.cli.json_output import facts_of
    from lookalike.display.progress import watching
    from lookalike.flow.checks import check_whole
    from lookalike.io.outputs import Outputs

    began, least = time.perf_counter(), options["min_size"]
    check_whole("min_size", least, 1)
    outputs = Outputs({"out": options["out"]}, force=options["force"], tables=["out"])
    with open_index(index, options) as ix, watching(options.progress) as shown:
        found = ix.clusters(progress=shown)
    outputs.write_table("out", found.to_reader() if least == 1 else _large(found.to_reader(), least))
    seconds, sizes = time.perf_counter() - began, found.sizes()
    grouped, largest = sum(size * count for size, count in sizes.items() if size > 1), max(sizes, default=0)
    lines = [
        ("index", f"{counted(len(found.labels), 'document')} in {shown_name(index)}"),
        (
            "clusters",
            f"{len(found):,} of two or more, with {counted(grouped, 'document')}; the largest has {largest:,}",
        ),
        ("time", f"{seconds:.2f} s"),
    ]
    if found.summary.verified == "signature":
        lines.insert(2, ("verified", "by signature only"))
    if not len(found):
        lines[1] = ("clusters", "none of two or more")
    facts = facts_of(found) | {"clusters": len(found), "clustered": grouped, "total_seconds": seconds}
    print_summary(options, lines, facts, outputs)


def _large(batches: pa.RecordBatchReader, least: int) -> pa.RecordBatchReader:
    """Returns the rows of clusters with at least this number of documents."""
    import pyarrow as pa

    kept = (batch.filter(pa.array(batch["size"].to_numpy() >= least)) for batch in batches)
    return pa.RecordBatchReader.from_batches(batches.schema, kept)


command = clusters
