"""lookalike dedupe: keeps one document of each cluster in a corpus."""

from __future__ import annotations

from pathlib import Path

from lookalike.cli.command_options import KeptRows, Run
from lookalike.cli.options import Inputs, Options, takes
from lookalike.errors import InvalidOption
from lookalike.requests.clustering import Dedupe

EXAMPLE = """\b
Examples:
  lookalike dedupe news.jsonl --threshold 0.8 --out unique.jsonl
  lookalike dedupe 'crawl/*.parquet' --keep longest --out clean/
  lookalike dedupe 'crawl/*.parquet' --keep 'source:*/curated*,best:score' --out clean/
  lookalike dedupe new.jsonl --against old.jsonl --out unseen.jsonl
  lookalike dedupe new.jsonl --against corpus.index --out unseen.jsonl"""


@takes(Dedupe, KeptRows, Run, example=EXAMPLE)
def dedupe(inputs: Inputs, *, options: Options) -> None:
    """Keeps one document from each cluster.

    Kept rows are written in the input's format, with all columns, in the order of the input. Every removed row is
    listed in a second table:

    \b
    id          id of the removed row
    kept        id of the row that was kept in its place
    similarity  similarity of the two rows
    how         identical, same words or near
    lost        number of characters in shingles that the kept row lacks
    cluster     number of the cluster that contains both rows
    kept_in     with --against: whether the kept row is in the reference or the input
    """
    from lookalike.cli.corpus import run_corpus

    keep = options["keep"] if options.given["keep"] is None else ",".join(options.given["keep"])
    removed = options["removed"]
    if removed is None and options["out"] not in ("", "-"):
        removed = beside(options["out"])
    chosen = keep, options["protect"], options["decisions"]
    run_corpus(inputs, options, "clusters", lambda run: run.dedupe(*chosen), rows=True, removed=removed)


def beside(out: str) -> Path:
    """Returns the default path for removed rows: clean/ → clean.removed.parquet, x.csv → x.csv.removed.parquet.

    The whole name is kept, so that x.csv and x.jsonl have different tables. The table is not written inside the folder,
    so that a glob over clean/ matches only kept rows.
    """
    from lookalike.io.outputs import located

    path = Path(out)
    if path.name in ("", "..") or out.startswith("~"):  # the path does not end in the folder's own name
        path = located(out)
    if not path.name:
        raise InvalidOption("no-name-for-rows", path=out)
    return path.with_name(f"{path.name}.removed.parquet")


command = dedupe
