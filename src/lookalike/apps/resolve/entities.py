"""Turns scored pairs into entities: one-to-one matches between two tables, or cohesive groups within one."""

from __future__ import annotations

import numpy as np

from lookalike.apps.resolve.columns import Codes, Floats
from lookalike.flow.arrays import Mask
from lookalike.results.clusters import connected_components

LARGEST = 300
"""The maximum number of distinct members of a group in which all pairs are compared. Larger groups are divided at weak
links.
"""


def one_to_one(left: Codes, right: Codes, score: Floats) -> Codes:
    """Chooses pairs, best score first, so that no record is in more than one.

    Returns their positions in ascending order.
    """
    taken: set[int] = set()
    kept = []
    for pair in np.lexsort((right, left, -score)).tolist():
        ends = {int(left[pair]), int(right[pair])}
        if not ends & taken:
            taken |= ends
            kept.append(pair)
    return np.sort(np.array(kept, np.int64))


def components(rows: int, left: Codes, right: Codes, score: Floats) -> list[Codes]:
    """Returns the connected groups of two or more records, each with at most `LARGEST` records.

    A larger group loses the weaker half of its links until its parts are small enough. If all its links are equally
    strong, it is divided into blocks in the order of its members.
    """
    done: list[Codes] = []
    while len(left):
        labels = connected_components(rows, left, right)
        sizes = np.bincount(labels, minlength=rows)
        small = sizes[labels] <= LARGEST
        order = np.argsort(labels, kind="stable")
        done += _split(order[(sizes[labels] > 1)[order] & small[order]], labels)
        large = ~small[left]
        left, right, score = left[large], right[large], score[large]
        strong, even = _stronger(labels[left], score)
        for group in _split(order[np.isin(labels[order], even)], labels):
            done += np.array_split(group, -(-len(group) // LARGEST))
        left, right, score = left[strong], right[strong], score[strong]
    return done


def _split(members: Codes, labels: Codes) -> list[Codes]:
    """Splits members that are sorted by label into one group per label."""
    return np.split(members, np.flatnonzero(np.diff(labels[members])) + 1) if len(members) else []


def _stronger(labels: Codes, score: Floats) -> tuple[Mask, Codes]:
    """Returns a mask of the stronger links, and the labels of groups whose links are all equally strong.

    A link is strong if its score is at least the median of its group, or above the minimum if that is the median.
    """
    order = np.lexsort((score, labels))
    groups, starts, sizes = np.unique(labels[order], return_index=True, return_counts=True)
    least, median, most = (score[order[starts + place]] for place in (0, sizes // 2, sizes - 1))
    group = np.searchsorted(groups, labels)
    strong = np.where((least < median)[group], score >= median[group], score > least[group])
    return strong, groups[least == most]


def groups_of(members: Codes, labels: Codes) -> list[Codes]:
    """Groups the members by label. The groups are in order of label."""
    return _split(members[np.argsort(labels[members], kind="stable")], labels)


def pairs_between(groups: list[Codes]) -> tuple[Codes, Codes, Codes]:
    """Pairs sampled members of every two groups.

    Returns left members, right members, and the number of each pair of groups.

    Pairs of groups are numbered in the order of `pairs_within`.
    """
    few = [sampled(group) for group in groups]
    one, two = np.triu_indices(len(groups), 1)
    ends = [np.meshgrid(few[a], few[b], indexing="ij") for a, b in zip(one.tolist(), two.tolist(), strict=True)]
    empty = [np.zeros(0, np.int64)]
    left, right = (np.concatenate(empty + [pair[side].ravel() for pair in ends]) for side in (0, 1))
    return left, right, np.repeat(np.arange(len(ends)), [pair[0].size for pair in ends])


def sampled(group: Codes, sample: int = 5) -> Codes:
    """Returns an evenly spaced sample of at most `sample` members of a group."""
    return group[:: -(-len(group) // sample)]


def pairs_within(groups: list[Codes]) -> tuple[Codes, Codes]:
    """Returns all pairs of members of the same group, group by group."""
    empty = np.zeros(0, np.int64)
    ends = [(group[i], group[j]) for group in groups for i, j in [np.triu_indices(len(group), 1)]]
    left, right = zip(*ends, strict=True) if ends else ((), ())
    return np.concatenate([empty, *left]), np.concatenate([empty, *right])


def average_linkage(members: Codes, score: Floats, many: Codes | None = None) -> list[list[int]]:
    """Groups members by average linkage: merges the two groups with the highest mean score as long as it is above 0.

    `score` has one value per pair of members, in the order of `pairs_within`. A single wrong link between two groups
    does not merge them, unlike in single linkage. `many` is the number of equal records that each member represents.

    >>> average_linkage(np.array([4, 7, 9]), np.array([3.0, 1.0, -9.0]))
    [[4, 7], [9]]
    """
    n = len(members)
    if (score > 0).all():
        return [members.tolist()]
    total = np.full((n, n), -np.inf)
    total[np.triu_indices(n, 1)] = score
    size = np.ones(n) if many is None else many.astype(np.float64)
    total = np.maximum(total, total.T) * np.outer(size, size)
    groups = {place: [member] for place, member in enumerate(members.tolist())}
    while len(groups) > 1:
        mean = total / np.outer(size, size)
        i, j = sorted(np.unravel_index(np.argmax(mean), mean.shape))
        if not mean[i, j] > 0:
            break
        total[i] += total[j]
        total[:, i] += total[:, j]
        total[i, i] = -np.inf
        total[j] = total[:, j] = -np.inf
        size[i] += size[j]
        groups[int(i)] += groups.pop(int(j))
    return [sorted(group) for group in groups.values()]
