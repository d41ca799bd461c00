"""Finds the boilerplate of each host, and hosts that mirror one another, given pages and their stories."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.flow import Documents, Shingles, Stopwords, Words
from lookalike.flow.arrays import Hashes
from lookalike.flow.distinct import distinct
from lookalike.io.workers import in_order
from lookalike.joins.measures import Jaccard
from lookalike.joins.sets import join_sets
from lookalike.kernel import default
from lookalike.results.clusters import Clusters
from lookalike.text.spans import Cut, cut

SHINGLES = Words(5)
"""The shingles that are counted to find repeated text."""
SAMPLED = 100
"""The maximum number of pages sampled per host, each of a different story if stories are known."""
LEAST_PAGES = 5
"""Hosts with fewer sampled pages or stories than this are skipped."""
USUAL = 0.5
"""Text on more than this share of a host's pages is boilerplate."""
ALWAYS = 0.8
"""Shingles on more than this share of a host's pages are ignored when pages are compared. It is higher than USUAL
because, on a host with few pages, half of them may carry the same article.
"""
COPIES = Jaccard(1, 2)
"""Pages of a host with at least this similarity are treated as copies of one article."""
MIRRORED = 0.8
"""Two hosts are mirrors if the larger one has at least this share of the smaller one's stories."""


class Boilerplate(NamedTuple):
    """Text that appears on many pages of a host: on `pages` of the `sampled` pages."""

    host: str
    text: str
    pages: int
    sampled: int


class Mirror(NamedTuple):
    """Two hosts, the number of stories on each, and the number of stories on both."""

    left: str
    right: str
    left_stories: int
    right_stories: int
    common: int

    @property
    def share(self) -> float:
        return self.common / min(self.left_stories, self.right_stories)


def sample_pages(hosts: Sequence[str], stories: Sequence[int]) -> dict[str, list[int]]:
    """Samples one page per story, evenly spread, for each known host with enough stories. Returns the rows by host."""
    rows: dict[str, dict[int, int]] = defaultdict(dict)
    for row, (host, story) in enumerate(zip(hosts, stories, strict=True)):
        if host:
            rows[host].setdefault(story, row)
    enough = {host: [*some.values()] for host, some in rows.items() if len(some) >= LEAST_PAGES}
    return {
        host: [some[i] for i in np.linspace(0, len(some) - 1, min(SAMPLED, len(some))).astype(int)]
        for host, some in enough.items()
    }


def usual_shingles(
    samples: Mapping[str, Sequence[int]], texts: Mapping[int, str], shingles: Stopwords, threads: int = 1
) -> bytes:
    """Returns the stop-word shingles that are on nearly all sampled pages of a host, for `Shingling.ignored`.

    Copies of a page count once, because they share an article rather than boilerplate.
    """

    def on_one_host(rows: Sequence[int]) -> Hashes:
        documents = Documents.from_texts([texts[row] for row in rows])
        pages = _without_copies(default(1).shingle(documents, shingles))
        if len(pages) < LEAST_PAGES:
            return np.zeros(0, np.uint64)
        values, counts = np.unique(np.concatenate(pages), return_counts=True)
        return values[counts > ALWAYS * len(pages)]

    usual = [np.zeros(0, np.uint64), *in_order([samples.values()], on_one_host, threads)]
    return distinct(np.concatenate(usual)).astype("<u8").tobytes()


def _without_copies(pages: Shingles) -> list[npt.NDArray[np.uint64]]:
    """Returns the shingles of one page per group of copies."""
    alike = join_sets(pages, measure=COPIES)
    first = distinct(Clusters.from_edges(len(pages), alike.left, alike.right).labels)
    return [pages[row] for row in first.tolist()]


def find_boilerplate(
    samples: Mapping[str, Sequence[int]], texts: Mapping[int, str], threads: int = 1
) -> list[Boilerplate]:
    """Finds the boilerplate of each host: text that is on more than half of its sampled pages.

    The result is sorted by host, then by the number of pages with the text, highest first. A text is left out if all
    its shingles are in longer boilerplate.
    """

    def on_one_host(sample: tuple[str, Sequence[int]]) -> list[Boilerplate]:
        host, rows = sample
        return _on_one_host(host, [texts[row] for row in rows])

    found = chain.from_iterable(in_order([samples.items()], on_one_host, threads))
    return sorted(found, key=lambda one: (one.host, -one.pages, -len(one.text), one.text))


def _on_one_host(host: str, texts: Sequence[str]) -> list[Boilerplate]:
    runs = default(1).repeated_runs(Documents.from_texts(texts), SHINGLES, int(USUAL * len(texts)) + 1)
    found: dict[bytes, Boilerplate] = {}
    cuts: dict[int, Cut] = {}
    for text, start, length, pages in zip(*(column.tolist() for column in runs), strict=True):
        if text not in cuts:
            cuts = {text: cut(texts[text], SHINGLES)}  # runs of one text follow one another
        one, last = cuts[text], start + length - 1
        passage = " ".join(one.text[int(one.starts[start]) : int(one.ends[last])].split())
        found[one.values[start : last + 1].tobytes()] = Boilerplate(host, passage, pages, len(texts))
    return _longest(found)


def _longest(named: Mapping[bytes, Boilerplate]) -> list[Boilerplate]:
    """Drops texts whose shingles all appear in longer texts, such as a part of a menu. The keys are their shingles."""
    kept: list[Boilerplate] = []
    seen: set[int] = set()
    for run in sorted(named, key=len, reverse=True):
        values = np.frombuffer(run, np.uint64).tolist()
        if not seen.issuperset(values):
            kept.append(named[run])
            seen.update(values)
    return kept


def find_mirrors(hosts: Sequence[str], stories: Sequence[int]) -> list[Mirror]:
    """Finds pairs of known hosts that share most of the smaller host's stories, largest share first."""
    of: dict[str, set[int]] = defaultdict(set)
    on: dict[int, set[str]] = defaultdict(set)
    for host, story in zip(hosts, stories, strict=True):
        of[host].add(story)
    for host, some in of.items():
        if host and len(some) >= LEAST_PAGES:  # smaller hosts are never mirrors, and many may carry the same story
            for story in some:
                on[story].add(host)
    common = Counter(pair for some in on.values() for pair in combinations(sorted(some), 2))
    found = [Mirror(a, b, len(of[a]), len(of[b]), count) for (a, b), count in common.items()]
    found = [one for one in found if one.common >= LEAST_PAGES and one.share >= MIRRORED]
    return sorted(found, key=lambda one: (-one.share, -one.common, one.left, one.right))
