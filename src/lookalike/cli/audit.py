"""lookalike audit: measures the recall of a result on its data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from lookalike.cli.command_options import MissedPairs
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.notices.readable import visible
from lookalike.requests.verbs import Audit, ReadAgain

if TYPE_CHECKING:
    from lookalike.io.outputs import Outputs

EXAMPLE = """\b
Examples:
  lookalike audit pairs.parquet
  lookalike audit unique.jsonl.removed.parquet news.jsonl --sample 5000 --out missed.parquet"""

Result = Annotated[
    str,
    Argument(
        "RESULT",
        "A Parquet table written by pairs or clusters, dedupe's table of removed rows, or the folder of a saved "
        "result.",
    ),
]
Data = Annotated[
    list[str] | None,
    Argument(
        "[INPUT]...",
        "The data that the result was made from; needed only if it was not read from files, or if the files "
        "have been moved.",
    ),
]


@takes(Audit, MissedPairs, example=EXAMPLE)
def audit(result: Result, data: Data = None, *, options: Options) -> None:
    """Measures the recall of a result.

    For each document in a sample, an exact search finds all similar pairs that contain it. The recall is the share of
    these pairs that the result contains. For dedupe, it is the share of these pairs in which at least one document was
    removed. The recall is printed with a 95% confidence interval, followed by the first missed pairs. To list all
    missed pairs, use --out.
    """
    from lookalike.api import audit as audit_result
    from lookalike.cli.inputs import check_inputs
    from lookalike.cli.json_output import print_json
    from lookalike.cli.summary import lines_of
    from lookalike.display.progress import watching
    from lookalike.errors import InvalidOption
    from lookalike.io.open import Paths
    from lookalike.io.outputs import Outputs
    from lookalike.trust.audit_lines import lines_of_audit

    if str(options["out"]) == "-":
        raise InvalidOption("audit-to-standard-output")
    outputs = Outputs({"out": options["out"]}, force=options["force"], tables=["out"])
    check_inputs(data)
    named: Any = Paths(data) if data else None
    if "out" in outputs.paths and options["force"]:
        named = _checked_inputs(result, named, options, outputs)
    with watching(options.progress) as shown:
        found = audit_result(result, named, progress=shown, **options.of(Audit))
    outputs.write_table("out", found.missed)
    if options["json"]:
        print_json(options, found.to_dict(), found.warnings, outputs)
        return
    print(visible(lines_of(lines_of_audit(found), outputs.written)), end="", flush=True)


def _checked_inputs(result: str, named: Any, options: Options, outputs: Outputs) -> Any:
    """Raises an error if an output would overwrite an input. Returns the opened data, or None if no data was named.

    The data is opened only here, because standard input can be read only once.
    """
    from lookalike.io.open import reopen
    from lookalike.trust.reported_pairs import Reported

    source, _ = reopen(Reported.of(result).input, named, **options.of(ReadAgain))
    outputs.check_inputs(source, also=Path(result))
    return None if named is None else source


command = audit
