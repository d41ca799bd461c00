"""lookalike index query: finds the documents of an index that are similar to others."""

from __future__ import annotations

import time
from typing import Annotated

from lookalike.cli.command_options import Table
from lookalike.cli.help import Argument
from lookalike.cli.index.opening import LOADS, IndexPath, open_index, print_summary, shown_name
from lookalike.cli.options import INPUTS_HELP, Options, takes
from lookalike.errors import InvalidOption
from lookalike.requests.indexes import IndexQuery, OneText, QueryIndex
from lookalike.results.summary import counted

EXAMPLE = """\b
Examples:
  lookalike index query corpus.index new.jsonl --id id --out matches.parquet
  lookalike index query corpus.index new.jsonl --top 10 --threshold 0.9
  lookalike index query corpus.index --text 'The ferries stay in port until Friday.'
  lookalike index query corpus.index quotes.jsonl --measure containment --threshold 0.6"""

Queries = Annotated[list[str] | None, Argument("[INPUT]...", f"The queries. {INPUTS_HELP}")]


@takes(QueryIndex, OneText, Table, loads=LOADS, example=EXAMPLE)
def query(index: IndexPath, inputs: Queries = None, *, options: Options) -> None:
    """Finds the documents of an index that are similar to others.

    The output has one row per document found. It follows the order of the queries; the most similar document of each
    query comes first:

    \b
    left         id of the query
    right        id of the document found
    similarity   their exact similarity by the measure; an estimate if the index keeps no texts
    containment  share of the query's shingles in the document found
    """
    from lookalike.cli.inputs import check_inputs, open_inputs
    from lookalike.cli.json_output import facts_of
    from lookalike.display.progress import watching
    from lookalike.io.open import open_source
    from lookalike.io.outputs import Outputs

    began = time.perf_counter()
    text = options["text"]
    if bool(inputs) == (text is not None):
        raise InvalidOption("input-or-text")
    check_inputs(inputs)
    outputs = Outputs({"out": options["out"]}, force=options["force"], tables=["out"])
    source = open_inputs(inputs, options) if inputs else open_source([text])
    outputs.check_inputs(source)
    with open_index(index, options) as ix, watching(options.progress) as shown:
        found = ix.query(source, progress=shown, **options.of(IndexQuery))
    outputs.write_table("out", found.to_arrow())
    seconds = time.perf_counter() - began
    answered, name = found.answered, "--text" if text is not None else source.name
    lines = [
        ("queries", f"{found.queries:,} from {name}"),
        ("index", f"{counted(found.documents, 'document')} in {shown_name(index)}"),
        ("found", f"{counted(len(found), 'document')} by {found.asked}, for {answered:,} of the queries"),
        ("time", f"{seconds:.2f} s"),
    ]
    facts = facts_of(found) | {"answered": answered, "total_seconds": seconds}
    print_summary(options, lines, facts, outputs, source.warnings)


command = query
