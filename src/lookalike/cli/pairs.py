"""lookalike pairs: finds pairs of similar documents or vectors."""

from __future__ import annotations

from lookalike.cli.command_options import Run, Table
from lookalike.cli.options import Inputs, Options, takes
from lookalike.requests.verbs import FindPairs

EXAMPLE = """\b
Examples:
  lookalike pairs news.jsonl --threshold 0.8 --out pairs.parquet
  lookalike pairs news.jsonl --top 1000 --out closest.parquet
  zcat crawl.jsonl.gz | lookalike pairs - --column body --id url
  lookalike pairs vectors.npy --measure cosine --threshold 0.95 --out near.parquet"""


@takes(FindPairs, Table, Run, example=EXAMPLE)
def pairs(inputs: Inputs, *, options: Options) -> None:
    """Finds pairs of similar documents or, with --measure, of similar vectors.

    The output has the columns left and right (ids), and similarity, distance or both, depending on the measure. Rows
    follow the order of the input.
    """
    from lookalike.cli.corpus import run_corpus
    from lookalike.io.open import Paths
    from lookalike.io.vectors import are_vectors

    if options["measure"] is not None or options["distance"] is not None or are_vectors(Paths(inputs)):
        from lookalike.api import find_pairs
        from lookalike.cli.vectors import Input, answer, check_vector_options
        from lookalike.requests.verbs import FindVectorPairs, VectorNames

        check_vector_options(options)
        asked = {name: value for name, value in options.of(FindVectorPairs).items() if name not in ("column", "id")}
        answer(find_pairs, [Input(inputs, **options.of(VectorNames))], options, measure=options["measure"], **asked)
        return
    run_corpus(inputs, options, "pairs", lambda run: run.pairs())


command = pairs
