"""AND and OR: b bands of r rows turn the straight line of MinHash into an S-curve."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lookalike.errors import InvalidOption


@dataclass(frozen=True)
class Banded:
    """r rows AND-ed within a band, b bands OR-ed: a pair of similarity s becomes a candidate with 1 − (1 − sʳ)ᵇ.

    No rows ask nothing of a pair: `Banded(1, 0)` has every pair compared that cannot be ruled out, an exact join.

    >>> round(Banded(bands=20, rows=5).probability(0.8), 6), round(Banded(bands=20, rows=5).probability(0.3), 6)
    (0.999644, 0.047494)
    """

    bands: int
    rows: int

    def __post_init__(self) -> None:
        for name, value in (("bands", self.bands), ("rows", self.rows)):
            least = 0 if name == "rows" else 1
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise InvalidOption(f"{name} must be a whole number of at least {least}, got {value!r}")
        if not self.rows and self.bands != 1:
            raise InvalidOption(f"no rows leave every pair to be compared, once: bands must be 1, got {self.bands}")

    @property
    def exact(self) -> bool:
        """Whether no pair is left out."""
        return self.rows == 0

    @property
    def hashes(self) -> int:
        """How many slots of the signature are used."""
        return self.bands * self.rows

    def probability(self, similarity: float) -> float:
        """The chance that a pair of this similarity becomes a candidate."""
        # log1p and expm1 keep the small tails exact where 1 − (1 − x)ᵇ would round them away
        in_one_band = similarity**self.rows
        return 1.0 if in_one_band >= 1 else -math.expm1(self.bands * math.log1p(-in_one_band))

    # Three different answers to "where is the threshold of this curve?": the notes use the name for all of them.

    @property
    def half_point(self) -> float:
        """The similarity at which a pair is as likely to be found as not."""
        return 0.0 if self.exact else float((1 - 0.5 ** (1 / self.bands)) ** (1 / self.rows))

    @property
    def steepest_point(self) -> float:
        """The similarity at which the curve rises fastest: where its second derivative is zero."""
        if self.rows <= 1:
            return 0.0
        return float(((self.rows - 1) / (self.bands * self.rows - 1)) ** (1 / self.rows))

    @property
    def rule_of_thumb(self) -> float:
        """The notes' approximation (1/b)^(1/r)."""
        return 0.0 if self.exact else float((1 / self.bands) ** (1 / self.rows))
