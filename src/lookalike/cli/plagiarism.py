"""lookalike plagiarism: finds submissions with copied passages, and ranks the pairs of documents."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from lookalike.cli.command_options import PassageOutputs, Sources
from lookalike.cli.help import Argument
from lookalike.cli.options import Options, takes
from lookalike.requests.applications import Plagiarism as Request
from lookalike.requests.applications import TextFiles

if TYPE_CHECKING:
    from lookalike.apps.plagiarism import Plagiarism

EXAMPLE = """\b
Examples:
  lookalike plagiarism submissions/ --sources library/ --report copied.html
  lookalike plagiarism homework/ --template skeleton.java --out pairs.csv --passages passages.csv"""

Submissions = Annotated[
    list[str],
    Argument(
        "SUBMISSION...",
        "Files, quoted globs, folders in which every file is a document, or tables (see pairs).",
    ),
]


@takes(Sources, Request, PassageOutputs, example=EXAMPLE)
def plagiarism(submissions: Submissions, *, options: Options) -> None:
    """Finds passages that submissions share with one another or with sources.

    The output has one row per pair, with the most similar pairs first:

    \b
    submission   id of the submission
    other        id of the other document
    kind         whether the other document is a submission or a source
    similarity   share of the shorter document's words that are in shared shingles
    containment  share of the submission's shingles that are in the other document
    reverse      share of the other document's shingles that are in the submission
    resemblance  Jaccard similarity of the two sets of shingles
    copied       share of the submission that is in shared passages
    passages     number of shared passages
    longest      length of the longest passage, in words or tokens

    The exit code is 0 whether or not anything was found.
    """
    from lookalike.apps.plagiarism import open_sources, open_template, open_texts
    from lookalike.apps.plagiarism import plagiarism as find
    from lookalike.cli.inputs import check_inputs
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import show
    from lookalike.display.progress import watching
    from lookalike.io.open import Paths
    from lookalike.io.outputs import Outputs

    named = [submissions, options["sources"], options["template"]]
    check_inputs(*named)
    paths = {name: options[name] for name in ("out", "passages", "report")}
    outputs = Outputs(paths, force=options["force"], tables=["out", "passages"])
    reading = options.of(TextFiles)
    sources, template = (Paths(others) if others else None for others in named[1:])
    opened = [
        open_texts(Paths(submissions), **reading),
        open_sources(sources, options.given, reading),
        open_template(template, reading),
    ]
    outputs.check_inputs(*opened)
    asked = options.of(Request) | {"template": opened[2]}
    with watching(options.progress) as shown:
        found = find(opened[0], opened[1], progress=shown, **asked)
    began = time.perf_counter()
    outputs.write_table("out", found.pairs)
    if "passages" in outputs.paths:
        outputs.write_table("passages", found.passages)
    outputs.note("report")
    if options["json"]:
        print_json(options, facts_of(found), found.warnings, outputs)
    elif not options["quiet"]:
        seconds = found.summary.seconds | {"write": time.perf_counter() - began}
        show(_summary(found, seconds, outputs.written))


def _summary(found: Plagiarism, seconds: dict[str, float], wrote: list[str]) -> str:
    from lookalike.cli.summary import lines_of

    each = ", ".join(f"{name} {taken:.2f}" for name, taken in seconds.items() if taken >= 0.005)
    counted = zip(("submissions", "sources"), (found.submissions, found.sources), found.sides, strict=False)
    lines = [(stage, f"{many:,} from {side.title}") for stage, many, side in counted]
    passages = sum(len(one.passages) for one in found.ranked)
    lines += [
        ("unusable", f"{found.summary.empty:,} empty, {found.summary.malformed:,} malformed"),
        ("ignored", f"{found.template:,} template shingles, {found.common:,} shingles common to many submissions"),
        ("pairs", f"{len(found):,}, with {passages:,} passages of {found.question.passage} or more words or tokens"),
        ("time", f"{sum(seconds.values()):.2f} s" + (f" ({each})" if each else "")),
    ]
    return lines_of(lines, wrote, found.summary.warnings)


command = plagiarism
