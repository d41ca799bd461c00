"""lookalike pairs: a corpus → every pair of similar documents."""

from __future__ import annotations

from lookalike.cli.options import Inputs, Options, Out, planning, reading, running, takes

EXAMPLE = """\b
Example:
  lookalike pairs news.jsonl --threshold 0.8 --out pairs.parquet
  zcat crawl.jsonl.gz | lookalike pairs - --column body --id url"""


@takes(reading, planning, running)
def pairs(inputs: Inputs, out: Out = "-", *, options: Options) -> None:
    """Every pair of similar documents.

    The table has the columns left, right (ids) and similarity (exact), in the order of the input.
    """
    from lookalike.api import find_pairs
    from lookalike.cli.session import Session

    with Session(inputs, options, out=out) as session:
        found = session.call(find_pairs)
        session.write(found.to_reader(), out)
        session.finish(found)


command = pairs
