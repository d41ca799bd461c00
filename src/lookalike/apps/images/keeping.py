"""Suggests which pictures to keep: every other one has a copy among them. No file is removed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from lookalike.apps.images.collection import Picture

LOSSLESS = ("PNG", "TIFF", "BMP", "PPM", "GIF", "QOI", "TGA")


def choose(pictures: Sequence[Picture], pairs: Iterable[tuple[int, int]], keep: str) -> list[int]:
    """Returns, for each picture, the number of the picture that is kept in its place; its own number if it is kept.

    Pictures are considered in the order of preference, and a picture is kept unless it is similar to a kept one. So
    each picture that could go is similar to the one that stays, and not only to another one that could go too.

    A file with several pictures, such as an animation, goes only if the kept file has the same bytes, because only its
    first picture was compared.
    """
    near: dict[int, list[int]] = defaultdict(list)
    for one, two in pairs:
        near[one].append(two)
        near[two].append(one)
    kept = list(range(len(pictures)))
    taken = [False] * len(pictures)
    for number in sorted(near, key=lambda number: preference(pictures[number], number, keep)):
        if taken[number]:
            continue
        taken[number] = True
        for other in near[number]:
            if not taken[other] and (not pictures[other].several or _same_bytes(pictures, number, other)):
                taken[other], kept[other] = True, number
    return kept


def _same_bytes(pictures: Sequence[Picture], *numbers: int) -> bool:
    first = {number if (copy := pictures[number].copy_of) is None else copy for number in numbers}
    return len(first) == 1


def preference(picture: Picture, number: int, keep: str) -> tuple[int, ...]:
    """Returns a key that sorts preferred pictures first: the first one, or the one with the most pixels.

    Of two pictures of the same size, one in a lossless format is preferred, and then the larger file.
    """
    if keep == "first":
        return (number,)
    return (-picture.width * picture.height, picture.format not in LOSSLESS, -picture.bytes, number)
