"""lookalike clusters: groups the similar documents of a corpus."""

from __future__ import annotations

from lookalike.cli.command_options import Run, Table
from lookalike.cli.options import Inputs, Options, takes
from lookalike.requests.clustering import FindClusters

EXAMPLE = """\b
Examples:
  lookalike clusters news.jsonl --threshold 0.8 --out clusters.parquet
  lookalike clusters 'articles/*.txt' --shingles words:5 --report report.html"""


@takes(FindClusters, Table, Run, example=EXAMPLE)
def clusters(inputs: Inputs, *, options: Options) -> None:
    """Groups similar documents.

    The output has one row per document: id, cluster (a number), size (of the cluster) and representative (an id).
    Documents that are connected by similar pairs form a cluster; a document that is similar to no other is a cluster of
    its own.
    """
    from lookalike.cli.corpus import run_corpus

    keep = options["keep"] if options.given["keep"] is None else ",".join(options.given["keep"])
    run_corpus(inputs, options, "clusters", lambda run: run.clusters(keep))


command = clusters
