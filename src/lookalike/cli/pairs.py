"""lookalike pairs: a corpus → every pair of similar documents; vectors → every pair that is near."""

from __future__ import annotations

from typing import Annotated, Any

from lookalike.cli.options import FIND, Inputs, Options, Out, option, planning, reading, running, takes

EXAMPLE = """\b
Example:
  lookalike pairs news.jsonl --threshold 0.8 --out pairs.parquet
  zcat crawl.jsonl.gz | lookalike pairs - --column body --id url
  lookalike pairs vectors.npy --measure cosine --threshold 0.95 --out near.parquet"""

MEANT = ("threshold", "recall", "method", "seed")
"""Options of the plan that vectors heed."""

Measure = Annotated[
    str | None,
    option(
        FIND,
        "NAME",
        "Vectors (.npy, or lists of numbers in Parquet): cosine or weighted-jaccard, with --threshold; euclidean, with "
        "--distance; of packed bits jaccard, with --threshold, or hamming, with --distance.",
    ),
]
Distance = Annotated[str | None, option(FIND, "NUMBER", "Greatest distance of vectors that counts.")]


@takes(reading, planning, running)
def pairs(
    inputs: Inputs, out: Out = "-", measure: Measure = None, distance: Distance = None, *, options: Options
) -> None:
    """Every pair of similar documents or, with --measure, of near vectors.

    The table has the columns left, right (ids) and similarity (exact), in the order of the input; by a measure that is
    a distance, distance.
    """
    from lookalike.api import find_pairs
    from lookalike.cli.session import Session
    from lookalike.io import Paths
    from lookalike.io.vectors import are_vectors

    if measure is not None or distance is not None or are_vectors(Paths(inputs)):
        from lookalike.cli.vectors import Input, answer, refuse_others

        read = refuse_others(_without_default(options.reading, on_error="fail"), ("column", "id"))
        asked = refuse_others(options.planning, MEANT)
        run = refuse_others(_without_default(options.running, engine="local"), ("force", "threads", "quiet"))
        answer(find_pairs, [Input(inputs, **read)], out, measure=measure, distance=distance, **asked, **run)
        return
    with Session(inputs, options, out=out) as session:
        found = session.call(find_pairs)
        session.write(found.to_reader(), out)
        session.finish(found)


def _without_default(given: dict[str, Any], **defaults: str) -> dict[str, Any]:
    """The options, with None for one that says what is so anyway."""
    return {name: None if value == defaults.get(name) else value for name, value in given.items()}


command = pairs
