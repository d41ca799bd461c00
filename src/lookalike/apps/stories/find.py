"""Finds stories in pages: pages that carry the same article, the first page of each story, and hosts that are
mirrors."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.api import find_clusters
from lookalike.apps.stories.boilerplate import (
    Boilerplate,
    Mirror,
    find_boilerplate,
    find_mirrors,
    sample_pages,
    usual_shingles,
)
from lookalike.apps.stories.lengths import similar_lengths
from lookalike.apps.stories.page_facts import hosts_of, parse_date
from lookalike.apps.stories.pages import to_text
from lookalike.apps.stories.stoplists import combined, detect_languages
from lookalike.errors import InvalidOption, NoInput, NoSuchColumn
from lookalike.flow import Stopwords
from lookalike.flow.arrays import ids_of
from lookalike.flow.checks import check_one_of, check_whole
from lookalike.flow.progress import Progress
from lookalike.flow.threshold import Threshold
from lookalike.io.memory_source import MemorySource
from lookalike.io.nested import has_column, read_columns
from lookalike.io.open import check_column
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.joins.blocks import put_together
from lookalike.joins.source_sets import Cutting
from lookalike.planning.resolve import SURVEYED
from lookalike.results.clusters import Clusters
from lookalike.results.restoring import checked
from lookalike.results.result import Result, stored_ids
from lookalike.results.shown import Shown, display
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.display.card import Card
    from lookalike.results.saved import SavedTables

KEPT = 1 << 27
"""Pages of at most this many bytes are kept in memory."""

BATCH_ROWS = 1024
"""Rows that one thread reads and signs at a time. Pages are long, and so few that larger batches would leave threads
idle."""

EVERYWHERE = "all pages"
"""The host name used for all pages if hosts are unknown."""


@dataclass(frozen=True)
class StoryCriteria:
    """The options that decide whether two pages carry the same story."""

    languages: tuple[str, ...]
    """Language codes, or paths of stop lists. If empty, languages are detected from the first texts."""
    threshold: Threshold
    method: str
    """`bands` compares pages that share a band of hashes, or joins exactly if that is cheaper; `length` compares all
    pages of similar length.
    """

    def __post_init__(self) -> None:
        check_one_of("method", self.method, ("bands", "length"))


@dataclass(frozen=True, eq=False, kw_only=True)
class Stories(Result):
    """The stories of a collection of pages, as four tables: `pages`, `stories`, `boilerplate` and `mirrors`."""

    labels: npt.NDArray[np.int64]
    """The story number of each page; stories with more pages have lower numbers."""
    representatives: npt.NDArray[np.int64]
    """The row of the first page of each story: the earliest by date if there are dates, otherwise the first row."""
    ids: pa.Array | None
    hosts: list[str] | None
    dates: list[datetime | None] | None
    found_boilerplate: list[Boilerplate]
    found_mirrors: list[Mirror]
    languages: tuple[str, ...]
    usual: int
    """The number of stop-word shingles that were ignored because they are on nearly all pages of a host."""
    question: StoryCriteria
    undated: int
    """The number of pages without a valid date; 0 if no column of dates was given."""
    summary: Summary
    source: Source | None = None
    """The pages, from which `show` reads texts; None if the result was loaded or copied."""
    html: bool = False
    """True if the pages are HTML."""

    def __len__(self) -> int:
        """Returns the number of stories on two or more pages."""
        return int(np.count_nonzero(self.sizes > 1))

    def __repr__(self) -> str:
        return f"Stories({len(self):,} on two or more of {len(self.labels):,} pages)"

    def show(self, n: int = 5) -> Shown:
        """Shows the `n` stories that appear on the most pages: the texts of their pages, without boilerplate.

        Scripts print them; notebooks and prompts display what is returned.
        """
        from lookalike.apps.stories.shown import show_stories

        check_whole("n", n, 1)
        if self.source is None:
            raise NoInput("result-without-texts", verb="stories")
        return display(show_stories(self, self.source, n))

    def __getstate__(self) -> dict[str, Any]:
        return vars(self) | {"source": None}

    def _card(self) -> Card:
        from lookalike.display.cells import FirstRows
        from lookalike.display.charts import size_chart

        sizes, counts = np.unique(self.sizes, return_counts=True)
        chart = size_chart(dict(zip(sizes.tolist(), counts.tolist(), strict=True)), "pages of the story")
        tables = [FirstRows.of(self.stories, "Stories on the most pages")]
        return dataclasses.replace(self._heading(), chart=chart, tables=tables)

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """The number of pages of each story."""
        return np.bincount(self.labels, minlength=len(self.representatives)).astype(np.int64)

    @property
    def pages(self) -> pa.Table:
        """A table with one row per page: its host, date and story, and the story's first page and number of pages."""
        columns = {
            "id": ids_of(self.ids, np.arange(len(self.labels), dtype=np.int64)),
            "story": pa.array(self.labels, pa.int64()),
            "representative": ids_of(self.ids, self.representatives[self.labels]),
            "pages": pa.array(self.sizes[self.labels], pa.int64()),
        }
        if self.hosts is not None:
            columns["host"] = pa.array(self.hosts, pa.string())
        if self.dates is not None:
            columns["date"] = pa.array(self.dates, pa.timestamp("us"))
        return pa.table(columns)

    @property
    def stories(self) -> pa.Table:
        """A table of all stories that appear on two or more pages, with the number of hosts and the first and last date
        of each."""
        many = np.flatnonzero(self.sizes > 1)
        members = np.split(np.argsort(self.labels, kind="stable"), np.cumsum(self.sizes)[:-1])
        columns = {
            "story": pa.array(many, pa.int64()),
            "representative": ids_of(self.ids, self.representatives[many]),
            "pages": pa.array(self.sizes[many], pa.int64()),
        }
        if (hosts := self.hosts) is not None:
            counts = [len({hosts[row] for row in members[story]}) for story in many]
            columns["hosts"] = pa.array(counts, pa.int64())
        if (dates := self.dates) is not None:
            known = [[when for row in members[story] if (when := dates[row]) is not None] for story in many]
            first, last = ([pick(some, default=None) for some in known] for pick in (min, max))
            days = [
                None if a is None or b is None else (b - a).total_seconds() / 86_400
                for a, b in zip(first, last, strict=True)
            ]
            columns["first"] = pa.array(first, pa.timestamp("us"))
            columns["last"] = pa.array(last, pa.timestamp("us"))
            columns["days"] = pa.array(days, pa.float64())
        return pa.table(columns)

    @property
    def boilerplate(self) -> pa.Table:
        """A table with one row per text that appears on more than half of a host's sampled pages."""
        rows = self.found_boilerplate
        columns = {"host": pa.string(), "text": pa.string(), "pages": pa.int64(), "sampled": pa.int64()}
        return pa.table({name: pa.array([getattr(one, name) for one in rows], kind) for name, kind in columns.items()})

    @property
    def mirrors(self) -> pa.Table:
        """A table with one row per pair of hosts that mirror one another."""
        rows = self.found_mirrors
        counts = ("left_stories", "right_stories", "common")
        columns = {
            "left": pa.string(),
            "right": pa.string(),
            **dict.fromkeys(counts, pa.int64()),
            "share": pa.float64(),
        }
        return pa.table({name: pa.array([getattr(one, name) for one in rows], kind) for name, kind in columns.items()})

    def to_arrow(self) -> pa.Table:
        return self.pages

    def tables(self) -> dict[str, pa.Table]:
        return {name: getattr(self, name) for name in ("pages", "stories", "boilerplate", "mirrors")}

    def _facts(self) -> dict[str, Any]:
        question = {**vars(self.question), "threshold": str(self.question.threshold)}
        counts = {name: getattr(self, name) for name in ("languages", "usual", "undated")}
        return {**counts, "question": question}

    def _stored(self) -> dict[str, pa.Table]:
        pages = self.pages.drop_columns(["id", "representative"])
        first = pa.table({"row": pa.array(self.representatives, pa.int64())})
        found = {"boilerplate": self.boilerplate, "mirrors": self.mirrors}
        return {"pages": pages, "representatives": first, **found, **stored_ids(self.ids)}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> Stories:
        pages, asked = tables["pages"], checked(facts, question=dict)["question"]
        asked = checked(asked, languages=list[str], threshold=str, method=str)
        counts = checked(facts, languages=list[str], usual=int, undated=int)
        representatives = tables.rows("representatives", "row", pages.num_rows)
        given = {name: pages[name].to_pylist() if name in pages.column_names else None for name in ("host", "date")}
        mirrors = tables["mirrors"].drop_columns(["share"]).to_pylist()
        return cls(
            labels=tables.rows("pages", "story", len(representatives)),
            representatives=representatives,
            ids=tables.ids(rows=pages.num_rows),
            hosts=given["host"],
            dates=given["date"],
            found_boilerplate=[Boilerplate(**row) for row in tables["boilerplate"].to_pylist()],
            found_mirrors=[Mirror(**row) for row in mirrors],
            languages=tuple(counts["languages"]),
            usual=counts["usual"],
            question=StoryCriteria(tuple(asked["languages"]), Threshold(asked["threshold"]), asked["method"]),
            undated=counts["undated"],
            summary=summary,
        )


def find_stories(
    source: Source,
    question: StoryCriteria,
    *,
    url: str | None,
    date: str | None,
    html: bool,
    threads: int,
    progress: Progress,
) -> Stories:
    """Clusters pages by their stop-word shingles, orders stories by date, and finds boilerplate and mirrors by host."""
    seconds: dict[str, float] = {}
    began = time.perf_counter()
    facts = _columns(source, url=url, date=date)
    hosts = None if url is None else hosts_of(facts[url])
    dates = None if date is None else [parse_date(value) for value in facts[date]]
    given = source
    _refuse_lists(source)
    source = _reduced(given, progress) if html else _kept(given)
    languages = question.languages or detect_languages(source.documents(0, SURVEYED), threads)
    seconds["read"] = time.perf_counter() - began
    began = time.perf_counter()
    shingles = Stopwords(combined(languages))
    if hosts is not None:  # text on all pages may be the story itself, but text on all pages of a host is boilerplate
        samples = sample_pages(hosts, range(len(hosts)))
        usual = usual_shingles(samples, _sampled(source, samples), shingles, threads)
        shingles = dataclasses.replace(shingles, ignored=usual)
    if question.method == "length":
        clusters = _by_length(source, question, shingles, threads, progress)
    else:
        least = str(question.threshold)
        clusters = find_clusters(source, shingles=shingles, threshold=least, threads=threads, progress=progress)
    seconds["cluster"] = time.perf_counter() - began
    began = time.perf_counter()
    labels, representatives = _numbered(clusters.labels, dates)
    samples = sample_pages(hosts or [EVERYWHERE] * len(labels), labels.tolist())
    boilerplate = find_boilerplate(samples, _sampled(source, samples), threads)
    seconds["boilerplate"] = time.perf_counter() - began
    return Stories(
        labels=labels,
        representatives=representatives,
        ids=clusters.ids,
        hosts=hosts,
        dates=dates,
        found_boilerplate=boilerplate,
        found_mirrors=[] if hosts is None else find_mirrors(hosts, labels.tolist()),
        languages=tuple(languages),
        usual=len(shingles.ignores),
        question=question,
        source=given,
        html=html,
        undated=0 if dates is None else sum(when is None for when in dates),
        summary=dataclasses.replace(
            clusters.summary,
            seconds=seconds,
            malformed=given.malformed,
            warnings=tuple(dict.fromkeys((*given.warnings, *clusters.summary.warnings))),
        ),
    )


def _columns(source: Source, **options: str | None) -> dict[str, list[Any]]:
    """Reads the columns that these options name. Returns their values by column."""
    for option, name in options.items():
        check_column(option, name)
        if name is not None and not has_column(source, name):
            raise NoSuchColumn.named(name, source.columns, source.name, option)
    found: dict[str, list[Any]] = {name: [] for name in options.values() if name is not None}
    for batch in read_columns(source, list(found)) if found else ():
        for name, values in found.items():
            values += batch.data.column(name).to_pylist()
    return found


def _kept(source: Source) -> Source:
    """Returns the pages in memory, unless they are large, because they are read several times."""
    if source.in_memory:
        return source
    texts, ids, size = [], [], 0
    for batch in source.read([source.column, *([source.id] if source.id else [])]):
        size += batch.data.nbytes
        if size > KEPT:
            return source
        texts.append(batch.data.column(source.column))
        if source.id:
            ids.append(batch.data.column(source.id))
    return _in_memory(source, pa.chunked_array(texts, pa.large_string()), ids)


def _reduced(source: Source, progress: Progress) -> Source:
    """Reads all pages into memory, reduces their HTML to text, and returns them as a source."""
    ids, texts = [], []
    for batch in source.read([source.column, *([source.id] if source.id else [])]):
        texts += [to_text(page or "") for page in batch.data.column(source.column).to_pylist()]
        if source.id:
            ids.append(batch.data.column(source.id))
        progress("html", len(texts), source.total_rows())
    return _in_memory(source, pa.array(texts, pa.large_string()), ids)


def _in_memory(source: Source, texts: pa.Array | pa.ChunkedArray, ids: list[pa.Array]) -> Source:
    columns: dict[str, Any] = {"text": texts}
    if source.id:
        columns["id"] = pa.chunked_array(ids or [pa.array([], pa.large_string())])
    return MemorySource(
        pa.table(columns), source.name, column="text", id="id" if source.id else None, batch_rows=BATCH_ROWS
    )


def _sampled(source: Source, samples: Mapping[str, Sequence[int]]) -> dict[int, str]:
    return read_texts(source, np.array(sorted({row for rows in samples.values() for row in rows}), np.int64))


def _refuse_lists(source: Source) -> None:
    """Raises an error if the rows are lists of tokens instead of texts."""
    if any(documents.has_tokens for documents in source.documents(0, 1)):
        raise InvalidOption("stories-need-texts")


def _by_length(
    source: Source, question: StoryCriteria, shingles: Stopwords, threads: int, progress: Progress
) -> Clusters:
    cutting = Cutting(source, shingles, threads=threads, progress=progress)
    sets = put_together(list(cutting.tables()))
    left, right, compared = similar_lengths(sets, question.threshold, threads, progress)
    summary = Summary(
        documents=cutting.rows,
        empty=cutting.empty,
        malformed=source.malformed,
        candidates=compared,
        warnings=source.warnings,
    )
    return Clusters.from_edges(cutting.rows, left, right, ids=cutting.take_ids(), summary=summary)


def _numbered(
    labels: npt.NDArray[np.int64], dates: list[datetime | None] | None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Numbers the stories by size, largest first, then by first row.

    Returns the story number of each page, and the row of each story's first page.
    """
    first, story, counts = np.unique(labels, return_inverse=True, return_counts=True)
    order = np.lexsort((first, -counts))
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    rows = np.arange(len(labels))
    if dates is not None:
        when = np.array([datetime.max if date is None else date for date in dates], "M8[us]")
        rows = np.argsort(when, kind="stable")
    best = np.empty(len(order), np.int64)
    best[number[story[rows]][::-1]] = rows[::-1]  # of the rows of a story, the first is assigned last
    return number[story], best
