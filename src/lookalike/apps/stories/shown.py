"""Shows stories: the texts of the pages of each, without the boilerplate of their hosts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from lookalike.apps.stories.pages import to_text
from lookalike.display.card import Card
from lookalike.display.cells import FirstRows
from lookalike.flow.arrays import Rows, ids_of
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.results.shown import Shown

if TYPE_CHECKING:
    from lookalike.apps.stories.find import Stories

PAGES = 6
"""The maximum number of pages of a story that are shown."""


def show_stories(found: Stories, source: Source, n: int) -> Shown:
    """Shows the first `n` stories, each with its first page and some others."""
    stories = [_pages_of(found, story) for story in range(min(n, len(found)))]
    texts = read_texts(source, np.concatenate([*stories, np.zeros(0, np.int64)]))
    boilerplate: dict[str | None, list[str]] = defaultdict(list)
    for piece in sorted(found.found_boilerplate, key=lambda piece: -len(piece.text)):
        boilerplate[None if found.hosts is None else piece.host].append(piece.text)
    tables = []
    for rows, size in zip(stories, found.sizes.tolist(), strict=False):
        columns: dict[str, Any] = {"id": ids_of(found.ids, rows)}
        hosts: list[str | None] = [None] * len(rows)
        if found.hosts is not None:
            columns["host"] = hosts = [found.hosts[row] for row in rows]
        if (dates := found.dates) is not None:
            columns["date"] = [None if (date := dates[row]) is None else f"{date:%Y-%m-%d %H:%M}" for row in rows]
        pages = [to_text(texts[int(row)]) if found.html else texts[int(row)] for row in rows]
        columns["text"] = [_without(page, boilerplate[host]) for page, host in zip(pages, hosts, strict=True)]
        tables.append(FirstRows(pa.table(columns), size, f"Story on {size:,} pages, the first page first"))
    noun = "story" if len(found) == 1 else "stories"
    card = Card(f"{len(stories):,} of {len(found):,} {noun} on two or more pages, the largest first", tables=tables)
    return Shown(card.text(), card.html())


def _pages_of(found: Stories, story: int) -> Rows:
    rows = np.flatnonzero(found.labels == story)
    first = int(found.representatives[story])
    return np.array([first, *rows[rows != first][: PAGES - 1]], np.int64)


def _without(page: str, boilerplate: Sequence[str]) -> str:
    """Removes boilerplate from a page, unless nothing else is on it.

    >>> _without("Home | Sport. The storm came. Imprint", ["Home | Sport.", "Imprint"])
    'The storm came.'
    """
    article = " ".join(page.split())
    for text in boilerplate:
        article = article.replace(text, " ")
    return " ".join(article.split()) or page
