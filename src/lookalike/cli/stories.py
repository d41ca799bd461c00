"""lookalike stories: finds news pages that carry the same article."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from lookalike.cli.command_options import StoryOutputs
from lookalike.cli.options import Inputs, Options, takes
from lookalike.requests.applications import Stories as Request

if TYPE_CHECKING:
    from lookalike.apps.stories import Stories

EXAMPLE = """\b
Examples:
  lookalike stories pages.jsonl --id url --url url --date date --stories stories.csv
  lookalike stories 'crawl/*.parquet' --html --language en --language de"""

NAMED = 3
"""The maximum number of pieces of boilerplate, and of pairs of hosts, that the summary shows."""
QUOTED = 60
"""The maximum number of characters that are shown of a piece of boilerplate."""


@takes(Request, StoryOutputs, example=EXAMPLE)
def stories(inputs: Inputs, *, options: Options) -> None:
    """Finds pages that carry the same article, whatever boilerplate surrounds it.

    Pages are compared by their stop-word shingles (a stop word and the next two words), which are common in articles
    and rare in menus and adverts. The output has one row per page: id, story, representative (the first page of the
    story), pages (the number of pages in the story) and, if known, host and date.
    """
    from lookalike.apps.stories import stories as find
    from lookalike.cli.inputs import check_inputs, open_inputs
    from lookalike.cli.json_output import facts_of, print_json
    from lookalike.cli.summary import show
    from lookalike.display.progress import watching
    from lookalike.io.outputs import Outputs

    check_inputs(inputs)
    paths = {name: options[name] for name in ("out", "stories", "boilerplate", "mirrors")}
    outputs = Outputs(paths, force=options["force"], tables=paths)
    source = open_inputs(inputs, options)
    outputs.check_inputs(source)
    with watching(options.progress) as shown:
        found = find(source, progress=shown, **options.of(Request))
    began = time.perf_counter()
    tables = found.pages, found.stories, found.boilerplate, found.mirrors
    for option, table in zip(paths, tables, strict=True):
        if option in outputs.paths:
            outputs.write_table(option, table)
    if options["json"]:
        print_json(options, facts_of(found), found.warnings, outputs)
    elif not options["quiet"]:
        seconds = found.summary.seconds | {"write": time.perf_counter() - began}
        show(_summary(found, source.name, seconds, outputs.written))


def _summary(found: Stories, name: str, seconds: dict[str, float], wrote: list[str]) -> str:
    from lookalike.cli.summary import lines_of

    each = ", ".join(f"{stage} {taken:.2f}" for stage, taken in seconds.items() if taken >= 0.005)
    sizes = [int(size) for size in found.sizes[:3] if size > 1]
    largest = f", the largest on {', '.join(f'{size:,}' for size in sizes)} pages" if sizes else ""
    lines = [
        ("pages", f"{len(found.labels):,} from {name}"),
        ("unusable", f"{found.summary.empty:,} empty, {found.summary.malformed:,} malformed"),
        ("stop words", ", ".join(found.languages)),
        ("stories", f"{len(found):,} on two or more pages{largest}"),
    ]
    if found.hosts is not None:
        lines.append(("hosts", f"{len(set(found.hosts)):,}"))
    if found.dates is not None and found.undated:
        lines.append(("undated", f"{found.undated:,} pages without a readable date"))
    pieces = sorted(found.found_boilerplate, key=lambda one: (-len(one.text), one.text))
    lines.append(("boilerplate", f"{len(pieces):,} pieces of text that are on most pages of a host"))
    lines += [("", f"{one.host}: {_short(one.text)}") for one in pieces[:NAMED]]
    if found.hosts is not None:
        lines.append(("mirrors", f"{len(found.found_mirrors):,} pairs of hosts"))
        lines += [("", f"{one.left} and {one.right}: {one.common:,} stories") for one in found.found_mirrors[:NAMED]]
    lines.append(("time", f"{sum(seconds.values()):.2f} s" + (f" ({each})" if each else "")))
    return lines_of(lines, wrote, found.summary.warnings)


def _short(text: str) -> str:
    return text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"


command = stories
