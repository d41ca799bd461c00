"""lookalike nearest: vectors and queries → the nearest vectors of each query."""

from __future__ import annotations

from typing import Annotated

import typer

from lookalike.cli.options import FIND, INPUT, Force, Options, Out, Quiet, Threads, option, takes

EXAMPLE = """\b
Example:
  lookalike nearest vectors.npy queries.npy --top 10 --out neighbours.parquet
  lookalike nearest images.parquet --column descriptor --id name --measure euclidean --top 5"""

Vectors = Annotated[
    str,
    typer.Argument(metavar="VECTORS", show_default=False, help="A .npy file, Parquet with lists of numbers, or -."),
]
Queries = Annotated[
    str | None,
    typer.Argument(metavar="[QUERIES]", show_default=False, help="The same; without it, VECTORS among themselves."),
]
Top = Annotated[int, option(FIND, "N", "How many neighbours of each query (default: 10).")]
Measure = Annotated[
    str,
    option(
        FIND,
        "NAME",
        "cosine, euclidean or weighted-jaccard; of packed bits jaccard or hamming (default: cosine).",
    ),
]
Recall = Annotated[
    float | None, option(FIND, "SHARE", "Share of the true neighbours to be found; 1 compares all (default: 0.9).")
]
Method = Annotated[str | None, option(FIND, "auto|exact|lsh", "Compare all, hash, or what costs less (default: auto).")]
Seed = Annotated[int | None, option(FIND, "N", "Seed of the hash functions (default: 0).")]
Column = Annotated[
    str | None, option(INPUT, "NAME", "Column of the vectors, where Parquet has more than one of lists of numbers.")
]
Id = Annotated[str | None, option(INPUT, "NAME", "Column of the ids (default: the row's position).")]
QueryColumn = Annotated[
    str | None, option(INPUT, "NAME", "Column of the vectors of QUERIES, where it is not --column.")
]
QueryId = Annotated[str | None, option(INPUT, "NAME", "Column of the ids of QUERIES, where it is not --id.")]


@takes()
def nearest(
    vectors: Vectors,
    queries: Queries = None,
    top: Top = 10,
    measure: Measure = "cosine",
    recall: Recall = None,
    method: Method = None,
    seed: Seed = None,
    column: Column = None,
    id: Id = None,
    query_column: QueryColumn = None,
    query_id: QueryId = None,
    threads: Threads = None,
    out: Out = "-",
    force: Force = False,
    quiet: Quiet = False,
    *,
    options: Options,
) -> None:
    """The nearest vectors of each query.

    The table has the columns left (the query), right (its neighbour) and similarity or distance, exact; queries in the
    order of the input, their neighbours from the nearest on.
    """
    from lookalike.api import nearest as nearest_vectors
    from lookalike.cli.vectors import Input, answer
    from lookalike.errors import InvalidOption

    inputs = [Input([vectors], column, id)]
    if queries is not None:
        own = {"column": query_column, "id": query_id}
        inherited = [name for name, value in own.items() if value is None]
        inputs.append(Input([queries], query_column or column, query_id or id, inherited))
    elif query_column or query_id:
        raise InvalidOption("--query-column and --query-id are about a second input, and there is none")
    asked = {"recall": recall, "method": method, "seed": seed}
    answer(nearest_vectors, inputs, out, force=force, quiet=quiet, top=top, measure=measure, threads=threads, **asked)


command = nearest
