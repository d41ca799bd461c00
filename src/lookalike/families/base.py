"""Family: a distribution over hash functions with a known collision probability for every similarity.

To add a family, write a subclass with `chance`, `draw` and `example`. `lookalike.testing.check_family` then tests
whether its hash functions collide as often as `chance` predicts.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from lookalike.errors import InvalidOption
from lookalike.families.chance import Chance
from lookalike.flow.arrays import Mask
from lookalike.flow.checks import check_whole, is_finite

if TYPE_CHECKING:
    from lookalike.drawing.plots import Drawing, Figure
    from lookalike.families.amplify import And, Or

Values = npt.NDArray[Any]

FAR = 1e100
"""The limit on distances in searches, for measures that have no maximum distance."""


class Sensitivity(NamedTuple):
    """Items within distance d1 collide with probability at least p1; items beyond distance d2, with at most p2."""

    d1: float
    d2: float
    p1: float
    p2: float


class Curve(NamedTuple):
    """Collision probabilities at points x, which are similarities, or distances if the family has no similarity."""

    x: npt.NDArray[np.float64]
    probability: npt.NDArray[np.float64]

    def __repr__(self) -> str:
        ends = (f"{self.probability[i]:.4g} at {self.x[i]:.4g}" for i in (0, -1))
        return f"Curve({len(self.x)} points: {' … '.join(ends)})"

    def _repr_svg_(self) -> str:
        from lookalike.drawing.plots import Figure, svg

        def probability(x: float) -> float:
            return float(np.interp(x, self.x, self.probability))

        span = float(self.x[0]), float(self.x[-1])
        return svg(Figure(probability, span, "similarity or distance of a pair", "Collision probability"))


class Family(ABC):
    """A distribution over hash functions whose collision probability is a known function of similarity.

    `measure` names the similarity. Families for points have a distance but no similarity. All other families have both,
    and the methods `distance` and `similarity` convert between the two.
    """

    measure: ClassVar[str] = "similarity"
    """The name of the similarity: jaccard, cosine …"""
    least: ClassVar[float] = 0.0
    """The minimum similarity. The maximum is 1."""
    approximate: ClassVar[bool] = False
    """True if the collision probability is an approximation."""

    def __str__(self) -> str:
        """Returns the family as it is written, without options that have their default values."""
        declared = getattr(self, "__dataclass_fields__", None)
        if declared is None:
            return repr(self)
        options = ((one, getattr(self, one.name)) for one in declared.values() if one.repr)
        given = ", ".join(f"{one.name}={value!r}" for one, value in options if value != one.default)
        return f"{type(self).__name__}({given})"

    @property
    def farthest(self) -> float:
        """The maximum distance."""
        return 1.0

    @property
    def by_distance(self) -> bool:
        """True if this family has only a distance. Its curve is then a function of distance, not of similarity."""
        return False

    @abstractmethod
    def chance(self, similarity: float) -> Chance:
        """Returns the hit and miss probabilities at a similarity, which must be between `least` and 1."""

    def chance_at(self, distance: float) -> Chance:
        """Returns the hit and miss probabilities at a distance, which must be between 0 and `farthest`."""
        return self.chance(self.similarity(distance))

    def distance(self, similarity: float) -> float:
        """Converts a similarity to a distance."""
        return 1 - similarity

    def similarity(self, distance: float) -> float:
        """Converts a distance to a similarity."""
        return 1 - distance

    @abstractmethod
    def draw(self, count: int, seed: int) -> Callable[[Any], Values]:
        """Draws `count` random hash functions.

        Returns a function that maps an item to an array of their `count` values.
        """

    @abstractmethod
    def example(self, at: float, seed: int) -> tuple[Any, Any, float]:
        """Creates and returns two items whose similarity (or distance, if the family has only that) is about `at`.

        The third value is their exact similarity or distance.
        """

    # Methods for users

    def collision_probability(self, similarity: float) -> float:
        """Returns the probability that a function of the family has the same value for two items of this similarity."""
        return self.chance(self._checked(similarity)).hit

    def miss_probability(self, similarity: float) -> float:
        """Returns the probability of no collision, computed without the rounding error of 1 − collision probability."""
        return self.chance(self._checked(similarity)).miss

    def at_distance(self, distance: float) -> float:
        """Returns the collision probability of two items at this distance."""
        return self._chance_at(distance).hit

    def sensitivity(self, d1: float, d2: float) -> Sensitivity:
        """Returns the (d1, d2, p1, p2)-sensitivity, where p1 and p2 are the collision probabilities at d1 and d2."""
        if not d1 < d2:
            raise InvalidOption("distances-not-ascending", d1=d1, d2=d2)
        return Sensitivity(d1, d2, self.at_distance(d1), self.at_distance(d2))

    def half_point(self) -> float:
        """Returns the similarity (or distance, if there is no similarity) at which the collision probability is 1/2."""
        low, high = self._span()
        rising = not self.by_distance
        while self.by_distance and self._hit(high) > 0.5 and high < min(self.farthest, FAR):
            high *= 2
        for _ in range(200):
            middle = (low + high) / 2
            if (self._hit(middle) < 0.5) == rising:
                low = middle
            else:
                high = middle
        return (low + high) / 2

    def steepest_point(self) -> float:
        """Returns the similarity (or distance, if the family has only that) at which the curve is steepest."""
        far = self.farthest if math.isfinite(self.farthest) else 8 * self.half_point()
        step = far * 1e-5

        def slope(distance: float) -> float:
            below, above = max(0.0, distance - step), min(far, distance + step)
            return (self._at(below) - self._at(above)) / (above - below)

        grid = [far * i / 1000 for i in range(1001)]
        best = max(range(1001), key=lambda i: slope(grid[i]))
        found = _greatest(slope, grid[max(0, best - 1)], grid[min(1000, best + 1)])
        return found if self.by_distance else self.similarity(found)

    def curve(self, points: int = 201) -> Curve:
        """Returns the collision probabilities at evenly spaced similarities (or distances)."""
        check_whole("points", points, 2)
        x = np.linspace(*self._span(), points)
        return Curve(x, np.array([self._hit(float(each)) for each in x]))

    def plot(
        self, file: str | Path | None = None, *, threshold: float | None = None, axes: Any = None, ascii: bool = False
    ) -> Drawing | None:
        """Draws the curve to a `file` (SVG; other formats need matplotlib) or on matplotlib `axes`.

        Without either, the curve is returned as text, which notebooks show as SVG.
        """
        from lookalike.drawing.plots import plot

        if file is not None and not isinstance(file, str | PathLike):
            raise InvalidOption("plot-without-file", type=type(file).__name__)
        if threshold is not None and not is_finite(threshold):
            low, high = self._span()
            raise InvalidOption("threshold-off-the-curve", low=low, high=high, value=threshold)
        return plot(self._figure(threshold), file, axes=axes, ascii=ascii)

    def _figure(self, mark: float | None = None) -> Figure:
        from lookalike.drawing.plots import Figure

        x_label = f"{self.measure} {'distance' if self.by_distance else 'similarity'} of a pair"
        return Figure(self._hit, self._span(), x_label, f"Collision probability of {self}", mark)

    def _repr_html_(self) -> str:
        from lookalike.display.card import Card
        from lookalike.drawing.plots import chart

        points = [("half point", f"{self.half_point():.4g}"), ("steepest point", f"{self.steepest_point():.4g}")]
        figure = self._figure()
        return Card(repr(self), figure.x_label, counts=points, chart=chart(figure, 560, 300).svg(figure.title)).html()

    def and_(self, rows: int) -> And:
        """Returns the family in which two items collide if all `rows` functions agree: p becomes pʳ."""
        from lookalike.families.amplify import And

        return And(self, rows)

    def or_(self, bands: int) -> Or:
        """Returns the family in which two items collide if any of `bands` functions agrees: p becomes 1 − (1 − p)ᵇ."""
        from lookalike.families.amplify import Or

        return Or(self, bands)

    def sample(self, count: int, seed: int = 0) -> Draws:
        """Draws `count` random hash functions, which can be called with an item, or used to compare two items."""
        check_whole("count", count, 1)
        return Draws(self, count, self.draw(count, seed))

    def agree(self, values: Values, others: Values) -> Mask:
        """Returns, for each function, whether two items with these hash values collide.

        AND and OR override this method.
        """
        return np.asarray(values == others)

    # In `_span` and `_hit`, x is a similarity, or a distance if the family has only that.

    def _span(self) -> tuple[float, float]:
        if not self.by_distance:
            return self.least, 1.0
        if math.isfinite(self.farthest):
            return 0.0, self.farthest
        far = 1.0
        while self._at(far) > 0.1 and far < FAR:
            far *= 2
        while self._at(far / 2) < 0.05 and far > 1 / FAR:
            far /= 2
        return 0.0, far

    def _hit(self, x: float) -> float:
        return self.chance_at(x).hit if self.by_distance else self.chance(x).hit

    def _at(self, distance: float) -> float:
        return self.chance_at(distance).hit

    def _chance_at(self, distance: float) -> Chance:
        if not 0 <= distance <= self.farthest:
            farthest = self.farthest if math.isfinite(self.farthest) else None
            raise InvalidOption("distance-out-of-range", farthest=farthest, value=distance)
        return self.chance_at(distance)

    def _checked(self, similarity: float) -> float:
        if not self.least <= similarity <= 1:
            meant = similarity / 100 if 1 < similarity <= 100 else None
            raise InvalidOption(
                "similarity-out-of-range", measure=self.measure, least=self.least, value=similarity, meant=meant
            )
        return similarity


class Draws:
    """Hash functions drawn from a family. The same seed gives the same functions.

    >>> from lookalike.families.minhash import MinHash
    >>> draws = MinHash().sample(1000, seed=1)
    >>> draws({1, 2, 3}).shape, float(draws.agree({1, 2, 3, 4}, {2, 3, 4, 5}).mean())
    ((1000,), 0.599)
    >>> [int(function({1, 2, 3}) == function({1, 2, 3, 4})) for function in MinHash().sample(3)]
    [0, 1, 1]
    """

    def __init__(self, family: Family, count: int, functions: Callable[[Any], Values]) -> None:
        self.family, self.count, self._functions = family, count, functions

    def __repr__(self) -> str:
        return f"Draws({self.count:,} functions of {self.family!r})"

    def __call__(self, item: Any) -> Values:
        """Returns the hash values of an item, one per function."""
        return self._functions(item)

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> Callable[[Any], Any]:
        """Returns one of the hash functions, which takes an item and returns its hash value."""
        if not -self.count <= number < self.count:
            raise IndexError(number)
        return lambda item: self(item)[number]

    def __iter__(self) -> Iterator[Callable[[Any], Any]]:
        return (self[number] for number in range(self.count))

    def agree(self, item: Any, other: Any) -> Mask:
        """Returns, for each function, whether the two items collide."""
        return self.family.agree(self(item), self(other))


def _greatest(function: Callable[[float], float], low: float, high: float) -> float:
    """Returns the position of the maximum of a function that first rises and then falls, by golden-section search."""
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(60):
        left, right = high - golden * (high - low), low + golden * (high - low)
        if function(left) < function(right):
            low = left
        else:
            high = right
    return (low + high) / 2
