"""Finds matches and entities in tables: proposes candidates, compares their fields, then scores and groups them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lookalike.apps.resolve.candidates import (
    Candidates,
    best_of,
    estimated_recall,
    has_few_grams,
    propose,
    rivalry,
    tokens_of_records,
)
from lookalike.apps.resolve.columns import Codes, Column, Floats, Tokens, first_alike
from lookalike.apps.resolve.compare import similarities
from lookalike.apps.resolve.entities import (
    LARGEST,
    average_linkage,
    components,
    groups_of,
    one_to_one,
    pairs_between,
    pairs_within,
    sampled,
)
from lookalike.apps.resolve.facts import ResolutionFacts
from lookalike.apps.resolve.kinds import IDENTIFYING
from lookalike.apps.resolve.learn import SAMPLE, learn
from lookalike.apps.resolve.levels import LEVELS, Levels, Weights, levels_of
from lookalike.apps.resolve.points import POINTS, checked, points
from lookalike.apps.resolve.rarity import Bounds, rarity, words_of_codes
from lookalike.apps.resolve.settings import Settings
from lookalike.flow.arrays import Mask
from lookalike.flow.progress import Progress, silent
from lookalike.kernel import default
from lookalike.notices import Notice
from lookalike.results.clusters import connected_components

LISTED = 1000
"""The maximum number of distinct members of an entity for which all pairs are listed. For larger entities, only pairs
with the first member are listed."""
ADOPTING_GROUPS = 20
"""The number of groups, the largest ones, with which the remaining parts of a divided group are compared."""
FEW_MATCHES = 20
"""If fewer matches than this are expected, a warning is given, because the weights depend on very few pairs."""

Ends = tuple[Codes, Codes]
"""Pairs of rows: the left ones, and the right ones."""


class Comparer:
    """Computes similarities, levels and scores of pairs, with the settings and weights of one run."""

    def __init__(self, columns: list[Column], settings: Settings, split: int | None, threads: int) -> None:
        self.columns, self.settings, self.split, self.threads = columns, settings, split, threads
        self.words = tokens_of_records(columns, grams=False)
        self.grams = tokens_of_records(columns, grams=True) if has_few_grams(columns) else None
        self.alike = first_alike(columns)
        """For each record, the first record that equals it."""
        self.copies = _copies(self.alike, split) if settings.one_to_one else np.ones(len(self.alike))
        """For each record, the number of equal records in its table, including itself; 1 if matches are not
        one-to-one."""
        self.best = np.zeros(self.records)
        """For each record, the cosine of its nearest candidate, if matches are one-to-one; otherwise 0."""

    @property
    def records(self) -> int:
        return len(self.words.rows)

    @cached_property
    def rarity(self) -> Floats:
        """The evidence for a match from sharing each word."""
        fields = zip(self.columns, self.settings.fields, strict=True)
        codes = words_of_codes([column for column, one in fields if one.kind in IDENTIFYING])
        return rarity(self.words, self.split, codes)

    @property
    def total(self) -> float:
        """The number of possible pairs, at least 1."""
        n, split = self.records, self.split
        return max(1.0, n * (n - 1) / 2 if split is None else split * (n - split))

    def measure(self, left: Codes, right: Codes) -> Floats:
        """Measures the similarity of each pair in each field, as [pair, field]."""
        columns = zip(self.columns, self.settings.fields, strict=True)
        return np.stack([similarities(column, one.kind, left, right, self.threads) for column, one in columns], axis=1)

    def levels(self, left: Codes, right: Codes, progress: Progress = silent) -> Levels:
        """Returns levels of agreement, as [pair, field].

        One-to-one matching adds a column: the cosine relative to rivals.
        """
        found = []
        for number, (column, one) in enumerate(zip(self.columns, self.settings.fields, strict=True), 1):
            found.append(levels_of(similarities(column, one.kind, left, right, self.threads)))
            progress("compare", len(left) * number // len(self.columns), len(left))
        if self.settings.one_to_one:
            found.append(levels_of(rivalry(self.best, left, right, self.cosine(left, right))))
        return np.stack(found, axis=1)

    def cosine(self, left: Codes, right: Codes) -> Floats:
        """Returns the cosine similarity of each pair of records, over the tokens of all fields together."""
        tokens: Tokens = self.grams or self.words
        common = default(self.threads).shared_weights(tokens.rows, tokens.rows, tokens.weights, left, right)
        return np.asarray(common / np.maximum(tokens.lengths[left] * tokens.lengths[right], 1e-300))

    def sharing(self, left: Codes, right: Codes) -> Floats:
        """Returns the evidence (log odds) against each pair, since equal records of one table share a single match."""
        return np.asarray(-np.log(np.maximum(self.copies[left], self.copies[right])))

    def bounds(self, left: Codes, right: Codes, levels: Levels) -> Bounds:
        """Returns the bounds of each pair's score, based on the rarity of the words that both records contain."""
        common = default(self.threads).shared_weights(self.words.rows, self.words.rows, self.rarity, left, right)
        equal = (levels[:, : len(self.columns)] == LEVELS - 1).all(axis=1)
        return Bounds(np.asarray(common), np.asarray(equal), self.total)

    def score(self, left: Codes, right: Codes, levels: Levels | None = None) -> Floats:
        """Returns the score of each pair: log odds of a match or, with method="points", points minus the threshold."""
        if self.settings.method == "points":
            return points(self.measure(left, right)) - self.settings.threshold
        assert self.settings.weights is not None
        if levels is None:
            levels = self.levels(left, right)
        bounds = self.bounds(left, right, levels)
        score = bounds.applied(self.settings.weights.score(levels), self.settings.weights.matches)
        return np.asarray(score + self.sharing(left, right))


def _copies(alike: Codes, split: int | None) -> Floats:
    sides = np.split(alike, [len(alike) if split is None else split])
    return np.concatenate([np.bincount(side, minlength=1)[side] for side in sides if len(side)]).astype(np.float64)


@dataclass(eq=False)
class Resolution:
    """Matches as pairs of rows, and the entity of each row.

    Rows of a second table are numbered after those of the first.
    """

    comparer: Comparer
    left: Codes
    right: Codes
    score: Floats
    labels: Codes
    facts: ResolutionFacts


def settle(
    columns: list[Column],
    settings: Settings,
    split: int | None,
    threads: int,
    progress: Progress,
    days: Floats | None = None,
) -> Resolution:
    """Runs all steps, from columns to entities. `days` is an independent date per record, to check the points."""
    facts, clock = ResolutionFacts(), _Clock()
    progress("index", 0, None)
    comparer = Comparer(columns, settings, split, threads)
    facts.records = comparer.records
    sides = comparer.records if split is None else max(split, comparer.records - split)
    facts.predicted = int(min(comparer.total, comparer.records * settings.top * (2 if comparer.grams else 1)))
    top = min(settings.top, max(1, sides))
    found = propose(comparer.words, comparer.grams, comparer.alike, split, top=top, threads=threads, progress=progress)
    if settings.one_to_one and settings.method == "weights":
        cosine = comparer.cosine(found.left, found.right)
        comparer.best = best_of(comparer.records, found.left, found.right, cosine)
    facts.candidates = facts.compared = len(found)
    clock.stop("propose", facts)
    progress("compare", 0, len(found))
    levels = comparer.levels(found.left, found.right, progress) if settings.method == "weights" else None
    clock.stop("compare", facts)
    learned = settings.method == "weights" and settings.weights is None
    if learned and levels is not None:
        progress("learn", 0, None)
        weights = _learn(found, levels, comparer, progress)
        comparer.settings = settings = replace(settings, weights=weights)
        if weights.matches < FEW_MATCHES:
            few = round(weights.matches)
            facts.warnings.append(Notice("few-matches", matches=few) if few else Notice("no-matches-to-learn-from"))
    clock.stop("learn", facts)
    score = comparer.score(found.left, found.right, levels)
    if days is not None:
        points_of, most = score + settings.threshold, POINTS * len(settings.fields)
        facts.checked = checked(points_of, most, found.left, found.right, days, split)
    likely = score > _least(settings)
    facts.warnings += _limit_warnings(comparer, found, likely, settings.top)
    left, right, score, ways = found.left[likely], found.right[likely], score[likely], found.ways[likely]
    facts.recall = estimated_recall(ways) if found.by_grams else None
    progress("group", 0, None)
    if split is not None:
        kept = one_to_one(left, right, score) if settings.one_to_one else np.arange(len(left))
        left, right, score = left[kept], right[kept], score[kept]
        labels = np.arange(comparer.records)
        labels[right] = np.minimum(labels[right], left)
    else:
        labels, compared = _group(comparer, left, right, score)
        facts.compared += _new_pairs(found, *compared, comparer.records)
        left, right, score = _within(comparer, labels)
    clock.stop("group", facts)
    if (
        learned
        and settings.weights is not None
        and 2 * len(left) < (expected := settings.weights.matches) >= FEW_MATCHES
    ):
        facts.warnings.append(Notice("fewer-matches-than-expected", matches=len(left), expected=round(expected)))
    return Resolution(comparer, left, right, score, labels, facts)


def _limit_warnings(comparer: Comparer, found: Candidates, likely: Mask, top: int) -> list[Notice]:
    """Returns warnings about matches that may have been missed because of limits."""
    warnings: list[Notice] = []
    if comparer.grams is None:
        warnings.append(Notice("too-much-text-for-grams"))
    alike = comparer.alike
    apart = alike[found.left] != alike[found.right]  # equal records are always candidates
    of_each, all_of_each = (
        np.bincount(np.concatenate([found.left[those], found.right[those]]), minlength=comparer.records)
        for those in (apart & likely, apart)
    )
    full = int(((of_each >= top) & (of_each == all_of_each) & (alike == np.arange(len(alike)))).sum())
    if full:
        warnings.append(Notice("candidate-limit-reached", records=full, top=top))
    return warnings


def _learn(found: Candidates, levels: Levels, comparer: Comparer, progress: Progress) -> Weights:
    settings = comparer.settings
    step = max(1, -(-len(found) // SAMPLE))
    if settings.one_to_one and step > 1:  # rivals must not be separated
        chosen = np.flatnonzero(found.left % step == 0)
    else:
        chosen = np.arange(0, len(found), step)
    loose = [one.kind in ("text", "address") for one in settings.fields]
    loose += [False] * (levels.shape[1] - len(loose))
    left, right = found.left[chosen], found.right[chosen]
    bounds = None
    if len(settings.fields) <= 2:  # three fields that agree for different reasons can be told apart without bounds
        bounds = comparer.bounds(left, right, levels[chosen])
        bounds = replace(bounds, total=bounds.total * max(1, len(chosen)) / max(1, len(found)))
    learned = learn(levels[chosen], loose, (left, right) if settings.one_to_one else None, bounds, progress)
    return replace(learned, matches=learned.matches * len(found) / max(1, len(chosen)))


def _least(settings: Settings) -> float:
    """Returns the score that a match must exceed: the log odds of the threshold or, with points, just below 0."""
    if settings.method == "points":
        return -1e-9
    share = min(max(settings.threshold, 1e-12), 1 - 1e-12)
    return float(np.log(share / (1 - share)))


def _new_pairs(found: Candidates, left: Codes, right: Codes, records: int) -> int:
    """Returns how many of the pairs are distinct and no candidates."""
    here = np.zeros(records, bool)
    here[left] = here[right] = True
    near = here[found.left] & here[found.right]
    pairs = np.unique(np.minimum(left, right) * records + np.maximum(left, right))
    return int((~np.isin(pairs, found.left[near] * records + found.right[near])).sum())


def _group(comparer: Comparer, left: Codes, right: Codes, score: Floats) -> tuple[Codes, Ends]:
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
    within = comparer.score(one, two) - _least(comparer.settings)
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
    least = _least(comparer.settings)
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


def _within(comparer: Comparer, labels: Codes) -> tuple[Codes, Codes, Floats]:
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


class _Clock:
    def __init__(self) -> None:
        self.began = time.perf_counter()

    def stop(self, stage: str, facts: ResolutionFacts) -> None:
        now = time.perf_counter()
        facts.seconds[stage] = facts.seconds.get(stage, 0.0) + now - self.began
        self.began = now


__all__ = ["Comparer", "Resolution", "settle"]
