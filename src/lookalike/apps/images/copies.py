"""Finds exact copies: files with the same bytes, and files whose pixels are the same in another format."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from lookalike.apps.images.collection import Collection, Picture
from lookalike.apps.images.decode import pixel_digest, quiet
from lookalike.apps.images.matching import Match

NEARLY = 0.98
"""Pairs of the same size with at least this similarity may have the same pixels. A thumbnail of a JPEG file is made
from a smaller version of the picture, so it can differ from that of a lossless copy."""

MOST_COPIES = 100
"""Of more files with the same bytes, each is paired only with the first one, because pairs grow with the square."""


def with_same_pixels(
    collection: Collection, matches: Sequence[Match], *, most: int, threads: int
) -> set[tuple[int, int]]:
    """Returns the pairs of pictures whose pixels are all equal: among similar pairs, and among plain pictures."""
    pictures = collection.pictures
    similar = [
        (match.left, match.right)
        for match in matches
        if match.similarity >= NEARLY
        and not match.turned
        and not (pictures[match.left].several or pictures[match.right].several)
        and _size(pictures[match.left]) == _size(pictures[match.right])
    ]
    plain = _plain(collection)
    needed = sorted({number for some in (*similar, *plain) for number in some})

    def digest(number: int) -> bytes | None:
        try:
            return pixel_digest(pictures[number].path.read_bytes(), most)
        except OSError:
            return None

    with quiet(), ThreadPoolExecutor(threads) as pool:
        digests = dict(zip(needed, pool.map(digest, needed), strict=True))
    equal = {(one, two) for one, two in similar if digests[one] is not None and digests[one] == digests[two]}
    for some in plain:
        first: dict[bytes, int] = {}
        for number in some:
            known = digests[number]
            if known is not None and (earlier := first.setdefault(known, number)) != number:
                equal.add((earlier, number))
    return equal


def _size(picture: Picture) -> tuple[int, int]:
    return picture.width, picture.height


def _plain(collection: Collection) -> list[list[int]]:
    """Returns groups of plain pictures with the same thumbnail and size, each in ascending order."""
    thumbnails = collection.thumbnails
    groups: dict[tuple[bytes, int, int], list[int]] = defaultdict(list)
    for row in np.flatnonzero(~thumbnails.detailed).tolist():
        picture = int(thumbnails.picture[row])
        if not collection.pictures[picture].several:
            key = thumbnails.pixels[row].tobytes(), int(thumbnails.width[row]), int(thumbnails.height[row])
            groups[key].append(picture)
    return [sorted(set(some)) for some in groups.values() if len(set(some)) > 1]


def with_byte_copies(pictures: Sequence[Picture], matches: Iterable[Match]) -> list[tuple[Match, bool]]:
    """Adds the pairs of files with the same bytes, and repeats every match for the copies of both pictures.

    Returns pairs of a match and whether its files have the same bytes.
    """
    alike: dict[int, list[int]] = defaultdict(list)
    for number, picture in enumerate(pictures):
        if picture.problem is None:
            alike[number if picture.copy_of is None else picture.copy_of].append(number)
    found: list[tuple[Match, bool]] = []
    for members in alike.values():
        many = len(members) > MOST_COPIES
        pairs = [(members[0], other) for other in members[1:]] if many else _pairs(members)
        found += [(Match(one, two, 1.0, 0, 1.0), True) for one, two in pairs]
    for match in matches:
        left, right = (alike[one] if len(alike[one]) <= MOST_COPIES else [one] for one in (match.left, match.right))
        for one in left:
            for two in right:
                found.append((_between(match, one, two), False))
    found.sort(key=lambda one: (one[0].left, one[0].right))
    return found


def _pairs(members: list[int]) -> list[tuple[int, int]]:
    return [(one, two) for at, one in enumerate(members) for two in members[at + 1 :]]


def _between(match: Match, one: int, two: int) -> Match:
    """Returns the match for other files with the same bytes."""
    if one < two:
        return Match(one, two, match.similarity, match.turned, match.brightness)
    return Match(two, one, match.similarity, -match.turned % 360, round(1 / max(match.brightness, 0.01), 2))
