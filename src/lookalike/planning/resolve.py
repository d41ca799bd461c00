"""Resolves a plan: decides, from statistics of the data, every setting that the plan leaves open."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import tomli_w

from lookalike.errors import InvalidOption
from lookalike.families.amplify import Banded
from lookalike.families.chance import Chance
from lookalike.flow import Auto, Documents, Shingling, Symbols, Tokens, Words, parse_shingling
from lookalike.flow.arrays import characters, code_shares
from lookalike.flow.threshold import Threshold
from lookalike.notices import Notice
from lookalike.planning.costs import Costs, SetFacts
from lookalike.planning.plan import EXACT, FORMAT, SIGNATURES, UNICODE, Method, Plan

SURVEYED = 10_000
"""The number of documents, at the start of the data, from which `auto` settings are decided."""

CODE = 0.04  # medians: 0.04 to 0.14 for 11 languages; at most 0.035 for prose; 0.05 for shell commands and some logs
"""`auto` uses symbols:5 instead of words:5 if the median text has at least this share of `CODE_SIGNS`."""

SHORT = 300  # characters, about 49 words: with words:5, one changed word out of 49 leaves a similarity of 0.8
"""If the median text is shorter, the reason for words:5 names chars:5, which tolerates typing errors."""


@dataclass(frozen=True)
class Statistics:
    """The facts about the data on which a resolved plan may depend. Facts about the machine are never used."""

    documents: int = 0
    median_characters: float = 0.0
    median_code: float = 0.0
    """The median share of characters that are frequent in source code, over some of the texts (see `code_shares`)."""
    tokens: bool = False
    rows: int = 0
    """The estimated total number of rows."""
    sets: SetFacts | None = None
    """Estimates from a sample of sets. None if no sample was taken; the method `auto` then uses bands."""
    common: bytes = b""
    """The shingles to ignore because they are too common, in the format of `Shingling.ignored`."""

    @classmethod
    def of(cls, documents: Documents) -> Statistics:
        """Computes the statistics of these documents. Empty texts are excluded from the median length."""
        if documents.has_tokens:
            return cls.of_lengths(len(documents), None)
        return cls.of_lengths(len(documents), characters(documents.texts), code_shares(documents.texts))

    @classmethod
    def of_lengths(
        cls, documents: int, lengths: npt.NDArray[np.int64] | None, code: Sequence[float] = ()
    ) -> Statistics:
        """Computes the statistics from the lengths of texts in characters, and from the code shares of some texts.

        `lengths` is None for lists of tokens.
        """
        if lengths is None:
            return cls(documents=documents, tokens=True)
        filled = lengths[lengths > 0]
        shares = sorted(code) or [0.0]
        middle = len(shares) // 2
        return cls(
            documents=documents,
            median_characters=float(np.median(filled)) if len(filled) else 0.0,
            median_code=(shares[middle] + shares[~middle]) / 2,  # the median of NumPy imports numpy.ma for fractions
        )


@dataclass(frozen=True, kw_only=True)
class ResolvedPlan:
    """A plan whose shingles and bands have been decided. It is stored with every result and every part."""

    plan: Plan
    shingles: Shingling
    bands: int
    rows: int
    """The number of rows per band; 0 for an exact join."""
    shingles_reason: Notice | None = None
    """The reason for choosing these shingles; None if the plan specifies them."""
    method_reason: Notice | None = None
    """The reason for choosing an exact join or bands; None if the choice did not depend on the data."""

    # The following fields are derived from those above.
    threshold: Threshold = field(init=False, repr=False, compare=False)
    exact: bool = field(init=False, repr=False, compare=False)
    """True if every pair that can reach the threshold is compared, so that none is missed."""
    method: Method = field(init=False, repr=False, compare=False)
    recall: float = field(init=False, repr=False, compare=False)
    """The probability that a pair exactly at the threshold becomes a candidate."""
    signed_by: str = field(init=False, repr=False, compare=False)
    """All settings that a signature depends on, in one line; only signatures with equal lines can be compared."""

    def __post_init__(self) -> None:
        p, ignored = self.plan, self.shingles.ignored
        threshold, exact = Threshold(p.threshold), self.rows == 0
        at = Chance(float(threshold), 1 - float(threshold))
        entries = self.shingles.to_dict()
        if key := entries.pop("key", None):  # signatures are shown to others, who must not learn the key
            entries["keyed"] = hashlib.sha256(key.to_bytes(8, "little")).hexdigest()[:16]
        rules = ", ".join(f"{name}={value}" for name, value in entries.items())
        without = f", without {hashlib.sha256(ignored).hexdigest()[:16]}" if ignored else ""
        sketch = f"sketch={p.sketch}, hashes={p.hashes}, seed={p.seed}{without}"
        object.__setattr__(self, "threshold", threshold)
        object.__setattr__(self, "exact", exact)
        object.__setattr__(self, "method", "exact" if exact else "lsh")
        object.__setattr__(self, "recall", 1.0 if exact else at.all(self.rows).any(self.bands).hit)
        object.__setattr__(self, "signed_by", f"format {SIGNATURES}, unicode {UNICODE}, {rules}, {sketch}")

    def __repr__(self) -> str:
        how = "an exact join" if self.exact else f"{self.bands} bands × {self.rows} rows"
        return f"ResolvedPlan({self.shingles}, threshold {self.threshold}, {how})"

    def _repr_html_(self) -> str:
        from lookalike.planning.explain import card

        return card(self, repr(self)).html()

    @property
    def banding(self) -> Banded:
        """The bands as a family of hash functions, which predicts the probability that a pair is found."""
        return Banded(self.bands, self.rows)

    @property
    def key(self) -> str:
        """A short hash that identifies this plan in parts and manifests."""
        return hashlib.sha256(self.to_toml().encode()).hexdigest()[:16]

    def to_toml(self) -> str:
        settled = dataclasses.replace(self.plan, shingles=self.shingles, bands=self.bands, rows=self.rows)
        about: dict[str, Any] = {
            "format": FORMAT,
            "unicode": UNICODE,
            "recall": round(self.recall, 6),
            "method": self.method,
        }
        if self.shingles.ignored:
            about["ignored"] = base64.b64encode(self.shingles.ignored).decode()
        reasons = {"shingles_reason": self.shingles_reason, "method_reason": self.method_reason}
        about |= {name: reason.to_dict() for name, reason in reasons.items() if reason is not None}
        return settled.to_toml() + "\n" + tomli_w.dumps({"resolved": about})

    @classmethod
    def from_toml(cls, text: str) -> ResolvedPlan:
        """Parses a resolved plan from TOML: the inverse of `to_toml`."""
        import tomllib

        about = tomllib.loads(text).get("resolved", {})
        names = ("shingles_reason", "method_reason")
        reasons: dict[str, Any] = {name: Notice.from_dict(about[name]) for name in names if name in about}
        plan = resolve(Plan.from_toml(text))
        shingles = dataclasses.replace(plan.shingles, ignored=base64.b64decode(about.get("ignored", "")))
        return dataclasses.replace(plan, shingles=shingles, **reasons)

    def frozen(self) -> ResolvedPlan:
        """Returns the plan for data that is added later: the ignored shingles stay those that were found in this data.

        Without `ignore_common`, `Plan.from_options` also keeps them for other data.
        """
        return dataclasses.replace(self, plan=dataclasses.replace(self.plan, ignore_common=None))


def resolve(plan: Plan, statistics: Statistics | None = None) -> ResolvedPlan:
    """Resolves a plan, using only the plan and the statistics of the data."""
    statistics = statistics or Statistics()
    shingles, reason = _shingles(parse_shingling(plan.shingles), statistics)
    if statistics.common:
        shingles = dataclasses.replace(shingles, ignored=statistics.common)
    (bands, rows), method_reason = plan.bands_and_rows(), None
    if plan.is_open and statistics.sets is not None:
        threshold = float(Threshold(plan.threshold))
        exact, method_reason = Costs.predict(statistics.rows, statistics.sets, bands, threshold).choice()
        bands, rows = EXACT if exact else (bands, rows)
    return ResolvedPlan(
        plan=plan, shingles=shingles, bands=bands, rows=rows, shingles_reason=reason, method_reason=method_reason
    )


def _shingles(shingles: Shingling, statistics: Statistics) -> tuple[Shingling, Notice | None]:
    """Returns the shingling, and the reason for it if the plan's shingling is `auto`.

    For `auto`, lists of tokens are used as given, source code is cut into windows of five words and symbols, and other
    texts into windows of five words, whatever their length (docs/benchmarks/shingles.md).
    """
    if statistics.tokens and not isinstance(shingles, Tokens | Auto):
        raise InvalidOption("tokens-not-cut", shingles=str(shingles))
    if not isinstance(shingles, Auto):
        return shingles, None
    options: dict[str, Any] = {
        "case": shingles.case, "normalize": shingles.normalize, "bag": shingles.bag, "bits": shingles.bits,
        "key": shingles.key,
    }  # fmt: skip
    if statistics.tokens:
        return Tokens(1, **options), Notice("shingles-of-tokens")
    first, median, code = statistics.documents, statistics.median_characters, statistics.median_code
    if not median:
        return Words(5, **options), Notice("shingles-without-texts")
    if code >= CODE:
        return Symbols(5, **options), Notice("shingles-of-code", share=round(100 * code))
    reason = "shingles-of-short-texts" if median < SHORT else "shingles-of-texts"
    return Words(5, **options), Notice(reason, documents=first, median=round(median))
