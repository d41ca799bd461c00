"""Groups the records of one table into entities whose members match on average, and lists the matches of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lookalike.apps.resolve.columns import Codes, Floats
from lookalike.apps.resolve.entities import (
    LARGEST,
    average_linkage,
    components,
    groups_of,
    pairs_between,
    pairs_within,
    sampled,
)
from lookalike.apps.resolve.settings import Settings
from lookalike.results.clusters import connected_components

if TYPE_CHECKING:
    from lookalike.apps.resolve.resolution import Comparer

LISTED = 1000
"""The maximum number of distinct members of an entity for which all pairs are listed. For larger entities, only pairs
with the first member are listed."""
ADOPTING_GROUPS = 20
"""The number of groups, the largest ones, with which the remaining parts of a divided group are compared."""
Ends = tuple[Codes, Codes]
"""Pairs of rows: the left ones, and the right ones."""


def least_score(settings: Settings) -> float:
    """Returns the score that a match must exceed: the log odds of the threshold or, with points, just below 0."""
    if settings.method == "points":
        return -1e-9
    share = min(max(settings.threshold, 1e-12), 1 - 1e-12)
    return float(np.log(share / (1 - share)))


def group_records(comparer: Comparer, left: Codes, right: Codes, score: Floats) -> tuple[Codes, Ends]:
    """Groups rows into entities. Returns the label of each row's entity, and the pairs compared, some more than once.

    Equal records that match are treated as one record.
    """
    first = np.arange(comparer.records)
    equal = comparer.alike[right] == left
    first[right[equal]] = left[equal]
    many = np.bincount(first, minlength=len(first))
    apart = first[left] != first[right]
    groups = components(comparer.records, first[left[apart]], first[right[apart]], score[apart])
    one, two = pairs_within(groups)
    within = comparer.score(one, two) - least_score(comparer.settings)
    labels = np.arange(comparer.records)
    start = 0
    for group in groups:
        stop = start + len(group) * (len(group) - 1) // 2
        for members in average_linkage(group, within[start:stop], many[group]):
            labels[members] = members[0]
        start = stop
    whole = connected_components(comparer.records, first[left[apart]], first[right[apart]])
    large = np.flatnonzero(np.bincount(whole, minlength=len(whole)) > LARGEST)
    again = [_join(comparer, np.flatnonzero(whole == label), labels, many) for label in large.tolist()]
    return labels[first], _together([(one, two), *again])


def _together(compared: list[Ends]) -> Ends:
    left, right = zip(*compared, strict=True)
    return np.concatenate(left), np.concatenate(right)


def _join(comparer: Comparer, members: Codes, labels: Codes, many: Codes) -> Ends:
    """Merges the parts of a group that was too large to compare as a whole. Returns the pairs compared.

    Samples of the largest parts are compared with one another, and samples of the other parts with the largest groups
    that result.
    """
    all_parts = sorted(groups_of(members, labels), key=_largest_first)
    parts, rest = all_parts[:LARGEST], all_parts[LARGEST:]
    left, right, pair = pairs_between(parts)
    least = least_score(comparer.settings)
    mean = np.bincount(pair, weights=comparer.score(left, right) - least) / np.maximum(np.bincount(pair), 1)
    sizes = np.array([int(many[part].sum()) for part in parts])
    wholes = [
        np.concatenate([parts[part] for part in some]) for some in average_linkage(np.arange(len(parts)), mean, sizes)
    ]
    wholes.sort(key=_largest_first)
    compared = [(left, right)]
    for start in range(0, len(rest), LARGEST):
        compared.append(_adopt(comparer, wholes, rest[start : start + LARGEST], least))
    for whole in wholes:
        labels[whole] = whole.min()
    return _together(compared)


def _adopt(comparer: Comparer, wholes: list[Codes], parts: list[Codes], least: float) -> Ends:
    """Adds each part to the group with the best mean score, if it is above 0. Returns the pairs compared."""
    hosts, few = [sampled(whole) for whole in wholes[:ADOPTING_GROUPS]], [sampled(part) for part in parts]
    there, here = np.concatenate(hosts), np.concatenate(few)
    ends = np.repeat(here, len(there)), np.tile(there, len(here))
    score = comparer.score(*ends).reshape(len(here), len(there)) - least
    for axis, groups in ((1, hosts), (0, few)):
        sizes = np.array([len(group) for group in groups])
        total = np.add.reduceat(score, np.cumsum(sizes) - sizes, axis=axis)
        score = total / np.expand_dims(sizes, 1 - axis)
    for part, belongs in zip(parts, score, strict=True):
        best = int(belongs.argmax())
        if belongs[best] > 0:
            wholes[best] = np.concatenate([wholes[best], part])
    return ends


def _largest_first(part: Codes) -> tuple[int, int]:
    return -len(part), int(part.min())


def matches_within(comparer: Comparer, labels: Codes) -> tuple[Codes, Codes, Floats]:
    """Lists all pairs within entities, with their scores.

    If an entity has more than `LARGEST` records, equal records are only paired with the first of them. If it has more
    than `LISTED` distinct records, each is only paired with the first one.
    """
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1) if len(order) else []
    large = (np.bincount(labels, minlength=len(labels)) > LARGEST)[labels]
    again = large & (comparer.alike != np.arange(len(labels))) & (labels[comparer.alike] == labels)
    different = [group for part in groups if len(group := part[~again[part]]) > 1]
    left, right = pairs_within([group for group in different if len(group) <= LISTED])
    with_first = [group for group in different if len(group) > LISTED]
    firsts = [np.full(len(group) - 1, group[0]) for group in with_first]
    left = np.concatenate([left, comparer.alike[again], *firsts])
    right = np.concatenate([right, np.flatnonzero(again), *(group[1:] for group in with_first)])
    by_row = np.lexsort((right, left))
    left, right = left[by_row], right[by_row]
    return left, right, comparer.score(left, right)
