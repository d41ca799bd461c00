"""Decides which candidates are copies, by comparing their thumbnails.

A transparent picture is similar to another one only if both look alike on white and on black. It is similar to an
opaque picture if it looks like it on white, on black or without its transparency.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lookalike.apps.images.alignment import Stack
from lookalike.apps.images.candidates import Candidates, find_candidates
from lookalike.apps.images.codes import BITS
from lookalike.apps.images.detail import LIMIT, compare_in_detail
from lookalike.apps.images.likeness import Likeness, Values, compare, half_lights, plausible
from lookalike.apps.images.sheets import Sheets
from lookalike.apps.images.thumbnails import BLACK, GROUNDS, OPAQUE, SIDE, WHITE, Thumbnails, turned
from lookalike.flow.arrays import Mask, Rows
from lookalike.flow.progress import Progress, silent

AT_ONCE = 128
"""The number of pairs that are compared at a time."""

IN_MEMORY = 100_000
"""The maximum number of thumbnails whose lights are kept in memory, 2 KiB each."""

WORST = 0.4
"""The minimum similarity of the windows that agree least (`Likeness.worst`)."""

DECIMALS = 4
"""Similarities are rounded to so many places, so that rounding errors do not decide which of them are 1."""

COLOUR = 10.0
"""The maximum difference of colour, in levels. Pictures of fewer than 8 frequencies must agree better (`accepted`)."""


STRETCH = 1.25
"""The maximum ratio of two pictures' shapes (width divided by height), with room for crops and rounding. Beyond it, a
picture was stretched."""

MANY_FACTS = 20
"""The minimum number of frequencies of stretched copies."""


@dataclass(frozen=True)
class Match:
    """Two pictures that are similar, by number."""

    left: int
    right: int
    similarity: float
    turned: int
    """By how many degrees the left picture is turned, anticlockwise, to look like the right one."""
    brightness: float
    """The light of the right picture divided by that of the left one."""


def accepted(likeness: Likeness, threshold: float, stretched: Mask) -> Mask:
    """Returns which pairs are copies.

    `stretched` are pairs of pictures of different shapes, such as a photograph that was squeezed into a square. They
    have to agree better.

    A picture that consists of few frequencies, such as a gradient or a flag, looks like many others in another
    brightness. Its colours must agree the better, the simpler it is.
    """
    colours = np.minimum(COLOUR, 2 + likeness.facts)
    good = (
        (np.round(likeness.similarity, DECIMALS) >= threshold)
        & (likeness.worst >= WORST)
        & (likeness.colour <= colours)
    )
    sure = (likeness.similarity >= 0.95) & (likeness.worst >= 0.7) & (likeness.facts >= MANY_FACTS)
    return good & (sure | ~stretched)


def find_matches(
    thumbnails: Thumbnails,
    paths: Sequence[Path],
    *,
    threshold: float,
    threads: int,
    progress: Progress = silent,
) -> tuple[list[Match], int]:
    """Finds all pairs of similar pictures. Also returns the number of candidates. `paths` are those of all pictures."""
    candidates = find_candidates(thumbnails, threads, progress)
    cases = cases_of(thumbnails, candidates)
    likeness = measure(thumbnails, cases, threads, progress)
    good = accepted(likeness, threshold, stretched(thumbnails, cases))
    good &= agrees_in_detail(thumbnails, Sheets(paths), cases, likeness, good, threads, progress)
    return best_matches(thumbnails, cases, likeness, good), len(candidates.source)


@dataclass(frozen=True)
class Cases:
    """What is compared: each case consists of one or two pairs of thumbnails, all of which must be similar."""

    case: Rows
    """The number of the case of each pair."""
    source: Rows
    target: Rows
    turns: Rows
    crop: Rows


def cases_of(thumbnails: Thumbnails, found: Candidates) -> Cases:
    opaque = GROUNDS.index(OPAQUE)
    both = (thumbnails.ground[found.source] != opaque) & (thumbnails.ground[found.target] != opaque)
    single = np.flatnonzero(~both)
    columns = [column[single] for column in (found.source, found.target, found.turns, found.crop)]
    rows = [np.column_stack([np.arange(len(single)), *columns])]
    first = np.full(int(thumbnails.picture.max(initial=-1)) + 1, -1, np.int64)
    first[thumbnails.picture[::-1]] = np.arange(len(thumbnails))[::-1]  # the first thumbnail of each picture
    pairs: dict[tuple[int, int, int], tuple[int, int]] = {}
    for at in np.flatnonzero(both).tolist():
        key = (
            int(thumbnails.picture[found.source[at]]), int(thumbnails.picture[found.target[at]]), int(found.turns[at])
        )  # fmt: skip
        pairs[key] = min(pairs.get(key, (BITS, 0)), (int(found.differing[at]), int(found.crop[at])))
    for number, ((one, two, turns), (_, crop)) in enumerate(pairs.items(), len(single)):
        for ground in (WHITE, BLACK):
            step = GROUNDS.index(ground) - 1  # the grounds of a transparent picture follow each other
            source, target = first[one] + step, first[two] + step
            if thumbnails.detailed[source] or thumbnails.detailed[target]:
                rows.append(np.array([[number, source, target, turns, crop]]))
    return Cases(*np.concatenate(rows).T)


def measure(thumbnails: Thumbnails, cases: Cases, threads: int, progress: Progress = silent) -> Likeness:
    """Compares all pairs. Those that cannot be similar are only looked at in a small size, and have similarity 0."""
    count = len(cases.source)
    values = [np.zeros(count) for _ in Likeness._fields]
    values[Likeness._fields.index("colour")] += np.inf
    smaller = np.minimum(thumbnails.width, thumbnails.height)
    smaller = np.minimum(smaller[cases.source], smaller[cases.target])
    order = np.argsort(cases.source, kind="stable")
    lights = _lights_of(thumbnails)

    def compared(start: int) -> tuple[Rows, Likeness]:
        rows = order[start : start + AT_ONCE]
        sources = turned(lights(cases.source[rows]), cases.turns[rows])
        rows = rows[plausible(sources, lights(cases.target[rows]), cases.crop[rows])]
        source = turned(thumbnails.pixels[cases.source[rows]], cases.turns[rows])
        target = thumbnails.pixels[cases.target[rows]]
        parts = [(np.zeros(0, np.int64), Likeness(*[np.zeros(0)] * len(Likeness._fields)))]
        sides = compared_side(smaller[rows])
        for side in np.unique(sides).tolist():
            of = np.flatnonzero(sides == side)
            parts.append((rows[of], compare(source[of], target[of], cases.crop[rows[of]], smaller[rows[of]], side)))
        columns = zip(*(likeness for _, likeness in parts), strict=True)
        return np.concatenate([found for found, _ in parts]), Likeness(*map(np.concatenate, columns))

    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, count, AT_ONCE * 64):
            progress("verify", first, count)
            starts = range(first, min(first + AT_ONCE * 64, count), AT_ONCE)
            for rows, likeness in pool.map(compared, starts):
                for column, part in zip(values, likeness, strict=True):
                    column[rows] = part
    progress("verify", count, count)
    return Likeness(*values)


def _lights_of(thumbnails: Thumbnails) -> Callable[[Rows], Stack]:
    """Returns a function of rows that returns their lights in half size, from a table unless there are too many."""
    if len(thumbnails) > IN_MEMORY:
        return lambda rows: half_lights(thumbnails.pixels[rows])
    parts = [half_lights(thumbnails.pixels[i : i + AT_ONCE]) for i in range(0, max(1, len(thumbnails)), AT_ONCE)]
    table = np.concatenate(parts).astype(np.float16)
    return lambda rows: table[rows].astype(np.float32)


def agrees_in_detail(
    thumbnails: Thumbnails,
    sheets: Sheets,
    cases: Cases,
    likeness: Likeness,
    good: Mask,
    threads: int,
    progress: Progress = silent,
) -> Mask:
    """Returns which of the pairs that are good so far also agree in nearly full size.

    A picture that can no longer be read is judged by its thumbnail alone.
    """
    fits = np.column_stack([likeness.across, likeness.right, likeness.down, likeness.below])
    refused = np.bincount(cases.case[~good], minlength=int(cases.case.max(initial=-1)) + 1) > 0
    rows = np.flatnonzero(good & ~refused[cases.case])
    rows = rows[np.argsort(cases.source[rows], kind="stable")]

    def agrees(row: int) -> bool:
        source, target = (
            sheets.read(int(thumbnails.picture[one]), int(thumbnails.ground[one]))
            for one in (cases.source[row], cases.target[row])
        )
        if source is None or target is None:
            return True
        turned = source.turned(int(cases.turns[row]))
        return compare_in_detail(turned, target, fits[row], float(likeness.brightness[row])).worst <= LIMIT

    same = good.copy()
    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, len(rows), AT_ONCE):
            progress("compare in detail", first, len(rows))
            some = rows[first : first + AT_ONCE]
            same[some] = list(pool.map(agrees, some.tolist()))
    progress("compare in detail", len(rows), len(rows))
    return same


def stretched(thumbnails: Thumbnails, cases: Cases) -> Mask:
    """Returns which pairs have different shapes, after the source was turned."""
    shape = np.log(thumbnails.shape)
    own = shape[cases.source] * np.where(cases.turns % 2 == 0, 1, -1)
    return np.asarray(np.abs(own - shape[cases.target]) > np.log(STRETCH))


def compared_side(smaller: Rows) -> Rows:
    """Returns at how many pixels pictures are compared whose smaller side has so many.

    A pixel that is compared is the mean of at least 1.25² pixels of the smaller picture, because single pixels of
    small pictures change when they are recompressed or scaled.
    """
    return np.where(smaller >= 1.5 * SIDE, SIDE, np.where(smaller >= 1.25 * SIDE / 2, SIDE // 2, SIDE // 4))


def best_matches(thumbnails: Thumbnails, cases: Cases, likeness: Likeness, good: Mask) -> list[Match]:
    """Returns the best match of each pair of pictures."""
    total = int(cases.case.max(initial=-1)) + 1
    bad = np.bincount(cases.case[~good], minlength=total) > 0
    similarity: Values = np.ones(total)
    np.minimum.at(similarity, cases.case, likeness.similarity)
    found: dict[tuple[int, int], Match] = {}
    seen = np.zeros(total, bool)
    for at in range(len(cases.case)):
        case = int(cases.case[at])
        if bad[case] or seen[case]:
            continue
        seen[case] = True
        one, two = int(thumbnails.picture[cases.source[at]]), int(thumbnails.picture[cases.target[at]])
        turns, brightness = int(cases.turns[at]), float(likeness.brightness[at])
        if one > two:
            one, two, turns, brightness = two, one, -turns % 4, 1 / brightness
        match = Match(one, two, min(round(float(similarity[case]), DECIMALS), 1.0), 90 * turns, round(brightness, 2))
        known = found.get((one, two))
        if known is None or (match.similarity, -match.turned) > (known.similarity, -known.turned):
            found[one, two] = match
    return [found[pair] for pair in sorted(found)]
