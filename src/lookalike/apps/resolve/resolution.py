"""Finds matches and entities in tables: proposes candidates, compares their fields, then scores and groups them."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from lookalike.apps.resolve.calibration import FEWEST, fitted
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
from lookalike.apps.resolve.entities import one_to_one
from lookalike.apps.resolve.evaluation import evaluated
from lookalike.apps.resolve.facts import ResolutionFacts
from lookalike.apps.resolve.grouping import Ends, group_records, least_score, matches_within
from lookalike.apps.resolve.kinds import IDENTIFYING
from lookalike.apps.resolve.labels import Labels
from lookalike.apps.resolve.learn import SAMPLE, Unmatched, learn
from lookalike.apps.resolve.levels import LEVELS, Levels, Weights, levels_of
from lookalike.apps.resolve.points import POINTS, checked, points
from lookalike.apps.resolve.rarity import Bounds, rarity, words_of_codes
from lookalike.apps.resolve.settings import Settings
from lookalike.apps.resolve.shares import spread
from lookalike.apps.resolve.trade_off import alternatives, trade_off
from lookalike.flow.arrays import Mask
from lookalike.flow.progress import Progress, silent
from lookalike.kernel import default
from lookalike.notices import Notice

RANDOM = 10_000
"""The number of random pairs that are compared to learn what pairs that do not match look like."""
TOP = 10
"""The number of neighbours per record among which the weights are learned, whatever `top` is. The same pair of records
therefore has the same score for any `top`.
"""
RIVALS = 10_000
"""At least this many records of a larger table, evenly spaced, are examined for how near their neighbours are."""
FEW_MATCHES = 20
"""If fewer matches than this are expected, a warning is given, because the weights depend on very few pairs."""


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
        return self.calibrated(self.learned_score(left, right, levels))

    def learned_score(self, left: Codes, right: Codes, levels: Levels | None = None) -> Floats:
        """Returns the log odds of each pair by the learned weights, before calibration."""
        assert self.settings.weights is not None
        if levels is None:
            levels = self.levels(left, right)
        bounds = self.bounds(left, right, levels)
        score = bounds.applied(self.settings.weights.score(levels), self.settings.weights.matches)
        return np.asarray(score + self.sharing(left, right))

    def calibrated(self, score: Floats) -> Floats:
        """Returns learned log odds as the labels changed them; the same without labels."""
        line = self.settings.calibration
        return np.asarray(score if line is None else line.applied(score))


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
    blocks: Candidates | None = None,
    labels: Labels | None = None,
) -> Resolution:
    """Runs all steps, from columns to entities.

    `days` is an independent date per record, to check the points. `blocks` are candidates by rules of the user, and
    `labels` pairs of which the user knows whether they match.
    """
    facts, clock = ResolutionFacts(), _Clock()
    progress("index", 0, None)
    comparer = Comparer(columns, settings, split, threads)
    facts.records = comparer.records
    sides = comparer.records if split is None else max(split, comparer.records - split)
    facts.predicted = int(min(comparer.total, comparer.records * settings.top * (2 if comparer.grams else 1)))
    top = min(settings.top, max(1, sides))
    found = blocks
    if found is None:
        words, grams = comparer.words, comparer.grams
        found = propose(words, grams, comparer.alike, split, top=top, threads=threads, progress=progress)
    else:
        facts.predicted = len(found)
    usual = min(TOP, max(1, sides))
    near = found  # the nearest records, from which weights are learned, and to which rivals belong
    if settings.method == "weights" and blocks is not None and (settings.weights is None or settings.one_to_one):
        near = propose(comparer.words, comparer.grams, comparer.alike, split, top=usual, threads=threads)
    if settings.one_to_one and settings.method == "weights":
        cosine = comparer.cosine(near.left, near.right)
        comparer.best = best_of(comparer.records, near.left, near.right, cosine)
    facts.candidates = facts.compared = len(found)
    clock.stop("propose", facts)
    progress("compare", 0, len(found))
    levels = comparer.levels(found.left, found.right, progress) if settings.method == "weights" else None
    clock.stop("compare", facts)
    learned = settings.method == "weights" and settings.weights is None
    if learned and levels is not None:
        progress("learn", 0, None)
        if top != usual and blocks is None:
            near = propose(comparer.words, comparer.grams, comparer.alike, split, top=usual, threads=threads)
        of_near = levels if near is found else comparer.levels(near.left, near.right)
        weights = _learn(near, of_near, comparer, progress)
        comparer.settings = settings = replace(settings, weights=weights)
        if weights.matches < FEW_MATCHES:
            few = round(weights.matches)
            facts.warnings.append(Notice("few-matches", matches=few) if few else Notice("no-matches-to-learn-from"))
    if labels is not None and settings.method == "weights":
        settings = _calibrate(comparer, labels, facts)
    clock.stop("learn", facts)
    score = comparer.score(found.left, found.right, levels)
    if days is not None:
        points_of, most = score + settings.threshold, POINTS * len(settings.fields)
        facts.checked = checked(points_of, most, found.left, found.right, days, split)
    if settings.method == "weights":
        facts.thresholds = trade_off(alternatives(found.left, found.right, score, settings.one_to_one))
    likely = score > least_score(settings)
    if blocks is None:
        facts.warnings += _limit_warnings(comparer, found, likely, settings.top)
    elif not len(blocks):
        facts.warnings.append(Notice("no-candidates"))
    left, right, score, ways = found.left[likely], found.right[likely], score[likely], found.ways[likely]
    facts.recall = estimated_recall(ways) if found.by_grams else None
    progress("group", 0, None)
    if split is not None:
        kept = one_to_one(left, right, score) if settings.one_to_one else np.arange(len(left))
        left, right, score = left[kept], right[kept], score[kept]
        entity = np.arange(comparer.records)
        entity[right] = np.minimum(entity[right], left)
    else:
        entity, compared = group_records(comparer, left, right, score)
        facts.compared += _new_pairs(found, *compared, comparer.records)
        left, right, score = matches_within(comparer, entity)
        if facts.recall is not None and len(left):
            facts.recall *= float(_are_candidates(found, left, right, comparer.records).mean())
    clock.stop("group", facts)
    if (
        learned
        and settings.weights is not None
        and 2 * len(left) < (expected := settings.weights.matches) >= FEW_MATCHES
    ):
        code = "fewer-matches-than-expected" if blocks is None else "candidates-miss-matches"
        facts.warnings.append(Notice(code, matches=len(left), expected=round(expected)))
    if labels is not None:
        pairs = left * comparer.records + right
        reported = np.isin(labels.left * comparer.records + labels.right, pairs)
        if split is None:  # of a large entity, some pairs are not listed
            reported = entity[labels.left] == entity[labels.right]
        facts.evaluation = evaluated(labels.matches, reported, settings.calibration is not None)
    return Resolution(comparer, left, right, score, entity, facts)


def _calibrate(comparer: Comparer, labels: Labels, facts: ResolutionFacts) -> Settings:
    """Calibrates the scores of the comparer by labels, unless there are too few. Returns the settings with the result.

    Without enough labels, an earlier calibration stays.
    """
    settings = comparer.settings
    comparer.settings = replace(settings, calibration=None)
    line = fitted(comparer.score(labels.left, labels.right), labels.matches)
    if line is None:
        matches = int(labels.matches.sum())
        facts.warnings.append(Notice("too-few-labels", matches=matches, others=len(labels) - matches, fewest=FEWEST))
    comparer.settings = replace(settings, calibration=line or settings.calibration)
    return comparer.settings


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
    own = [one for one in settings.fields if one.kind != "codes"]  # codes in texts are not independent of the texts
    if len(own) <= 2:  # three fields that agree for different reasons can be told apart without bounds
        bounds = comparer.bounds(left, right, levels[chosen])
        bounds = replace(bounds, total=bounds.total * max(1, len(chosen)) / max(1, len(found)))
    unmatched = None
    if settings.one_to_one and comparer.split is not None:
        share = len(chosen) / max(1, len(found))
        sizes = comparer.split * share, (comparer.records - comparer.split) * share
        unmatched = Unmatched(_rivalry_within(comparer), sizes)
    random = comparer.levels(*_random_pairs(comparer.records, comparer.split)) if len(found) else None
    learned = learn(
        levels[chosen],
        loose,
        (left, right) if settings.one_to_one else None,
        bounds,
        progress,
        random,
        (left, right),
        unmatched,
    )
    return replace(learned, matches=learned.matches * len(found) / max(1, len(chosen)))


def _rivalry_within(comparer: Comparer) -> Floats:
    """Returns the share of pairs at each level of rivalry, among candidates within the smaller of two tables.

    Records of one table do not match each other if matches are one-to-one.
    """
    split = comparer.split or 0
    rows = np.arange(split) if 2 * split <= comparer.records else np.arange(split, comparer.records)
    rows = rows[:: max(1, len(rows) // RIVALS)]
    words, grams = comparer.words.of_rows(rows), comparer.grams and comparer.grams.of_rows(rows)
    found = propose(words, grams, np.arange(len(rows)), None, top=min(TOP, max(1, len(rows))), threads=comparer.threads)
    apart = comparer.alike[rows[found.left]] != comparer.alike[rows[found.right]]
    left, right = found.left[apart], found.right[apart]
    cosine = comparer.cosine(rows[left], rows[right])
    best = best_of(len(rows), left, right, cosine)
    levels = levels_of(rivalry(best, left, right, cosine))
    return np.asarray(spread(levels[:, None], np.ones(len(left)))[0])


def _random_pairs(records: int, split: int | None) -> Ends:
    """Returns pairs of different rows, chosen at random."""
    draw = np.random.default_rng(0)
    one = draw.integers(0, records if split is None else split, RANDOM)
    two = draw.integers(0 if split is None else split, records, RANDOM)
    apart = one != two
    return np.minimum(one, two)[apart], np.maximum(one, two)[apart]


def _are_candidates(found: Candidates, left: Codes, right: Codes, records: int) -> Mask:
    """Returns which pairs of rows, left < right, are candidates."""
    here = np.zeros(records, bool)
    here[left] = here[right] = True
    near = here[found.left] & here[found.right]
    return np.isin(left * records + right, found.left[near] * records + found.right[near])


def _new_pairs(found: Candidates, left: Codes, right: Codes, records: int) -> int:
    """Returns how many of the pairs are distinct and no candidates."""
    pairs = np.unique(np.minimum(left, right) * records + np.maximum(left, right))
    return int((~_are_candidates(found, *np.divmod(pairs, records), records)).sum())


class _Clock:
    def __init__(self) -> None:
        self.began = time.perf_counter()

    def stop(self, stage: str, facts: ResolutionFacts) -> None:
        now = time.perf_counter()
        facts.seconds[stage] = facts.seconds.get(stage, 0.0) + now - self.began
        self.began = now


__all__ = ["Comparer", "Resolution", "settle"]
