"""Explains a family, given by name, at a threshold and recall: bands and rows, a table and a drawn curve."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from typing import Any

from lookalike.drawing.text import draw
from lookalike.errors import InvalidOption
from lookalike.families.amplify import Banded, choose_bands
from lookalike.families.base import Family
from lookalike.families.bits import BitSampling
from lookalike.families.hyperplanes import Hyperplanes, Signs
from lookalike.families.minhash import MinHash
from lookalike.families.polytope import CrossPolytope
from lookalike.families.projections import GaussianLines, UnitLines
from lookalike.families.weighted import WeightedMinHash
from lookalike.flow.checks import check_whole

_PLAIN = str.maketrans({"−": "-", "×": "x", "°": " degrees", "∩": "&", "∪": "|", "Σ": "sum ", "ᵢ": "i", "±": "+-"})

NAMES: dict[str, tuple[str, Callable[..., Family]]] = {
    "minhash": ("minhash", MinHash),
    "weighted": ("weighted", WeightedMinHash),
    "bits": ("bits:PLACES", BitSampling),
    "hyperplanes": ("hyperplanes", Hyperplanes),
    "signs": ("signs:DIMENSIONS", Signs),
    "polytope": ("polytope:AXES", CrossPolytope),
    "lines": ("lines:WIDTH", GaussianLines),
    "unit-lines": ("unit-lines:WIDTH:DIMENSIONS", UnitLines),
}
"""Maps each family name to the syntax with its parameters, and to the class."""


def parse_family(text: str) -> Family:
    """Parses a family from its name and parameters, such as `"hyperplanes"`, `"bits:64"` or `"lines:2.5"`.

    >>> parse_family("bits:64"), parse_family("unit-lines:1:3")
    (BitSampling(dimensions=64), UnitLines(width=1.0, dimensions=3))
    """
    name, *numbers = str(text).split(":")
    if name not in NAMES:
        raise InvalidOption("not-one-of", option="family", allowed=[form for form, _ in NAMES.values()], value=text)
    how, make = NAMES[name]
    wanted = how.split(":")[1:]
    optional = name in ("polytope", "unit-lines")  # their last number has a default
    if not (len(wanted) - optional <= len(numbers) <= len(wanted)):
        raise InvalidOption("malformed-family", form=how, value=text)
    try:
        values = [float(n) if kind == "WIDTH" else int(n) for n, kind in zip(numbers, wanted, strict=False)]
    except ValueError:
        raise InvalidOption("malformed-family", form=how, value=text) from None
    return make(*values)


class Explained:
    """The explanation of a family with bands and rows, which are either given or chosen for a recall at a threshold."""

    def __init__(
        self,
        family: Family,
        *,
        threshold: float | None = None,
        distance: float | None = None,
        recall: float | None = None,
        hashes: int | None = None,
        bands: int | None = None,
        rows: int | None = None,
    ) -> None:
        if family.by_distance and (distance is None or threshold is not None):
            raise InvalidOption("family-of-distances", family=repr(family))
        if distance is not None and threshold is not None:
            raise InvalidOption("threshold-and-distance")
        self.family, self.recall = family, 0.99 if recall is None else recall
        if not 0 < self.recall < 1:
            raise InvalidOption("recall-not-below-one", value=self.recall)
        if distance is not None:
            if not distance > 0:
                raise InvalidOption("not-positive", option="distance", value=distance)
            self.probability, self.distance = family.at_distance(distance), distance
            self.at = distance if family.by_distance else family.similarity(distance)
        else:
            self.at = 0.8 if threshold is None else threshold
            self.probability, self.distance = family.collision_probability(self.at), family.distance(self.at)
        self.hashes = 128 if hashes is None else hashes
        for name, value in (("hashes", self.hashes), ("bands", bands), ("rows", rows)):
            if value is not None:
                check_whole(name, value, 1)
        self.given = bands is not None or rows is not None
        self.banded = self._banded(bands, rows)

    def _banded(self, bands: int | None, rows: int | None) -> Banded:
        if self.given:
            bands = bands or max(1, self.hashes // (rows or 1))
            banded = Banded(bands, rows or max(1, self.hashes // bands), self.family)
            if banded.hashes > self.hashes:
                raise InvalidOption(
                    "too-few-hashes", bands=banded.bands, rows=banded.rows, needed=banded.hashes, hashes=self.hashes
                )
            return banded
        best = Banded(self.hashes, 1).collision_probability(self.probability)
        if best < self.recall:
            raise InvalidOption("recall-out-of-reach", hashes=self.hashes, at=self.at, recall=self.recall, best=best)
        chosen = choose_bands(self.probability, self.recall, self.hashes)
        return Banded(chosen.bands, chosen.rows, self.family)

    def _chance(self, x: float) -> float:
        return self.banded.at_distance(x) if self.family.by_distance else self.banded.collision_probability(x)

    def facts(self) -> dict[str, Any]:
        """Returns the numbers in the explanation as plain values, for JSON."""
        x, probability = self.banded.curve(11)
        return {
            "family": repr(self.family),
            "measure": self.family.measure,
            "approximate": self.family.approximate,
            "by_distance": self.family.by_distance,
            "at": self.at,
            "distance": self.distance,
            "recall_wanted": self.recall,
            "recall_expected": self._chance(self.at),
            "bands": self.banded.bands,
            "rows": self.banded.rows,
            "hashes_used": self.banded.hashes,
            "half_point": self.banded.half_point(),
            "steepest_point": self.banded.steepest_point(),
            "curve": [[float(a), float(b)] for a, b in zip(x, probability, strict=True)],
        }

    def text(self, *, ascii: bool = False) -> str:
        """Returns the explanation as text, at most 80 columns wide."""
        f, banded = self.family, self.banded
        kind = "distance" if f.by_distance else "similarity"
        unit = "°" if f.farthest == 180 else ""
        about = (type(f).__doc__ or "").split("\n")[0].replace("`", "")
        place = f"{self.at:g}" if f.by_distance else f"{self.at:g}, a distance of {self.distance:.4g}{unit}"
        settings = [
            ("family", f"{f!r}: {about}" + (" An approximation." if f.approximate else "")),
            ("measure", f"{f.measure} {kind}"),
            ("threshold", f"{place}; one hash function agrees there with probability {self.probability:.4f}"),
            (
                "bands",
                f"{banded.bands} × {banded.rows} rows, {banded.hashes} hashes" + (" (as given)" if self.given else ""),
            ),
            (
                "recall",
                f"{self._chance(self.at):.4f} expected for pairs exactly at the threshold"
                + ("" if self.given else f" (requested: {self.recall:g})"),
            ),
        ]
        plain = [(name, words.translate(_PLAIN) if ascii else words) for name, words in settings]
        lines = [textwrap.fill(f"{name:<11}{words}", 80, subsequent_indent=" " * 11) for name, words in plain]
        span = banded._span()
        span = (span[0], max(span[1], self.at)) if f.by_distance else span
        curve = draw(self._chance, span=span, mark=self.at, words=f"threshold {self.at:g}", ascii=ascii)
        x = [span[0] + (span[1] - span[0]) * i / 10 for i in range(11)]
        table = [f"  {kind:>10}  {'one hash':>10}  {'banded':>10}"]
        one = f.at_distance if f.by_distance else f.collision_probability
        table += [f"  {a:>10.4g}  {one(a):>10.4f}  {self._chance(a):>10.4f}" for a in x]
        points = (
            f"A pair is as likely to be found as not at {banded.half_point():.3f}; the curve is steepest at "
            f"{banded.steepest_point():.3f}."
        )
        head = f"A pair becomes a candidate with probability 1 − (1 − p^{banded.rows})^{banded.bands},"
        body = (
            "\n".join(lines)
            + f"\n\n{head}\nwhere p is the probability that one hash function agrees:\n\n{curve}\n\n"
            + "\n".join(table)
            + f"\n\n{points}\n"
        )
        return body.translate(_PLAIN) if ascii else body
