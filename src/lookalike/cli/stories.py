"""lookalike stories: pages → which of them carry the same article, who had it first, and what stands around it."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from lookalike.cli.options import (
    CUT,
    FIND,
    INPUT,
    OUTPUT,
    Force,
    Inputs,
    Options,
    Out,
    Quiet,
    Threads,
    option,
    reading,
    takes,
)

if TYPE_CHECKING:
    from lookalike.apps.stories import Stories

EXAMPLE = """\b
Example:
  lookalike stories pages.jsonl --id url --url url --date date --stories stories.csv
  lookalike stories 'crawl/*.parquet' --html --language en --language de"""

NAMED = 3
"""Pieces of furniture that the summary quotes, and characters of each."""
QUOTED = 60

Url = Annotated[str | None, option(INPUT, "NAME", "Column of the addresses (or hosts): hosts are compared.")]
Date = Annotated[str | None, option(INPUT, "NAME", "Column of the dates, in ISO 8601 or as in feeds and mails.")]
Html = Annotated[
    bool, option(INPUT, None, "Pages are HTML: reduce them to their text (needs the extra html).", "--html")
]
Language = Annotated[
    list[str] | None,
    option(CUT, "CODE|FILE", "Stop words: a language, or a file of words between spaces. May be given several times "
           "(default: guessed from the texts).", "--language"),
]  # fmt: skip
Least = Annotated[str, option(FIND, "SIMILARITY", "Least similarity of stop-word shingles, in (0, 1] (default: 0.25).")]
Method = Annotated[
    str, option(FIND, "bands|length", "By bands of hashes, or compare pages of similar length (default: bands).")
]
StoriesFile = Annotated[
    Path | None, option(OUTPUT, "FILE", "Write the stories here: hosts, first and last seen.", "--stories")
]
FurnitureFile = Annotated[
    Path | None, option(OUTPUT, "FILE", "Write what stands on most pages of a host.", "--furniture")
]
MirrorsFile = Annotated[Path | None, option(OUTPUT, "FILE", "Write the hosts that have the same stories.", "--mirrors")]


@takes(reading)
def stories(
    inputs: Inputs,
    url: Url = None,
    date: Date = None,
    html: Html = False,
    threshold: Least = "0.25",
    method: Method = "bands",
    language: Language = None,
    threads: Threads = None,
    quiet: Quiet = False,
    out: Out = "-",
    stories: StoriesFile = None,
    furniture: FurnitureFile = None,
    mirrors: MirrorsFile = None,
    force: Force = False,
    *,
    options: Options,
) -> None:
    """Pages that carry the same article, whatever stands around it.

    Pages are compared by their stop-word shingles, a stop word and the next two words: articles are full of them, menus
    and adverts are not. The table has a row for each page: id, story, representative (the first page of the story),
    pages (that the story has) and, where they are known, host and date.
    """
    from lookalike.apps.stories import stories as find
    from lookalike.cli.outputs import check_inputs_stay, check_outputs
    from lookalike.cli.progress import progress
    from lookalike.cli.session import check_table, open_inputs
    from lookalike.io import write_table

    outputs = {"--out": out, "--stories": stories, "--furniture": furniture, "--mirrors": mirrors}
    check_outputs(outputs, force=force)
    for path in outputs.values():
        if path is not None:
            check_table(path)
    source = open_inputs(inputs, options)
    check_inputs_stay(outputs, source)
    with progress(quiet=quiet) as shown:
        found = find(
            source, language=language or "auto", threshold=threshold, method=method, url=url, date=date, html=html,
            threads=threads, progress=shown,
        )  # fmt: skip
    began = time.perf_counter()
    tables = found.pages, found.stories, found.furniture, found.mirrors
    for table, path in zip(tables, outputs.values(), strict=True):
        if path is not None:
            write_table(table, path, force=force)
    if not quiet:
        sys.stdout.flush()  # data first, where both go to one terminal
        seconds = found.summary.seconds | {"write": time.perf_counter() - began}
        wrote = [str(path) for path in outputs.values() if path is not None and path != "-"]
        print(_summary(found, source.name, seconds, wrote), file=sys.stderr, end="")


def _summary(found: Stories, name: str, seconds: dict[str, float], wrote: list[str]) -> str:
    from lookalike.cli.summary import lines_of, written_to

    each = ", ".join(f"{stage} {taken:.2f}" for stage, taken in seconds.items() if taken >= 0.005)
    sizes = [int(size) for size in found.sizes[:3] if size > 1]
    largest = f", the largest on {', '.join(f'{size:,}' for size in sizes)} pages" if sizes else ""
    lines = [
        ("pages", f"{len(found.labels):,} from {name}"),
        ("unusable", f"{found.summary.empty:,} empty, {found.summary.malformed:,} malformed"),
        ("stop words", f"of {', '.join(found.languages)}"),
        ("stories", f"{len(found):,} on two pages or more{largest}"),
    ]
    if found.hosts is not None:
        lines.append(("hosts", f"{len(set(found.hosts)):,}"))
    if found.dates is not None and found.undated:
        lines.append(("undated", f"{found.undated:,} pages have no date that can be read"))
    pieces = sorted(found.found_furniture, key=lambda one: (-len(one.text), one.text))
    lines.append(("furniture", f"{len(pieces):,} stretches of text on most pages of a host"))
    lines += [("", f"{one.host}: {_short(one.text)}") for one in pieces[:NAMED]]
    if found.hosts is not None:
        lines.append(("mirrors", f"{len(found.found_mirrors):,} pairs of hosts"))
        lines += [("", f"{one.left} and {one.right}: {one.common:,} stories") for one in found.found_mirrors[:NAMED]]
    lines.append(("time", f"{sum(seconds.values()):.2f} s" + (f" ({each})" if each else "")))
    lines += written_to(wrote)
    return lines_of([*lines, *(("warning", warning) for warning in found.summary.warnings)])


def _short(text: str) -> str:
    return text if len(text) <= QUOTED else text[: QUOTED - 1] + "…"


command = stories
