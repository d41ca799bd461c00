"""Renders plagiarism as an HTML page: a list of ranked pairs, and the top pairs side by side with their passages.

Each passage has a colour and a number, and links to its counterpart. The templates are in `templates/plagiarism/` of
the package `report`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from lookalike.apps.plagiarism.find import Plagiarism
from lookalike.apps.plagiarism.ranking import Ranked
from lookalike.report import check_report, save_page
from lookalike.report.templating import count, render_page

LISTED, SHOWN = 500, 40
"""The maximum number of pairs in the list, and of pairs that are shown side by side."""

COLOURS = 6
"""The number of passage colours: classes c0 … c5 of the style sheet."""
OWN = 600
"""The maximum number of characters shown of the text between two passages. The middle of a longer text is left out."""
LONG = 20_000
"""The maximum number of characters shown of a passage. The middle of a longer passage is left out."""

Pieces = list[tuple[Literal["text", "gap"], str]]


def write_page(path: str | Path, found: Plagiarism, *, force: bool = False) -> Path:
    """Writes the page to a file. Reads the documents that it shows from their sources."""
    check_report(path, force=force)
    return save_page(path, render(found, made=datetime.now()), force=force)


def render(found: Plagiarism, *, made: datetime | None = None) -> str:
    """Renders the page as an HTML string."""
    among = f" and {count(found.sources, 'source')}" if found.sources else ""
    asked = found.question
    lead = (
        f"{count(len(found), 'pair')} of {count(found.submissions, 'submission')}{among} share a passage of "
        f"{asked.passage} or more words or tokens, or have a similarity of {float(asked.threshold):g} or more."
    )
    tiles = [
        ("submissions", found.submissions),
        ("sources", found.sources),
        ("pairs", len(found)),
        ("copied passages", sum(len(one.passages) for one in found.ranked)),
        ("shingles ignored because they are in a template or in too many submissions", found.template + found.common),
    ]
    return render_page(
        "plagiarism",
        title=f"Copied passages in {found.sides[0].title}",
        lead=lead,
        tiles=[(label, f"{figure:,}") for label, figure in tiles],
        sections=[("pairs", "Pairs"), ("side-by-side", "Side by side")],
        made=made,
        pairs=[_row(found, one) for one in found.ranked[:LISTED]],
        shown=_shown(found),
        total=len(found),
        colours=COLOURS,
    )


def _row(found: Plagiarism, one: Ranked) -> dict[str, Any]:
    submission, other = names_of(found, one)
    longest = max((passage.tokens for passage in one.passages), default=0)
    about = {"similarity": one.similarity, "copied": one.copied, "passages": len(one.passages), "longest": longest}
    return {**about, "submission": submission, "other": other}


def _shown(found: Plagiarism) -> list[dict[str, Any]]:
    shown = found.ranked[:SHOWN]
    both = zip(shown, texts_of(found, shown), strict=True)
    return [_pair(number, one, texts, found) for number, (one, texts) in enumerate(both, 1)]


def texts_of(found: Plagiarism, shown: Sequence[Ranked]) -> list[tuple[Any, Any]]:
    """Reads the two documents of each pair from their sources."""
    pairs = [one.pair for one in shown]
    rows = [p.submission for p in pairs] + [p.other for p in pairs if not p.of_source]
    texts = [found.sides[0].texts(rows)]
    if len(found.sides) > 1:
        rows = [p.other for p in pairs if p.of_source]
        texts.append(found.sides[1].texts(rows))
    return [(texts[0][pair.submission], texts[pair.of_source][pair.other]) for pair in pairs]


def _pair(number: int, one: Ranked, texts: Sequence[str], found: Plagiarism) -> dict[str, Any]:
    facts = [
        f"containment {one.containment:.3f} and {one.reverse:.3f}",
        f"resemblance {one.resemblance:.3f}",
        f"{one.copied:.1%} of the submission copied",
    ]
    spans = (
        [(i, p.start, p.end) for i, p in enumerate(one.passages, 1)],
        [(i, p.other_start, p.other_end) for i, p in enumerate(one.passages, 1)],
    )
    sides = [
        {
            "name": name,
            "is_code": found.reading.language(name) is not None,
            "parts": _parts(text, passages, f"p{number}{here}", f"p{number}{there}"),
        }
        for here, there, name, text, passages in zip("ab", "ba", names_of(found, one), texts, spans, strict=True)
    ]
    return {"similarity": one.similarity, "facts": facts, "sides": sides}


def _parts(text: str, passages: Sequence[tuple[int, int, int]], here: str, there: str) -> list[dict[str, Any]]:
    """Splits a text into passages, each with its number and anchors, and the text between them (number None).

    Passages may overlap in the other document; the later one then starts where the earlier one ends.
    """
    parts: list[dict[str, Any]] = []
    at = 0
    for number, start, end in sorted(passages, key=lambda passage: passage[1:]):
        start = max(start, at)
        parts.append({"number": None, "pieces": _pieces(text[at:start], OWN)})
        anchors = {"anchor": f"{here}-{number}", "link": f"{there}-{number}"}
        parts.append({"number": number, "pieces": _pieces(text[start:end], LONG), **anchors})
        at = max(at, end)
    return [*parts, {"number": None, "pieces": _pieces(text[at:], OWN)}]


def _pieces(text: str, most: int) -> Pieces:
    """Returns the whole text, or its start and end with a gap between them if it is much longer than `most`."""
    if len(text) <= most + 100:
        return [("text", text)]
    half = most // 2
    return [("text", text[:half]), ("gap", f"{len(text) - 2 * half:,} characters"), ("text", text[-half:])]


def names_of(found: Plagiarism, one: Ranked) -> tuple[str, str]:
    """Returns the names of the submission and of the other document."""
    return str(found.sides[0].name(one.pair.submission)), str(found.sides[one.pair.of_source].name(one.pair.other))
