"""What was found → a page of its own: the ranked pairs, and the first of them side by side, passage by passage.

Each passage has a colour and a number, and is a link to its other half. The page needs nothing else: no network and no
scripts, as all pages of lookalike.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import numpy as np

from lookalike.apps.plagiarism.find import Plagiarism
from lookalike.apps.plagiarism.ranking import Ranked, Side
from lookalike.drawing.markup import tag, text
from lookalike.io.row_texts import read_texts
from lookalike.io.sinks import open_sink
from lookalike.report import check_report
from lookalike.report.page import framed

LISTED, SHOWN = 500, 40
"""Pairs in the list of the page, and pairs that are shown side by side; the tables have them all."""

COLOURS = 6
OWN = 600
"""Characters of a stretch between passages that are shown; of a longer one its beginning and end."""
LONG = 20_000
"""Characters of a passage that are shown."""


def write_page(path: str | Path, found: Plagiarism, *, force: bool = False) -> Path:
    """Writes the page; the documents that it shows are read again."""
    check_report(path, force=force)
    page = render(found, made=datetime.now())
    with open_sink(path, force=force) as sink:
        sink.write(page.encode())
    return Path(path)


def render(found: Plagiarism, *, made: datetime | None = None) -> str:
    """The page as text. Everything that comes from the data is escaped."""
    name = found.sides[0].source.name
    asked = found.question
    among = f" and {found.sources:,} source{'' if found.sources == 1 else 's'}" if found.sources else ""
    lead = (
        f"{len(found):,} pairs of {found.submissions:,} submissions{among} have a passage of {asked.passage} words or "
        f"tokens in common, or a similarity of {float(asked.threshold):g} or more."
    )
    tiles = [
        (found.submissions, "submissions"),
        (found.sources, "sources"),
        (len(found), "pairs"),
        (sum(len(one.passages) for one in found.ranked), "copied passages"),
        (found.template + found.common, "shingles left out: in a template, or in too many submissions"),
    ]
    cells = [tag("div", tag("b", f"{value:,}"), tag("span", words), kind="tile") for value, words in tiles]
    header = tag("p", text(lead), kind="lead"), tag("div", *cells, kind="tiles")
    sections = [("pairs", "Pairs", _listed(found)), ("side-by-side", "Side by side", _shown(found))]
    return framed(f"Copied passages in {name}", *header, sections=sections, made=made)


def _listed(found: Plagiarism) -> str:
    if not found.ranked:
        return tag("p", "There are none.", kind="nothing")
    names = ("similarity", "copied", "passages", "longest")
    head = [*(tag("th", name, kind="n") for name in names), tag("th", "submission"), tag("th", "has it from, or with")]
    rows = []
    for number, one in enumerate(found.ranked[:LISTED], 1):
        longest = max((passage.tokens for passage in one.passages), default=0)
        value = f"{one.similarity:.3f}"
        cells = [tag("a", value, href=f"#pair-{number}") if number <= SHOWN else value, f"{one.copied:.1%}"]
        cells += [f"{len(one.passages):,}", f"{longest:,}"]
        rows.append(
            tag("tr", *(tag("td", cell, kind="n") for cell in cells), *(tag("td", _id(n)) for n in _names(found, one)))
        )
    more = f" The first {LISTED} of {len(found):,} are listed." if len(found) > LISTED else ""
    note = (
        "Similarity is the share of the shorter document that stands in runs which the other has too; copied, the "
        f"share of the submission in passages; longest, the words or tokens of its longest passage.{more}"
    )
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows))
    return tag("p", note, kind="note") + tag("div", table, kind="card scroll")


def _shown(found: Plagiarism) -> str:
    shown = found.ranked[:SHOWN]
    if not shown:
        return tag("p", "There are no pairs to show.", kind="nothing")
    pairs = [one.pair for one in shown]
    rows = [p.submission for p in pairs] + [p.other for p in pairs if not p.of_source]
    texts = [read_texts(found.sides[0].source, np.array(rows, np.int64))]
    if len(found.sides) > 1:
        rows = [p.other for p in pairs if p.of_source]
        texts.append(read_texts(found.sides[1].source, np.array(rows, np.int64)))
    articles = [
        _article(number, one, _names(found, one), (texts[0][p.submission], texts[p.of_source][p.other]), found)
        for number, (one, p) in enumerate(zip(shown, pairs, strict=True), 1)
    ]
    some = f"The first {SHOWN} of them. " if len(found) > SHOWN else ""
    note = f"{some}A passage has the same number and colour on both sides, and is a link to its other half."
    return tag("p", note, kind="note") + "".join(articles)


def _article(number: int, one: Ranked, names: Sequence[str], texts: Sequence[str], found: Plagiarism) -> str:
    facts = [
        f"containment {one.containment:.3f} and {one.reverse:.3f}",
        f"resemblance {one.resemblance:.3f}",
        f"{one.copied:.1%} of the submission copied",
    ]
    head = tag("header", tag("b", f"{one.similarity:.3f}"), tag("span", text(" · ".join(facts)), kind="small"))
    halves = (
        [(i, p.start, p.end) for i, p in enumerate(one.passages)],
        [(i, p.other_start, p.other_end) for i, p in enumerate(one.passages)],
    )
    sides = []
    for here, there, name, words, spans in zip("ab", "ba", names, texts, halves, strict=True):
        kind = "text code" if found.reading.language(name) else "text"
        anchors = f"p{number}{here}", f"p{number}{there}"
        marked = "".join(_marked(words, spans, *anchors))
        sides.append(tag("div", _id(name), tag("div", marked, kind=kind, dir="auto"), kind="side long"))
    return tag("article", head, tag("div", *sides, kind="sides"), kind="pair", id=f"pair-{number}")


def _marked(words: str, spans: Sequence[tuple[int, int, int]], here: str, there: str) -> Iterator[str]:
    """The text with its passages marked. Passages of the other side may overlap; a mark then ends where one begins."""
    at = 0
    for number, start, end in sorted(spans, key=lambda span: (span[1], span[2])):
        start = max(start, at)
        yield from _between(words[at:start], OWN)
        marks = "".join(_between(words[start:end], LONG))
        label = tag("sup", str(number + 1))
        yield tag(
            "a", label, marks, kind=f"copied c{number % COLOURS}", id=f"{here}-{number}", href=f"#{there}-{number}"
        )
        at = max(at, end)
    yield from _between(words[at:], OWN)


def _between(words: str, most: int) -> Iterator[str]:
    if len(words) <= most + 100:
        yield text(words)
        return
    half = most // 2
    yield text(words[:half])
    yield tag("span", text(f"… {len(words) - 2 * half:,} characters …"), kind="gap")
    yield text(words[-half:])


def _names(found: Plagiarism, one: Ranked) -> tuple[str, str]:
    sides: Sequence[Side] = found.sides
    return str(sides[0].name(one.pair.submission)), str(sides[one.pair.of_source].name(one.pair.other))


def _id(name: str, most: int = 80) -> str:
    return tag("span", text(name if len(name) <= most else "…" + name[1 - most :]), kind="id")
