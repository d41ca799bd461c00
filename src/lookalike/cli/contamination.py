"""lookalike contamination: finds test documents that appear in the training data."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from lookalike.cli.command_options import Table, TestData
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.requests.verbs import Contamination as Request
from lookalike.requests.verbs import OfTestData

if TYPE_CHECKING:
    from lookalike.trust.contamination import Contamination

EXAMPLE = """\b
Examples:
  lookalike contamination train/ --test test.jsonl --out leaked.parquet
  lookalike contamination 'crawl/*.parquet' --test q.csv --shingles words:13"""

Train = Annotated[
    list[str],
    Argument("TRAIN...", "The training data: files, folders, quoted globs, URLs, or - for standard input (see pairs)."),
]


@takes(TestData, Request, Table, example=EXAMPLE)
def contamination(train: Train, *, options: Options) -> None:
    """Finds test documents that appear in the training data.

    A test document is reported if the share of its shingles that appear in one training document, or in the training
    data as a whole, is at least --threshold. The output follows the order of the test data:

    \b
    test         id of the test document
    train        id of the training document; null if none reaches --threshold alone
    containment  share of the test document's shingles in the training document
    resemblance  Jaccard similarity of the two documents
    covered      share of the test document's shingles in all the training data
    passage      longest passage that the two documents share

    The exit code is 0 whether or not anything was found.
    """
    from lookalike.api import contamination as find
    from lookalike.cli.inputs import check_inputs, open_inputs, open_second_inputs
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import show
    from lookalike.display.progress import watching
    from lookalike.io.outputs import Outputs

    check_inputs(train, options["test"])
    paths = {name: options[name] for name in ("out", "report")}
    outputs = Outputs(paths, force=options["force"], tables=["out"])
    sources = [open_inputs(train, options), open_second_inputs(options["test"], options, OfTestData, "test_")]
    outputs.check_inputs(*sources)
    with watching(options.progress) as shown:
        found = find(*sources, progress=shown, **options.of(Request))
    began = time.perf_counter()
    outputs.write_table("out", found.to_arrow())
    outputs.note("report")
    if options["json"]:
        print_json(options, facts_of(found), found.warnings, outputs)
    elif not options["quiet"]:
        seconds = found.summary.seconds | {"write": time.perf_counter() - began}
        show(_summary(found, [source.name for source in sources], seconds, outputs.written))


def _summary(found: Contamination, names: list[str], seconds: dict[str, float], wrote: list[str]) -> str:
    from lookalike.cli.summary import lines_of

    def share(count: int) -> str:
        return f"{count:,} ({count / found.test:.1%})" if count else "0"

    each = ", ".join(f"{name} {taken:.2f}" for name, taken in seconds.items() if taken >= 0.005)
    lines = [
        ("train", f"{found.train:,} from {names[0]}"),
        ("test", f"{found.test:,} from {names[1]}"),
        ("unusable", f"{found.summary.empty:,} empty, {found.summary.malformed:,} malformed"),
        ("contained", f"{share(found.contained)}: {found.threshold} or more of their {found.shingles} in one document"),
        ("resembling", f"{share(found.resembling)}: a similarity of {found.threshold} or more to one document"),
        (
            "covered",
            f"{share(found.covered)}: {found.threshold} or more of their {found.shingles} in all documents together",
        ),
        ("touched", f"{share(found.touched)}: at least one of their {found.shingles} in the data"),
        ("time", f"{sum(seconds.values()):.2f} s" + (f" ({each})" if each else "")),
    ]
    if found.short:
        few = f"{found.short:,} test documents are shorter than a shingle and are found only as a whole"
        lines.insert(3, ("short", few))
    return lines_of(lines, wrote, found.summary.warnings)


command = contamination
