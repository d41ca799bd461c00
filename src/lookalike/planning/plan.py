"""Plan: what to compute, as a value. Resolved against statistics of the data it says so completely."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import tomli_w

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.families import Banded, choose_bands
from lookalike.flow import Auto, Chars, Documents, Shingling, Tokens, Words, parse_shingling
from lookalike.flow.arrays import characters
from lookalike.flow.checks import check_one_of, check_share, check_whole
from lookalike.flow.threshold import Threshold
from lookalike.planning.costs import Costs, SetFacts

FORMAT = 1
"""The version of docs/reference/format.md that this code follows."""

UNICODE = "15.0.0"

SURVEYED = 10_000
"""`auto` looks at this many documents from the start of the data, so that it need not read all of it."""

SHORT = 500
"""`auto`: a corpus whose median text is shorter than this many characters is cut into characters, not words."""

EXACT = Banded(1, 0)
"""No bands: every pair that may reach the threshold is compared."""

LARGEST = 1_000_000
"""Characters of a plan file; what is larger is something else."""

Goal = Literal["pairs", "clusters"]
Method = Literal["auto", "exact", "lsh"]
Verify = Literal["exact", "signature", "none"]
Sketch = Literal["fast", "classic"]
Linkage = Literal["connected", "star"]


@dataclass(frozen=True)
class Statistics:
    """What a plan may depend on: facts of the data, never of the machine."""

    documents: int = 0
    median_characters: float = 0.0
    tokens: bool = False
    rows: int = 0
    """About how many there are in all."""
    sets: SetFacts | None = None
    """Of a sample; where there is none, bands are taken."""
    common: bytes = b""
    """The shingles that are too common, as in `Shingling.ignored`."""

    @classmethod
    def of(cls, documents: Documents) -> Statistics:
        """Of the first rows of a source; empty texts do not count."""
        return cls.of_lengths(len(documents), None if documents.has_tokens else characters(documents.texts))

    @classmethod
    def of_lengths(cls, documents: int, lengths: npt.NDArray[np.int64] | None) -> Statistics:
        """Of so many rows, whose texts have so many characters; None for lists of tokens."""
        if lengths is None:
            return cls(documents=documents, tokens=True)
        filled = lengths[lengths > 0]
        return cls(documents=documents, median_characters=float(np.median(filled)) if len(filled) else 0.0)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What to find and how sure to be. Prints as the code that makes it; saved and loaded as TOML.

    A true pair at the threshold is found with probability `recall`, more similar ones with more. `method` says how: by
    bands of hashes ("lsh"), whose number is chosen for the recall unless `bands` and `rows` are given, or by an exact
    join, which misses nothing. "auto" takes what costs less on the data, as predicted from it; a recall of 1 is always
    an exact join.

    >>> Plan(threshold=0.8).resolve().banding
    Banded(bands=16, rows=6)
    """

    threshold: Threshold | float | str = field(default_factory=lambda: Threshold("0.8"))
    """Taken as a number or a decimal text, kept as a `Threshold`."""
    goal: Goal = "pairs"
    shingles: Shingling | str = field(default_factory=Auto)
    """Taken as a value or as text, `"words:5"`, kept as a value."""
    recall: float = 0.99
    method: Method = "auto"
    hashes: int = 128
    bands: int | None = None
    rows: int | None = None
    sketch: Sketch = "fast"
    verify: Verify = "exact"
    linkage: Linkage = "connected"
    """What makes a cluster: a chain of similar pairs, or one representative that all others are similar to."""
    seed: int = 0
    ignore_common: Threshold | float | str | None = None
    """Shingles in more than this share of all documents are left out of sets: boilerplate makes nothing similar."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", Threshold(self.threshold))
        object.__setattr__(self, "shingles", parse_shingling(self.shingles))
        if self.ignore_common is not None:
            object.__setattr__(self, "ignore_common", Threshold(self.ignore_common, option="ignore_common"))
        check_one_of("goal", self.goal, ("pairs", "clusters"))
        check_one_of("method", self.method, ("auto", "exact", "lsh"))
        check_one_of("sketch", self.sketch, ("fast", "classic"))
        check_one_of("verify", self.verify, ("exact", "signature", "none"))
        check_one_of("linkage", self.linkage, ("connected", "star"))
        check_whole("hashes", self.hashes, 1, 4096)
        check_whole("seed", self.seed, 0, 2**64 - 1)
        check_share("recall", self.recall)
        if not isinstance(self.recall, int):  # NumPy's numbers print otherwise
            object.__setattr__(self, "recall", float(self.recall))
        banding = self._banding()  # refuses what cannot be before any data is read
        if self.method == "exact" and not banding.exact:
            raise InvalidOption("exact-join-with-bands")
        if self.method == "lsh" and banding.exact:
            raise InvalidOption("lsh-without-rows" if self.rows == 0 else "lsh-at-full-recall")
        if banding.exact and self.verify != "exact":
            raise InvalidOption("exact-join-unverified", verify=self.verify)
        if self.recall == 1 and not banding.exact:
            raise InvalidOption("bands-below-full-recall", bands=banding.bands, rows=banding.rows)

    @property
    def is_open(self) -> bool:
        """Whether the data decides between an exact join and bands."""
        return (
            self.method == "auto" and self.bands is None and self.rows is None and self.recall < 1
            and self.verify == "exact"
        )  # fmt: skip

    def _banding(self) -> Banded:
        if self.bands is None and self.rows is None:
            if self.method == "exact":
                return EXACT
            return choose_bands(float(Threshold(self.threshold)), float(self.recall), self.hashes)
        for name in ("bands", "rows"):
            if (value := getattr(self, name)) is not None:
                check_whole(name, value, 0 if name == "rows" else 1, self.hashes)
        if self.rows == 0:
            return Banded(bands=1 if self.bands is None else self.bands, rows=0)
        banded = Banded(
            bands=self.bands if self.bands is not None else self.hashes // (self.rows or 1),
            rows=self.rows if self.rows is not None else self.hashes // (self.bands or 1),
        )
        if banded.hashes > self.hashes:
            raise InvalidOption(
                "too-few-hashes", bands=banded.bands, rows=banded.rows, needed=banded.hashes, hashes=self.hashes
            )
        return banded

    def resolve(self, statistics: Statistics | None = None) -> ResolvedPlan:
        """The plan with nothing left open: a pure function of the plan and of statistics of the data."""
        statistics = statistics or Statistics(median_characters=float(SHORT))
        shingles, reason = _resolve_shingles(parse_shingling(self.shingles), statistics)
        if statistics.common:
            shingles = dataclasses.replace(shingles, ignored=statistics.common)
        banding, why = self._banding(), ""
        if self.is_open and statistics.sets is not None:
            costs = Costs.predict(statistics.rows, statistics.sets, banding)
            banding, why = EXACT if costs.prefers_exact else banding, f"auto: {costs}"
        return ResolvedPlan(plan=self, shingles=shingles, banding=banding, reason=reason, why=why)

    def to_toml(self) -> str:
        """As TOML; `from_toml` is its inverse."""
        values = {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if f.name != "shingles" and getattr(self, f.name) is not None
        }
        values["threshold"] = str(self.threshold)
        if self.ignore_common is not None:
            values["ignore_common"] = str(self.ignore_common)
        return tomli_w.dumps(values | {"shingles": parse_shingling(self.shingles).to_dict()})

    @classmethod
    def from_toml(cls, text: str, *, where: str = "the plan") -> Plan:
        """A plan, or a resolved one: what was resolved stays as it was."""
        import tomllib  # not on top: few plans come from a file

        try:
            values = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise MalformedInput("plan-not-toml", plan=where, reason=str(error)) from None
        resolved, shingles = values.pop("resolved", {}), values.pop("shingles", {})
        for name, table in (("resolved", resolved), ("shingles", shingles)):
            if not isinstance(table, dict):
                raise InvalidOption("plan-entry-not-a-table", plan=where, entry=name, value=table)
        if resolved.get("format", FORMAT) != FORMAT:
            raise InvalidOption("plan-of-another-format", plan=where, format=resolved["format"], known=FORMAT)
        unknown = values.keys() - {f.name for f in dataclasses.fields(cls)}
        if unknown:
            raise InvalidOption("unknown-plan-entry", plan=where, entry=min(unknown))
        return cls(shingles=Shingling.from_dict(shingles), **values)

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        try:
            with Path(path).open(encoding="utf-8") as file:
                text = file.read(LARGEST + 1)
        except (OSError, ValueError) as error:
            raise MalformedInput("plan-not-readable", path=path, reason=str(error)) from None
        if len(text) > LARGEST:
            raise MalformedInput("plan-too-large", path=path, largest=LARGEST)
        return cls.from_toml(text, where=str(path))

    def explain(self) -> str:
        """Bands and rows, the S-curve and what to expect of it, as text."""
        from lookalike.planning.explain import explain

        return explain(self.resolve())


@dataclass(frozen=True, kw_only=True)
class ResolvedPlan:
    """A plan with its shingles and bands settled. It travels with every result and every part."""

    plan: Plan
    shingles: Shingling
    banding: Banded
    reason: str = ""
    """Why these shingles."""
    why: str = ""
    """Why an exact join, or why bands, where the data decided."""

    @property
    def threshold(self) -> Threshold:
        return Threshold(self.plan.threshold)

    @property
    def method(self) -> Method:
        return "exact" if self.exact else "lsh"

    @property
    def exact(self) -> bool:
        """Whether every pair that may reach the threshold is compared, so that none is missed."""
        return self.banding.exact

    @property
    def recall(self) -> float:
        """The probability with which a pair exactly at the threshold becomes a candidate."""
        return self.banding.collision_probability(float(self.threshold))

    @property
    def signed_by(self) -> str:
        """Everything that a signature depends on, in one line; signatures mix only where this is equal."""
        rules = ", ".join(f"{name}={value}" for name, value in self.shingles.to_dict().items())
        p = self.plan
        ignored = self.shingles.ignored
        without = f", without {hashlib.sha256(ignored).hexdigest()[:16]}" if ignored else ""
        return (
            f"format {FORMAT}, unicode {UNICODE}, {rules}, sketch={p.sketch}, hashes={p.hashes}, seed={p.seed}{without}"
        )

    @property
    def key(self) -> str:
        """A short name for this exact plan, for parts and manifests."""
        return hashlib.sha256(self.to_toml().encode()).hexdigest()[:16]

    def to_toml(self) -> str:
        settled = dataclasses.replace(
            self.plan, shingles=self.shingles, bands=self.banding.bands, rows=self.banding.rows
        )
        about = {
            "format": FORMAT, "unicode": UNICODE, "recall": round(self.recall, 6), "reason": self.reason,
            "method": self.method, "why": self.why,
        }  # fmt: skip
        if self.shingles.ignored:
            about["ignored"] = base64.b64encode(self.shingles.ignored).decode()
        return settled.to_toml() + "\n" + tomli_w.dumps({"resolved": about})

    @classmethod
    def from_toml(cls, text: str) -> ResolvedPlan:
        """The inverse of `to_toml`; what the plan had left open is settled in it, too."""
        import tomllib

        said = tomllib.loads(text).get("resolved", {})
        reason, why = said.get("reason", ""), said.get("why", "")
        plan = Plan.from_toml(text).resolve()
        shingles = dataclasses.replace(plan.shingles, ignored=base64.b64decode(said.get("ignored", "")))
        return dataclasses.replace(plan, reason=reason, why=why, shingles=shingles)


def _resolve_shingles(shingles: Shingling, statistics: Statistics) -> tuple[Shingling, str]:
    """The rule of `auto`: given tokens as they are; short texts by characters, long ones by words."""
    if statistics.tokens and not isinstance(shingles, Tokens | Auto):
        raise InvalidOption("tokens-not-cut", shingles=str(shingles))
    if not isinstance(shingles, Auto):
        return shingles, "as given"
    options: dict[str, Any] = {
        "case": shingles.case, "normalize": shingles.normalize, "bag": shingles.bag, "bits": shingles.bits,
    }  # fmt: skip
    if statistics.tokens:
        return Tokens(1, **options), "auto: the column holds lists of tokens"
    seen = f"the median of the first {statistics.documents:,} texts has {statistics.median_characters:,.0f} characters"
    reason = f"auto: {seen}" if statistics.documents else "auto: without any text to go by"
    if statistics.median_characters < SHORT:
        return Chars(5, whitespace=shingles.whitespace, **options), reason
    return Words(5, **options), reason
