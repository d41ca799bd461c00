"""lookalike nearest: finds the vectors that are nearest to each query."""

from __future__ import annotations

from typing import Annotated

from lookalike.cli.command_options import Table
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.requests.verbs import Nearest, Queries, VectorNames

EXAMPLE = """\b
Examples:
  lookalike nearest vectors.npy queries.npy --top 10 --out neighbours.parquet
  lookalike nearest images.parquet --column descriptor --id name --measure euclidean --top 5"""

VectorInput = Annotated[
    str,
    Argument("VECTORS", "A .npy file, Parquet files with lists of numbers, or - for standard input."),
]
QueryInput = Annotated[
    str | None,
    Argument("[QUERIES]", "The queries, in the same formats as VECTORS (default: VECTORS itself)."),
]


@takes(Nearest, Table, example=EXAMPLE)
def nearest(vectors: VectorInput, queries: QueryInput = None, *, options: Options) -> None:
    """Finds the vectors that are nearest to each query.

    The output has the columns left (the query), right (its neighbour), and similarity, distance or both, depending on
    the measure. Similarities and distances are exact. Rows follow the order of the queries; the nearest neighbour of
    each query comes first.
    """
    from lookalike.api import nearest as nearest_vectors
    from lookalike.cli.vectors import Input, answer
    from lookalike.errors import InvalidOption
    from lookalike.requests.option import renamed

    names, own = options.of(VectorNames), renamed(options.given, Queries, "query_")
    inputs = [Input([vectors], **names)]
    if queries is not None:
        inputs.append(Input([queries], **names | own, inherited=tuple(names.keys() - own.keys())))
    elif own:
        raise InvalidOption("no-second-input", option=f"query_{next(iter(own))}")
    about = {*VectorNames.__annotations__, *Queries.__annotations__}
    asked = {name: value for name, value in options.of(Nearest).items() if name not in about}
    answer(nearest_vectors, inputs, options, **asked)


command = nearest
