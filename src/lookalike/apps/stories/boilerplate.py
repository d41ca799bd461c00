"""Pages and the stories they are of → their furniture, named; and hosts that are mirrors of one another."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.flow import Documents, Shingles, Stopwords, Words
from lookalike.flow.distinct import distinct
from lookalike.joins.measures import Jaccard
from lookalike.joins.sets import join_sets
from lookalike.kernel import default
from lookalike.results import Clusters
from lookalike.text.spans import cut

K = 5
"""Words of a run that is counted."""
SAMPLED = 100
"""Pages of a host that are looked at, each of another story where these are known."""
LEAST_PAGES = 5
"""Fewer pages of a host tell nothing."""
USUAL = 0.5
"""What more than this share of a host's pages have is furniture."""
ALWAYS = 0.8
"""What more than this share have is left out where pages are compared; an article may be on half of a few pages."""
COPIES = Jaccard(1, 2)
"""Pages of a host that are so alike are one article again; they are, if 0.8 of each is on 0.8 of them."""
MIRRORED = 0.8
"""Hosts are mirrors if so much of the smaller one's stories are on the other."""


class Furniture(NamedTuple):
    """A stretch of text that stands on many pages of a host, whatever their story."""

    host: str
    text: str
    pages: int
    sampled: int


class Mirror(NamedTuple):
    """Two hosts, how many stories each has, and how many both have."""

    left: str
    right: str
    left_stories: int
    right_stories: int
    common: int

    @property
    def share(self) -> float:
        return self.common / min(self.left_stories, self.right_stories)


def to_sample(hosts: Sequence[str], stories: Sequence[int]) -> dict[str, list[int]]:
    """For each known host the rows of pages of different stories, evenly spread; for those that have enough of them."""
    rows: dict[str, dict[int, int]] = defaultdict(dict)
    for row, (host, story) in enumerate(zip(hosts, stories, strict=True)):
        if host:
            rows[host].setdefault(story, row)
    enough = {host: [*some.values()] for host, some in rows.items() if len(some) >= LEAST_PAGES}
    return {
        host: [some[i] for i in np.linspace(0, len(some) - 1, min(SAMPLED, len(some))).astype(int)]
        for host, some in enough.items()
    }


def usual_shingles(samples: Mapping[str, Sequence[int]], texts: Mapping[int, str], shingles: Stopwords) -> bytes:
    """The stop-word shingles that nearly all of a host's sampled pages have, as in `Shingling.ignored`.

    Copies of a page count once: what they share is an article, and not what stands around articles.
    """
    usual = [np.zeros(0, np.uint64)]
    for rows in samples.values():
        pages = _without_copies(default().shingle(Documents.from_texts([texts[row] for row in rows]), shingles))
        if len(pages) >= LEAST_PAGES:
            values, counts = np.unique(np.concatenate(pages), return_counts=True)
            usual.append(values[counts > ALWAYS * len(pages)])
    return distinct(np.concatenate(usual)).astype("<u8").tobytes()


def _without_copies(pages: Shingles) -> list[npt.NDArray[np.uint64]]:
    """The sets of pages, one of each group of copies."""
    alike = join_sets(pages, measure=COPIES)
    first = distinct(Clusters.from_edges(len(pages), alike.left, alike.right).labels)
    return [pages[row] for row in first.tolist()]


def find_furniture(samples: Mapping[str, Sequence[int]], texts: Mapping[int, str]) -> list[Furniture]:
    """The longest stretches of words that more than half of a host's sampled pages have, the most frequent first."""
    found = []
    for host, rows in samples.items():
        cuts = [cut(texts[row], Words(K)) for row in rows]
        values, counts = np.unique(np.concatenate([distinct(one.values) for one in cuts]), return_counts=True)
        usual = counts > USUAL * len(rows)
        often = dict(zip(values[usual].tolist(), counts[usual].tolist(), strict=True))
        named: dict[tuple[int, ...], Furniture] = {}
        for one in cuts:
            for start, end in _runs([value in often for value in one.values.tolist()]):
                run = tuple(one.values[start:end].tolist())
                text = one.text[int(one.starts[start]) : int(one.ends[end - 1])]
                named.setdefault(run, Furniture(host, " ".join(text.split()), min(often[v] for v in run), len(rows)))
        found += _longest(named)
    return sorted(found, key=lambda one: (one.host, -one.pages, -len(one.text), one.text))


def _runs(marks: Sequence[bool]) -> list[tuple[int, int]]:
    """Where stretches of True begin and end."""
    steps = np.diff(np.concatenate([[0], np.asarray(marks, np.int8), [0]]))
    return list(zip(np.flatnonzero(steps == 1).tolist(), np.flatnonzero(steps == -1).tolist(), strict=True))


def _longest(named: Mapping[tuple[int, ...], Furniture]) -> list[Furniture]:
    """Those that are in no longer one: a page that lacks a part of a menu has the other parts too."""
    kept: list[Furniture] = []
    seen: set[int] = set()
    for run in sorted(named, key=len, reverse=True):
        if not seen.issuperset(run):
            kept.append(named[run])
            seen.update(run)
    return kept


def find_mirrors(hosts: Sequence[str], stories: Sequence[int]) -> list[Mirror]:
    """Pairs of known hosts whose pages match pair by pair."""
    of: dict[str, set[int]] = defaultdict(set)
    on: dict[int, set[str]] = defaultdict(set)
    for host, story in zip(hosts, stories, strict=True):
        of[host].add(story)
    for host, some in of.items():
        if host and len(some) >= LEAST_PAGES:  # the others are no mirrors, and a story may be on very many of them
            for story in some:
                on[story].add(host)
    common = Counter(pair for some in on.values() for pair in combinations(sorted(some), 2))
    found = [Mirror(a, b, len(of[a]), len(of[b]), count) for (a, b), count in common.items()]
    found = [one for one in found if one.common >= LEAST_PAGES and one.share >= MIRRORED]
    return sorted(found, key=lambda one: (-one.share, -one.common, one.left, one.right))
