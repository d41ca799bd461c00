"""lookalike audit: a result and its data → the recall that was reached, measured."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lookalike.cli.command_options import MissedPairs
from lookalike.cli.options import Options, takes
from lookalike.requests.verbs import Audit, ReadAgain

EXAMPLE = """\b
Example:
  lookalike audit pairs.parquet
  lookalike audit unique.removed.parquet news.jsonl --sample 5000 --out missed.parquet"""

Result = Annotated[
    str,
    typer.Argument(
        metavar="RESULT",
        show_default=False,
        help="The table that pairs or clusters wrote, or dedupe's table of removed rows, as Parquet; or a result "
        "folder.",
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[INPUT]...", show_default=False, help="The data that the result is about, if it has been moved."
    ),
]


@takes(Audit, MissedPairs)
def audit(result: Result, data: Data = None, *, options: Options) -> None:
    """Measures the recall of a result.

    A sample of documents is drawn, and all their true partners in the whole data are found exactly. The recall is the
    share of these pairs that the result contains, with a 95 % interval; missed pairs are listed.
    """
    from lookalike.api import audit as audit_result
    from lookalike.cli.audit_lines import lines_of_audit
    from lookalike.cli.inputs import check_inputs
    from lookalike.cli.outputs import check_outputs
    from lookalike.cli.progress import progress
    from lookalike.cli.summary import lines_of, written_to
    from lookalike.errors import InvalidOption
    from lookalike.io import Paths, write_table

    out: Path | None = options["out"]
    if str(out) == "-":
        raise InvalidOption("audit-to-standard-output")
    check_outputs({"out": out}, force=options["force"], tables=["out"])
    check_inputs(data)
    named: Any = Paths(data) if data else None
    if out is not None and options["force"]:
        named = _check_inputs_stay(result, named, options)
    with progress(quiet=options["quiet"]) as shown:
        found = audit_result(result, named, progress=shown, **options.of(Audit))
    if out is not None:
        write_table(found.missed, out, force=options["force"])
    if options["json"]:
        from json import dumps

        print(dumps(found.to_dict(), indent=1))
        return
    lines = [*lines_of_audit(found), *written_to([] if out is None else [str(out)])]
    print(lines_of(lines), end="", flush=True)


def _check_inputs_stay(result: str, named: Any, options: Options) -> Any:
    """Refuses to overwrite what is read. Returns opened data, because standard input can be read only once."""
    from lookalike.cli.outputs import check_inputs_stay
    from lookalike.io.source_description import reopen
    from lookalike.trust.reported_pairs import Reported

    source, _ = reopen(Reported.of(result).input, named, **options.of(ReadAgain))
    check_inputs_stay({"out": options["out"]}, source, Path(result))
    return None if named is None else source


command = audit
