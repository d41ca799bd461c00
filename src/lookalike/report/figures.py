"""Collects the data of the report from a result and its source: counts, similarities, clusters, excerpts, samples."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lookalike.engines import engine
from lookalike.engines.base import Engine
from lookalike.flow.arrays import Rows
from lookalike.io.row_texts import read_texts
from lookalike.io.source import Source
from lookalike.planning.plan import Plan
from lookalike.planning.resolve import ResolvedPlan
from lookalike.report.excerpts import beginning, is_code
from lookalike.report.listed import LISTED, Listed, first_members, highest_similarities, rows_with_excerpts
from lookalike.report.side_by_side import Sample, compare_sample
from lookalike.report.thresholds import Step, steps_of
from lookalike.results.clusters import Clusters
from lookalike.results.deduped import Deduped
from lookalike.results.pairs import Pairs
from lookalike.results.summary import Overview, Summary

if TYPE_CHECKING:
    from lookalike.trust.audit import Audit

Reportable = Pairs | Clusters | Deduped

SAMPLES = 12
LARGEST = 10
NAMED = 5
"""The maximum number of members that are listed for a large cluster."""
MEASURED = 2000
"""The maximum number of cluster members whose similarity to their representative is measured for the report, because
clusters contain no similarities.
"""
COMPARED_MEMBERS = 100
"""The maximum number of members of a cluster that are compared pairwise to find the least similar pair. Larger clusters
are sampled.
"""


@dataclass(frozen=True)
class Least:
    """The least similar pair among the compared members of a cluster; `compared` is the number of these members.

    In a star, one of the two is the representative.
    """

    left: str
    right: str
    similarity: float
    compared: int


@dataclass(frozen=True)
class Group:
    """A large cluster: its size, its representative, the start of the representative's text, and some other members."""

    size: int
    representative: str
    members: tuple[str, ...]
    excerpt: str
    is_code: bool
    least: Least | None = None


Predictions = Sequence[tuple[str, str, str]]
"""The name, predicted value and actual value of each figure of a forecast."""


@dataclass(frozen=True, eq=False)
class Figures:
    """The data of the report."""

    source: str
    kind: str
    """What the pairs of the histogram are: `pairs`, `removed` (each with the document kept) or `members`."""
    summary: Summary
    overview: Overview
    plan: ResolvedPlan | None
    similarities: npt.NDArray[np.float64]
    similarities_of: str
    """The heading of the histogram, which names the pairs that it shows."""
    groups: tuple[Group, ...]
    samples: tuple[Sample, ...]
    listed: tuple[Listed, ...] = ()
    """The clusters that open."""
    steps: tuple[Step, ...] = ()
    """What is left of the pairs of the histogram at higher thresholds; empty if similarities are not known."""
    audit: Audit | None = None
    forecast: Predictions = ()
    """The predicted and actual values; empty if there was no forecast."""


def resolved_plan(summary: Summary) -> ResolvedPlan | None:
    """Returns the resolved plan of a run, from the TOML in its summary; None if the summary has no plan."""
    return ResolvedPlan.from_toml(summary.plan) if summary.plan else None


def gather(
    result: Reportable,
    source: Source,
    audit: Audit | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> Figures:
    """Collects the data of the report. Reads texts from the source, and measures similarities that are missing."""
    clusters, plan = clusters_of(result), resolved_plan(result.summary)
    local = engine(threads=threads, memory=memory)  # all engines give the same similarities
    open_clusters = clusters.largest(LISTED)
    survivors = clusters.labels if clusters.survivors is None else clusters.survivors
    members = first_members(open_clusters, survivors[[int(rows[0]) for rows in open_clusters]])
    largest, to_first = open_clusters[:LARGEST], list[npt.NDArray[np.float64]]()
    representatives = np.array([rows[0] for rows in members[:LARGEST]], np.int64)
    compared = [compared_members(rows, row) for rows, row in zip(largest, representatives.tolist(), strict=True)]
    left, right, similarity, heading = similar_rows(result, clusters)
    if plan is not None:
        among = [rows[np.stack(np.triu_indices(len(rows), 1))] for rows in compared]
        if plan.plan.linkage == "star" and not isinstance(result, Pairs):  # members are similar to the survivor only
            among = [pairs[:, (pairs == row).any(0)] for pairs, row in zip(among, representatives, strict=True)]
        pairs = [*among, *(np.stack([rows[:1].repeat(len(rows) - 1), rows[1:]]) for rows in members)]
        if isinstance(result, Clusters):
            similarity, *within = _measured(local, plan, source, [np.stack([left, right]), *pairs])
        else:
            within = _measured(local, plan, source, pairs)
        within, to_first = within[: len(among)], within[len(among) :]
        least = [_least(clusters, *found) for found in zip(among, within, compared, strict=True)]
    chosen = choose_samples(similarity if similarity is not None else np.zeros(len(left)), SAMPLES)
    excerpted = rows_with_excerpts(members, result.summary)
    texts = read_texts(source, np.concatenate([left[chosen], right[chosen], representatives, excerpted]))
    groups = [
        Group(
            size=len(rows),
            representative=_name(clusters, int(row)),
            members=tuple(_name(clusters, int(other)) for other in rows if other != row)[:NAMED],
            excerpt=_excerpt(texts[int(row)]),
            is_code=isinstance(texts[int(row)], str) and is_code(texts[int(row)], _name(clusters, int(row))),
            least=None if plan is None else least[i],
        )
        for i, (rows, row) in enumerate(zip(largest, representatives, strict=True))
    ]
    whole = Plan() if plan is None else dataclasses.replace(plan.plan, shingles=plan.shingles)
    samples = [
        compare_sample(
            (_name(clusters, int(left[i])), _name(clusters, int(right[i]))),
            (texts[int(left[i])], texts[int(right[i])]),
            None if similarity is None else float(similarity[i]),
            whole,
        )
        for i in chosen
    ]
    highest = highest_similarities(clusters.labels, open_clusters, left, similarity)
    listed = [
        Listed(
            size=len(open_clusters[i]),
            names=tuple(_name(clusters, int(row)) for row in rows),
            excerpts=tuple(_excerpt(texts[row], 160) if row in texts else None for row in rows.tolist()),
            similarities=(None, *(to_first[i].tolist() if to_first else [None] * (len(rows) - 1))),
            highest=highest[i],
        )
        for i, rows in enumerate(members)
    ]
    return Figures(
        source=source.name,
        kind="pairs" if isinstance(result, Pairs) else "removed" if isinstance(result, Deduped) else "members",
        summary=result.summary,
        overview=clusters._overview(pairs=len(result)) if isinstance(result, Pairs) else result._overview(),
        plan=plan,
        similarities=np.zeros(0) if similarity is None else similarity,
        similarities_of=heading,
        groups=tuple(groups),
        samples=tuple(samples),
        listed=tuple(listed),
        steps=() if similarity is None or not len(similarity) else tuple(_steps(left, right, similarity, plan)),
        audit=audit,
    )


def clusters_of(result: Reportable) -> Clusters:
    """Returns the clusters of a result; for pairs, their connected components."""
    if isinstance(result, Clusters):
        return result
    return result.clusters() if isinstance(result, Pairs) else result.clusters


def choose_samples(similarity: npt.NDArray[np.float64], most: int) -> list[int]:
    """Chooses up to `most` pairs over the whole range of similarities. Returns their positions, most similar first.

    At most one chosen pair has similarity 1. The range below 1 is divided into `most` equal intervals. One pair is
    taken from each interval that has any, then a second pair from each, and so on, until there are enough.
    """
    below = np.flatnonzero(similarity < 1)
    chosen = np.flatnonzero(similarity >= 1)[:1].tolist()
    if len(below):
        low = float(similarity[below].min())
        step = np.minimum(((similarity[below] - low) / (1 - low) * most).astype(np.int64), most - 1)
        order = np.argsort(step, kind="stable")
        rank = np.arange(len(order)) - np.searchsorted(step[order], step[order], "left")  # 0 for the first of each step
        best = order[np.argsort(rank, kind="stable")][: most - len(chosen)]
        chosen += below[best].tolist()
    return sorted(chosen, key=lambda i: (-similarity[i], i))


def similar_rows(result: Reportable, clusters: Clusters) -> tuple[Rows, Rows, npt.NDArray[np.float64] | None, str]:
    """Returns the pairs of rows for the histogram and the samples, their similarities or None, and a heading."""
    if isinstance(result, Pairs):
        return result.left_rows, result.right_rows, result.similarity, "Similarity of all pairs"
    survivors = clusters.labels if clusters.survivors is None else clusters.survivors
    others = np.flatnonzero(survivors != np.arange(len(survivors)))
    if isinstance(result, Deduped):
        others = others[others >= result.reference]  # copies within a reference were not removed
        similarity = np.asarray(result.removed["similarity"].to_numpy(), np.float64)
        return survivors[others], others, similarity, "Similarity of each removed document to the one kept"
    heading = "Similarity of each cluster member to its representative"
    if len(others) > MEASURED:
        others = others[np.linspace(0, len(others) - 1, MEASURED).astype(np.int64)]
        heading = f"Similarity of {MEASURED:,} cluster members, evenly spread, to their representatives"
    return survivors[others], others, None, heading


def _measured(local: Engine, plan: ResolvedPlan, source: Source, pairs: list[Rows]) -> list[npt.NDArray[np.float64]]:
    """Measures the similarities of several lists of pairs, in one pass over the source if memory allows."""
    left, right = np.concatenate(pairs, axis=1) if pairs else np.zeros((2, 0), np.int64)
    if not len(left):
        return [np.zeros(0) for _ in pairs]
    similarity = local.measure(plan, source, left, right)
    return np.split(similarity, np.cumsum([some.shape[1] for some in pairs])[:-1])


def _steps(left: Rows, right: Rows, similarity: npt.NDArray[np.float64], plan: ResolvedPlan | None) -> list[Step]:
    """Counts what is left at thresholds from that of the plan on, or from the least similarity if it is lower."""
    lowest = float(similarity.min())
    return steps_of(left, right, similarity, lowest if plan is None else min(lowest, float(plan.threshold)))


def _least(clusters: Clusters, pairs: Rows, similarity: npt.NDArray[np.float64], compared: Rows) -> Least:
    i = int(similarity.argmin())
    left, right = (_name(clusters, int(row)) for row in pairs[:, i])
    return Least(left, right, float(similarity[i]), len(compared))


def compared_members(rows: Rows, representative: int) -> Rows:
    """Returns the members to compare pairwise: all, or an evenly spread sample that includes the representative."""
    if len(rows) <= COMPARED_MEMBERS:
        return rows
    others = rows[rows != representative]
    spread = others[np.linspace(0, len(others) - 1, COMPARED_MEMBERS - 1).astype(np.int64)]
    return np.sort(np.append(spread, representative))


def _name(clusters: Clusters, row: int) -> str:
    return str(row if clusters.ids is None else clusters.ids[row].as_py())


def _excerpt(text: Any, most: int = 220) -> str:
    words = text[: 4 * most].split() if isinstance(text, str) else [str(token) for token in text[:most]]
    short = " ".join(words)
    return short if len(short) <= most and len(text) <= 4 * most else beginning(short, most - 1).rstrip() + "…"
