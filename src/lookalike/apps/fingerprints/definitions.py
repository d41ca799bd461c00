"""The search for prints that are not aligned, in plain Python: short, slow, and compared with the kernel in tests."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from lookalike.kernel.prints import Cells, Minutiae, Tolerance

VOTE = 4096
"""The vote of two equal neighbourhoods."""

TURNS = 12
"""Rotations are counted in steps of 30 degrees, two neighbouring steps at a time."""

COARSE = 1.5
"""The tolerance of the first pairing, in tolerances of the later ones."""

FITS = 2
"""How often an alignment is fitted to the paired minutiae."""

LIGHTEST = 1 / 64
"""The weight of paired minutiae whose neighbourhoods have nothing in common."""


class Point(NamedTuple):
    x: float
    y: float
    angle: float
    cosine: float
    sine: float


class Motion(NamedTuple):
    """Turns a point about the origin, and then shifts it."""

    cosine: float
    sine: float
    x: float
    y: float

    def __call__(self, point: Point) -> Point:
        return Point(
            self.cosine * point.x - self.sine * point.y + self.x,
            self.sine * point.x + self.cosine * point.y + self.y,
            math.nan,
            self.cosine * point.cosine - self.sine * point.sine,
            self.sine * point.cosine + self.cosine * point.sine,
        )


class Aligned(NamedTuple):
    strength: float
    paired: int
    motion: Motion


NOT_ALIGNED = Aligned(0.0, 0, Motion(1.0, 0.0, 0.0, 0.0))

Sets: TypeAlias = "list[set[int]]"
Side: TypeAlias = "tuple[list[Point], Sets, list[list[tuple[int, ...]]]]"
"""The minutiae of a print, their neighbourhoods, and the band keys of these."""

Places: TypeAlias = "list[tuple[int, int]]"
Similarities: TypeAlias = "dict[tuple[int, int], float]"


def points_of(minutiae: Minutiae, print_: int) -> list[Point]:
    start, stop = minutiae.offsets[print_ : print_ + 2]
    return [Point(*column) for column in minutiae.points[:, start:stop].T.tolist()]


def neighbourhoods(points: list[Point], cells: Cells) -> Sets:
    """Returns the set of cells around each minutia of one print."""
    places = list(zip(*cells.places.tolist(), strict=True))
    found = []
    for own in points:
        around = set()
        for other in points:
            if other is own:
                continue
            dx, dy = other.x - own.x, other.y - own.y
            x, y = dx * own.cosine + dy * own.sine, dy * own.cosine - dx * own.sine
            turn = _turned(other.angle - own.angle)
            for place, (place_x, place_y) in enumerate(places):
                u, v = x - place_x, y - place_y
                if u * u + v * v > cells.distance * cells.distance:
                    continue
                for sector in range(cells.sectors):
                    middle = (sector + 0.5) * (360 / cells.sectors) - 180
                    if abs(_turned(turn - middle)) <= cells.turn:
                        around.add(sector * len(places) + place)
        found.append(around)
    return found


def _turned(degrees: float) -> float:
    """Returns the same direction from −180 up to 180."""
    if degrees < -180:
        return degrees + 360
    return degrees - 360 if degrees >= 180 else degrees


def band_keys(around: set[int], ranks: list[list[int]], bands: int) -> list[tuple[int, ...]]:
    """Returns, for each band, the smallest ranks of the cells by each hash of the band; none if there are no cells."""
    if not around:
        return []
    hashes = [min(ranks[cell][i] for cell in around) for i in range(len(ranks[0]))]
    rows = len(hashes) // bands
    return [tuple(hashes[band * rows : (band + 1) * rows]) for band in range(bands)]


def votes(one: Side, other: Side, share: tuple[int, int]) -> int:
    """Returns the number of votes for two prints."""
    numerator, denominator = share
    turns: defaultdict[int, int] = defaultdict(int)
    for a, around, keys in zip(*one, strict=True):
        for b, other_around, other_keys in zip(*other, strict=True):
            if not any(key == other_key for key, other_key in zip(keys, other_keys, strict=False)):
                continue
            shared, either = len(around & other_around), len(around | other_around)
            if shared * denominator > either * numerator:
                turn = a.angle - b.angle
                step = int((turn + 360 if turn < 0 else turn) * (TURNS / 360)) % TURNS
                turns[step] += shared * VOTE // either - numerator * VOTE // denominator
    return max(turns[step] + turns[(step + 1) % TURNS] for step in range(TURNS))


def align(one: list[Point], sets: Sets, other: list[Point], other_sets: Sets, tolerance: Tolerance) -> Aligned:
    """Returns the best alignment of two prints. Every pair of similar minutiae suggests one."""
    similarity = {
        (i, j): len(a & b) / len(a | b) if a | b else 0.0 for i, a in enumerate(sets) for j, b in enumerate(other_sets)
    }
    suggested = [
        pair
        for pair in similarity
        if len(sets[pair[0]] & other_sets[pair[1]]) * tolerance.denominator
        > len(sets[pair[0]] | other_sets[pair[1]]) * tolerance.numerator
    ]
    best, paired, tried = NOT_ALIGNED, set[tuple[int, int]](), 0
    for i, j in sorted(suggested, key=lambda pair: (-similarity[pair], pair)):
        if (i, j) in paired or tried == tolerance.tries:
            continue
        tried += 1
        found, pairs = _follow(one, other, i, j, similarity, tolerance)
        paired.update(pairs)
        if found.strength > best.strength:
            best = found
    return best


def _follow(
    one: list[Point], other: list[Point], i: int, j: int, similarity: Similarities, tolerance: Tolerance
) -> tuple[Aligned, Places]:
    """Starts with the motion of one minutia onto its partner, and fits it to all minutiae that then coincide."""
    a, b = one[i], other[j]
    cosine, sine = a.cosine * b.cosine + a.sine * b.sine, a.sine * b.cosine - a.cosine * b.sine
    motion = Motion(cosine, sine, a.x - (cosine * b.x - sine * b.y), a.y - (sine * b.x + cosine * b.y))
    pairs = _paired(one, [motion(point) for point in other], COARSE * tolerance.distance, tolerance)
    for _ in range(FITS):
        fitted = _fitted(one, other, pairs, similarity) if len(pairs) > 1 else None
        if fitted is None:
            return NOT_ALIGNED, []
        motion = fitted
        pairs = _paired(one, [motion(point) for point in other], tolerance.distance, tolerance)
    if len(pairs) < 2:
        return NOT_ALIGNED, []
    moved = [motion(point) for point in other]
    both = float(_inside(one, moved, tolerance.distance)) * _inside(moved, one, tolerance.distance)
    strength = sum(similarity[pair] for pair in pairs) * len(pairs) / math.sqrt(both)
    return Aligned(strength, len(pairs), motion), pairs


def _paired(one: list[Point], moved: list[Point], distance: float, tolerance: Tolerance) -> Places:
    """Pairs minutiae that coincide, the nearest first. No minutia is in two pairs."""
    near, close = distance * distance, []
    for i, a in enumerate(one):
        for j, b in enumerate(moved):
            dx, dy = a.x - b.x, a.y - b.y
            cosine = a.cosine * b.cosine + a.sine * b.sine
            if dx * dx + dy * dy <= near and cosine >= tolerance.cosine:
                close.append(((dx * dx + dy * dy) / near + (1 - cosine) / (1 - tolerance.cosine), i, j))
    pairs: Places = []
    left, right = set(), set()
    for _, i, j in sorted(close):
        if i not in left and j not in right:
            left.add(i)
            right.add(j)
            pairs.append((i, j))
    return pairs


def _fitted(one: list[Point], other: list[Point], pairs: Places, similarity: Similarities) -> Motion | None:
    """Returns the motion with the smallest squared distances between paired minutiae, weighted by their similarity."""
    weights = [max(similarity[pair], LIGHTEST) for pair in pairs]
    total = sum(weights)
    left_x, left_y, right_x, right_y = (
        sum(weight * place for weight, place in zip(weights, places, strict=True)) / total
        for places in (
            [one[i].x for i, _ in pairs], [one[i].y for i, _ in pairs],
            [other[j].x for _, j in pairs], [other[j].y for _, j in pairs],
        )
    )  # fmt: skip
    along = across = 0.0
    for weight, (i, j) in zip(weights, pairs, strict=True):
        x, y, u, v = other[j].x - right_x, other[j].y - right_y, one[i].x - left_x, one[i].y - left_y
        along += weight * (x * u + y * v)
        across += weight * (x * v - y * u)
    length = math.sqrt(along * along + across * across)
    if not length > 0:
        return None
    cosine, sine = along / length, across / length
    return Motion(
        cosine, sine, left_x - (cosine * right_x - sine * right_y), left_y - (sine * right_x + cosine * right_y)
    )


def _inside(some: list[Point], others: list[Point], by: float) -> int:
    """Returns how many minutiae lie in the rectangle around the others, which stands for the area that both show."""
    left, right = min(one.x for one in others), max(one.x for one in others)
    low, high = min(one.y for one in others), max(one.y for one in others)
    return sum(left - by <= one.x <= right + by and low - by <= one.y <= high + by for one in some)
