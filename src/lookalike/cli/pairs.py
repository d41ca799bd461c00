"""lookalike pairs: finds pairs of similar documents or vectors."""

from __future__ import annotations

import time

from lookalike.cli.command_options import Run, Table
from lookalike.cli.options import Inputs, Options, takes
from lookalike.requests.verbs import FindPairs

EXAMPLE = """\b
Examples:
  lookalike pairs news.jsonl --threshold 0.8 --out pairs.parquet
  lookalike pairs news.jsonl --top 1000 --out closest.parquet
  lookalike pairs pages.jsonl --weights idf --threshold 0.6
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
    if options["weights"] is not None:
        _weighted(inputs, options)
        return
    run_corpus(inputs, options, "pairs", lambda run: run.pairs())


def _weighted(inputs: Inputs, options: Options) -> None:
    from lookalike.api import find_pairs
    from lookalike.cli.inputs import open_inputs
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import show, summarise_join
    from lookalike.display.progress import watching
    from lookalike.errors import InvalidOption
    from lookalike.io.outputs import Outputs

    for name in options.changed():
        if name not in {**FindPairs.__annotations__, **Table.__annotations__}:
            raise InvalidOption("not-with-weights", option=name)
    outputs = Outputs({"out": options["out"]}, force=options["force"], tables=["out"])
    source = open_inputs(inputs, options)
    outputs.check_inputs(source)
    asked = {name: value for name, value in options.of(FindPairs).items() if name not in Table.__annotations__}
    with watching(options.progress) as shown:
        found = find_pairs(source, progress=shown, **asked)
    began = time.perf_counter()
    outputs.write_table("out", found.to_arrow())
    if options["json"]:
        print_json(options, facts_of(found), found.warnings, outputs)
    elif not options["quiet"]:
        show(summarise_join(found, [source.name], {"write": time.perf_counter() - began}, outputs.written))


command = pairs
