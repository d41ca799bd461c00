"""Finds pairs of prints that may come from the same finger, wherever and however the finger touched the scanner.

Prints with similar neighbourhoods become candidates. Each candidate pair is then aligned: the prints match if, after a
rotation and a shift, many minutiae coincide, and have similar neighbourhoods.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lookalike.apps.fingerprints.minutiae import Print, restored_prints, stored_prints
from lookalike.apps.fingerprints.neighbourhoods import SIMILAR, TOLERANCE, How, describe
from lookalike.apps.fingerprints.pairs import PrintPairs
from lookalike.flow.arrays import Rows
from lookalike.kernel import default
from lookalike.kernel.prints import Described, Votes
from lookalike.notices import Notice
from lookalike.results.restoring import MOST_ROWS, checked
from lookalike.results.summary import Summary

if TYPE_CHECKING:
    from lookalike.results.saved import SavedTables

THRESHOLD = 0.65
"""The default threshold. On real prints, hardly any pair of different fingers reaches it."""

SAMPLE = 200
"""The maximum number of prints from which a number of votes, or the sense of angles, is learned."""

CERTAIN = 4096
"""Votes of pairs that are aligned in order to learn the sense of angles: as many as those of two equal neighbourhoods
(or several similar ones)."""

FEWEST = 400
"""The minimum number of pairs with mirror images from which a number of votes can be learned. With fewer pairs, every
pair with a vote is a candidate, because there is little to compare anyway."""


@dataclass(frozen=True, eq=False, kw_only=True)
class AlignedMatches(PrintPairs):
    """Pairs of prints that match under some rotation and shift, the most similar first.

    `similarity` is s / (1 + s), where s is the sum of the similarities of paired minutiae, times the share of minutiae
    that are paired in the area that both prints show.
    """

    paired: Rows
    """For each pair, the number of minutiae that coincide after the alignment."""
    rotation: npt.NDArray[np.float64]
    """The angle by which the right print is turned about the origin, in degrees anticlockwise (−180 to 180)."""
    shift_x: npt.NDArray[np.float64]
    """How far the right print is then moved to the right, in millimetres."""
    shift_y: npt.NDArray[np.float64]
    """How far the right print is then moved downwards, in millimetres."""
    votes: int
    """The number of votes that candidates exceed. A similarity of 1 between two neighbourhoods counts as 4096."""

    def __repr__(self) -> str:
        return f"AlignedMatches({len(self):,} pairs of {self.candidates:,} candidates)"

    def to_arrow(self) -> pa.Table:
        return pa.table(
            {
                "left": self.left,
                "right": self.right,
                "similarity": pa.array(self.similarity, pa.float64()),
                "paired": pa.array(self.paired, pa.int64()),
                "rotation": pa.array(self.rotation, pa.float64()),
                "shift_x": pa.array(self.shift_x, pa.float64()),
                "shift_y": pa.array(self.shift_y, pa.float64()),
            }
        )

    def _facts(self) -> dict[str, Any]:
        return {"votes": self.votes}

    def _stored(self) -> dict[str, pa.Table]:
        names = ("left_rows", "right_rows", "similarity", "paired", "rotation", "shift_x", "shift_y")
        found = pa.table({name: getattr(self, name) for name in names})
        gallery = {} if self.within else {"gallery": stored_prints(self.gallery)}
        return {"matches": found, "prints": stored_prints(self.prints), **gallery}

    @classmethod
    def _restored(cls, facts: Mapping[str, Any], tables: SavedTables, summary: Summary) -> AlignedMatches:
        prints = restored_prints(tables["prints"])
        gallery = restored_prints(tables["gallery"]) if "gallery" in tables else prints
        return cls(
            left_rows=tables.rows("matches", "left_rows", len(prints)),
            right_rows=tables.rows("matches", "right_rows", len(gallery)),
            similarity=tables.array("matches", "similarity"),
            paired=tables.rows("matches", "paired", MOST_ROWS),
            rotation=tables.array("matches", "rotation"),
            shift_x=tables.array("matches", "shift_x"),
            shift_y=tables.array("matches", "shift_y"),
            prints=prints,
            gallery=gallery,
            votes=checked(facts, votes=int)["votes"],
            summary=summary,
        )


def match_unaligned(
    prints: Sequence[Print],
    gallery: Sequence[Print] | None = None,
    *,
    threshold: float = THRESHOLD,
    false_candidates: float = 0.05,
    angles: str = "auto",
    seed: int = 0,
    threads: int = 1,
) -> AlignedMatches:
    """Finds the pairs whose similarity after the best alignment is at least `threshold`.

    About `false_candidates` of the pairs of different fingers are aligned; see `votes_of_mirrored`. `angles` is
    `anticlockwise`, as in ISO/IEC 19794-2, `clockwise`, or `auto`; see `seem_clockwise`.
    """
    began = time.perf_counter()
    every, how = [*prints, *(gallery or [])], How(seed, angles == "clockwise", threads)
    if angles == "auto":
        how = replace(how, clockwise=seem_clockwise(prints, gallery, how))
    one = describe(prints, how)
    two = None if gallery is None else describe(gallery, how)
    least = votes_of_mirrored(every, false_candidates, how)
    found = candidates(one, two, least, threads)
    proposed = time.perf_counter()
    aligned = default(threads).align_prints(one, one if two is None else two, found.left, found.right, TOLERANCE)
    similarity = aligned.strength / (1 + aligned.strength)
    order = np.lexsort((found.right, found.left, -similarity))
    order = order[similarity[order] >= threshold]
    return AlignedMatches(
        left_rows=found.left[order],
        right_rows=found.right[order],
        similarity=similarity[order],
        paired=aligned.paired[order],
        # rounded because arcus functions differ between processors in the last bit
        rotation=np.rad2deg(np.arctan2(aligned.sine[order], aligned.cosine[order])).round(9),
        shift_x=aligned.x[order],
        shift_y=-aligned.y[order],  # y grows downwards in prints
        prints=prints,
        gallery=prints if gallery is None else gallery,
        votes=least,
        summary=Summary(
            documents=len(every),
            candidates=len(found.left),
            checked=len(found.left),
            pairs=len(order),
            seconds={"candidates": proposed - began, "align": time.perf_counter() - proposed},
            warnings=_warnings(every, one, two, how.clockwise and angles == "auto"),
        ),
    )


def candidates(one: Described, two: Described | None, least: int, threads: int) -> Votes:
    """Returns the pairs of prints with more than `least` votes."""
    numerator, denominator = SIMILAR
    return default(threads).print_votes(one, two, numerator=numerator, denominator=denominator, least=least)


def votes_of_mirrored(prints: Sequence[Print], share: float, how: How) -> int:
    """Returns the number of votes that at most this share of the pairs of a print and a mirror image exceed.

    The mirror image of a print has as many minutiae as a print, as dense and as regular, but it is of no finger. How
    often mirror images get many votes therefore shows how often prints of different fingers do.
    """
    sample = [prints[row] for row in np.unique(np.linspace(0, len(prints) - 1, min(len(prints), SAMPLE)).astype(int))]
    pairs = len(sample) ** 2
    if pairs < FEWEST:
        return 0
    found = candidates(describe(sample, how), describe(sample, how, mirrored=True), 0, how.threads).votes
    allowed = int(share * pairs)
    return int(np.sort(found)[-allowed - 1]) if allowed < len(found) else 0


def seem_clockwise(prints: Sequence[Print], gallery: Sequence[Print] | None, how: How) -> bool:
    """Returns whether many more of the first prints match if their angles are taken as clockwise.

    Some programs write clockwise angles, or positions with y growing upwards. If prints are rotated, few of them match
    when angles are read in the wrong sense.
    """
    some, others = prints[:SAMPLE], None if gallery is None else gallery[:SAMPLE]
    counts = []
    for clockwise in (False, True):
        read = replace(how, clockwise=clockwise)
        one = describe(some, read)
        two = None if others is None else describe(others, read)
        found = candidates(one, two, CERTAIN, how.threads)
        aligned = default(how.threads).align_prints(
            one, one if two is None else two, found.left, found.right, TOLERANCE
        )
        counts.append(int(np.count_nonzero(aligned.strength / (1 + aligned.strength) >= THRESHOLD)))
    return counts[1] >= 5 and counts[1] > 3 * counts[0]


def _warnings(prints: Sequence[Print], one: Described, two: Described | None, clockwise: bool) -> tuple[Notice, ...]:
    found = [Notice("angles-taken-as-clockwise")] if clockwise else []
    few = [print_.name for print_ in prints if len(print_) < 2]
    if few:
        found.append(Notice("prints-with-few-minutiae", count=len(few), first=few[0]))
    sets = [one.sets] if two is None else [one.sets, two.sets]
    if 10 * sum(int(side.any(axis=1).sum()) for side in sets) < sum(map(len, sets)):
        found.append(Notice("minutiae-far-apart"))
    return tuple(found)
