"""lookalike join: finds every similar pair between two collections, or within one."""

from __future__ import annotations

import time
from typing import Annotated

from lookalike.cli.command_options import Table
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.requests.verbs import Join, Right

EXAMPLE = """\b
Examples:
  lookalike join customers.csv suppliers.csv --column name --measure levenshtein --distance 2
  lookalike join baskets.jsonl --column items --threshold 0.9 --out pairs.parquet
  lookalike join codes.npy known.npy --measure hamming --distance 3 --out close.parquet"""

LeftInput = Annotated[
    str,
    Argument("LEFT", "A file, a folder of texts, a quoted glob, a URL, or - for standard input (see pairs)."),
]
RightInput = Annotated[
    str | None,
    Argument("[RIGHT]", "The collection to join LEFT with (default: LEFT itself)."),
]


@takes(Join, Table, example=EXAMPLE)
def join(left: LeftInput, right: RightInput = None, *, options: Options) -> None:
    """Finds every similar pair between two collections, or within one.

    The join is exact: no pair is missed. The output has the columns left and right (ids), similarity and, for measures
    that are distances, distance. Rows follow the order of the input.
    """
    from lookalike.api import join as join_data
    from lookalike.cli.inputs import check_inputs, open_inputs, open_second_inputs
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import show, summarise_join
    from lookalike.display.progress import watching
    from lookalike.errors import InvalidOption
    from lookalike.io.open import Paths
    from lookalike.io.outputs import Outputs
    from lookalike.io.vectors import are_bits

    if options["measure"] == "hamming" and are_bits(Paths([left])):
        from lookalike.cli.vectors import Input, answer

        inputs = [Input([path]) for path in (left, right) if path is not None]
        if right is None and (of_right := options.of(Right)):
            raise InvalidOption("no-second-input", option=next(iter(of_right)))
        for option, path in (("column", left), ("id", left), ("right_column", right), ("right_id", right)):
            if options[option] is not None:
                raise InvalidOption("array-has-no-columns", name=path, option=option)
        answer(join_data, inputs, options, swapped=False, **options.of(Join))
        return
    check_inputs([left], None if right is None else [right])
    outputs = Outputs({"out": options["out"]}, force=options["force"], tables=["out"])
    of_right = options.of(Right)
    if right is None and of_right:
        raise InvalidOption("no-second-input", option=next(iter(of_right)))
    sources = [open_inputs([left], options)]
    if right is not None:
        sources.append(open_second_inputs([right], options, Right, "right_"))
    outputs.check_inputs(*sources)
    with watching(options.progress) as shown:
        found = join_data(*sources, progress=shown, **options.of(Join))
    began = time.perf_counter()
    outputs.write_table("out", found.to_arrow())
    if options["json"]:
        print_json(options, facts_of(found), found.warnings, outputs)
    elif not options["quiet"]:
        seconds, names = {"write": time.perf_counter() - began}, [source.name for source in sources]
        show(summarise_join(found, names, seconds, outputs.written))


command = join
