"""Plan: what to compute, as a value that can be saved. `resolve.py` chooses the settings that depend on the data."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import tomli_w

from lookalike.errors import InvalidOption, MalformedInput
from lookalike.families.chance import bands_and_rows
from lookalike.flow import Auto, Chars, Shingling, parse_shingling
from lookalike.flow.checks import check_one_of, check_share, check_whole, plain_number
from lookalike.flow.threshold import PLACES, Threshold

if TYPE_CHECKING:
    from lookalike.drawing.text import Printed
    from lookalike.planning.resolve import ResolvedPlan, Statistics

FORMAT = 2
"""The version of docs/reference/format.md that this code follows."""

SIGNATURES = 1
"""The version of the format in which signatures last changed. Plans of it and of all later versions can be used."""

UNICODE = "15.0.0"

EXACT = (1, 0)
"""The bands and rows of an exact join. Without rows, every pair that can reach the threshold is compared."""

LARGEST = 1_000_000
"""The maximum number of characters of a plan file."""

CUTTING = ("shingles", "case", "normalize", "whitespace", "bag", "bits")
"""The options of verbs that describe the shingles of a plan."""

DECIDES_BANDS = {"threshold", "recall", "method", "hashes"}
"""The plan entries on which the choice of bands and rows depends."""

Goal = Literal["pairs", "clusters"]
Method = Literal["auto", "exact", "lsh"]
Verify = Literal["exact", "signature", "none"]
Sketch = Literal["fast", "classic"]
Linkage = Literal["connected", "star"]
Copies = Literal["identical", "same-words"]
COPIES = ("identical", "same-words")


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Describes what to find, and with what recall.

    `repr()` returns the code that creates the plan; plan files are in TOML.

    A pair at the threshold is found with probability `recall` or more; a more similar pair is found with a higher
    probability. `method` is "lsh", "exact" or "auto". "lsh" uses bands of hashes, chosen to reach the recall unless
    `bands` or `rows` is set. "exact" uses an exact join, which misses no pair. "auto" uses an exact join if the recall
    is 1, or if the join is predicted to cost at most 30% more than bands; otherwise, it uses bands.

    >>> Plan(threshold=0.8).resolve().banding
    Banded(bands=16, rows=6)
    """

    threshold: Threshold | float | str = field(default_factory=lambda: Threshold("0.8"))
    """A number or a decimal string, stored as a `Threshold`."""
    goal: Goal = "pairs"
    shingles: Shingling | str = field(default_factory=Auto)
    """A `Shingling`, or its name such as `"words:5"`; stored as a `Shingling`."""
    recall: float = 0.99
    method: Method = "auto"
    hashes: int = 128
    bands: int | None = None
    rows: int | None = None
    sketch: Sketch = "fast"
    verify: Verify = "exact"
    linkage: Linkage | None = None
    """What makes a cluster: a chain of similar pairs ("connected"), or a kept member that is similar to all others
    ("star"). The default is "star" for `dedupe` and "connected" for other functions.
    """
    contained: Threshold | float | str | None = None
    """With star linkage: the minimum share of a removed document's shingles that are also in the document kept in its
    place."""
    copies: Copies | None = None
    """Which copies are removed, without comparing sets: documents with the same bytes ("identical"), or documents with
    the same words in the same order ("same-words"). None if similar documents are removed too."""
    seed: int = 0
    ignore_common: Threshold | float | str | None = None
    """Shingles that occur in more than this share of all documents are ignored as boilerplate."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", Threshold(self.threshold))
        object.__setattr__(self, "shingles", parse_shingling(self.shingles))
        if self.ignore_common is not None:
            object.__setattr__(self, "ignore_common", Threshold(self.ignore_common, option="ignore_common"))
        if self.contained is not None:
            object.__setattr__(self, "contained", Threshold(self.contained, option="contained"))
            if self.verify != "exact" or self.linkage == "connected":
                raise InvalidOption("contained-needs-stars")
        if self.copies is not None:
            check_one_of("copies", self.copies, COPIES)
        check_one_of("goal", self.goal, ("pairs", "clusters"))
        check_one_of("method", self.method, ("auto", "exact", "lsh"))
        check_one_of("sketch", self.sketch, ("fast", "classic"))
        check_one_of("verify", self.verify, ("exact", "signature", "none"))
        if self.linkage is not None:
            check_one_of("linkage", self.linkage, ("connected", "star"))
        for name in ("recall", "hashes", "bands", "rows", "seed"):
            object.__setattr__(self, name, plain_number(getattr(self, name)))
        check_whole("hashes", self.hashes, 1, 4096)
        check_whole("seed", self.seed, 0, 2**64 - 1)
        if isinstance(self.recall, float):  # rounded like thresholds: numpy.arange gives 1.0000000000000002 for 1
            object.__setattr__(self, "recall", round(self.recall, PLACES) or self.recall)
        check_share("recall", self.recall)
        if not isinstance(self.recall, int):
            object.__setattr__(self, "recall", float(self.recall))
        bands, rows = self.bands_and_rows()  # invalid bands are refused before any data is read
        if self.method == "exact" and rows:
            raise InvalidOption("exact-join-with-bands")
        if self.method == "lsh" and not rows:
            raise InvalidOption("lsh-without-rows" if self.rows == 0 else "lsh-at-full-recall")
        if not rows and self.verify != "exact":
            raise InvalidOption("exact-join-unverified", verify=self.verify)
        if self.recall == 1 and rows:
            raise InvalidOption("bands-below-full-recall", bands=bands, rows=rows)

    @property
    def is_open(self) -> bool:
        """True if the choice between an exact join and bands depends on the data."""
        return (
            self.method == "auto" and self.bands is None and self.rows is None and self.recall < 1
            and self.verify == "exact"
        )  # fmt: skip

    def bands_and_rows(self) -> tuple[int, int]:
        """Returns the bands and rows, set by the user or chosen to reach the recall; `EXACT` for an exact join."""
        if self.bands is None and self.rows is None:
            if self.method == "exact":
                return EXACT
            return bands_and_rows(float(Threshold(self.threshold)), float(self.recall), self.hashes)
        for name in ("bands", "rows"):
            if (value := getattr(self, name)) is not None:
                check_whole(name, value, 0 if name == "rows" else 1)
        if self.rows == 0:
            if self.bands not in (None, 1):
                raise InvalidOption("bands-without-rows", bands=self.bands)
            return EXACT
        bands = self.bands if self.bands is not None else max(1, self.hashes // (self.rows or 1))
        rows = self.rows if self.rows is not None else max(1, self.hashes // (self.bands or 1))
        if bands * rows > self.hashes:
            raise InvalidOption("too-few-hashes", bands=bands, rows=rows, needed=bands * rows, hashes=self.hashes)
        return bands, rows

    def resolve(self, statistics: Statistics | None = None) -> ResolvedPlan:
        """Returns the resolved plan, which depends only on this plan and the statistics of the data."""
        from lookalike.planning.resolve import resolve

        return resolve(self, statistics)

    @classmethod
    def from_options(
        cls, plan: Plan | ResolvedPlan | str | Path | None, goal: Goal, options: Mapping[str, Any]
    ) -> Plan:
        """Returns the given plan, or the default plan, with entries replaced by the options of a function.

        A string is the path of a plan file or, if it has several lines, the plan itself in TOML, as in the summary of a
        result. A resolved plan keeps its bands, rows and kind of shingles.

        If the options include an entry on which the bands and rows of a saved plan depend, these are discarded and
        chosen again. The same happens if the saved plan is an exact join (no rows) and the options require bands.
        """
        base = cls() if plan is None else plan if isinstance(plan, Plan) else cls._opened(plan)
        given = {name: value for name, value in options.items() if name not in CUTTING}
        cutting = {name: value for name, value in options.items() if name in CUTTING}
        shingles = cutting.pop("shingles", base.shingles)
        if cutting.get("whitespace") and not isinstance(parse_shingling(shingles), Chars):
            raise InvalidOption("whitespace-without-characters", shingles=str(shingles))
        if isinstance(shingles, str):  # a new kind of shingle does not reset the other rules of the plan
            cutting = {
                name: getattr(base.shingles, name) for name in ("case", "normalize", "bag", "bits", "key")
            } | cutting
        needs_bands = given.get("verify", "exact") != "exact" or given.keys() & {"bands", "rows"}
        if given.keys() & DECIDES_BANDS or (base.rows == 0 and needs_bands):
            base = dataclasses.replace(base, bands=None, rows=None)
        return dataclasses.replace(base, goal=goal, shingles=parse_shingling(shingles, **cutting), **given)

    @classmethod
    def _opened(cls, plan: ResolvedPlan | str | Path) -> Plan:
        from lookalike.planning.resolve import ResolvedPlan

        if isinstance(plan, ResolvedPlan):
            return cls.from_toml(plan.to_toml())
        if not isinstance(plan, str | os.PathLike):
            raise InvalidOption("not-a-plan", type=type(plan).__name__)
        return cls.from_toml(plan) if isinstance(plan, str) and "\n" in plan else cls.load(plan)

    def to_toml(self) -> str:
        """Formats the plan as TOML. `from_toml` is the inverse."""
        values = {
            f.name: getattr(self, f.name)
            for f in dataclasses.fields(self)
            if f.name != "shingles" and getattr(self, f.name) is not None
        }
        values["threshold"] = str(self.threshold)
        if self.ignore_common is not None:
            values["ignore_common"] = str(self.ignore_common)
        if self.contained is not None:
            values["contained"] = str(self.contained)
        return tomli_w.dumps(values | {"shingles": parse_shingling(self.shingles).to_dict()})

    @classmethod
    def from_toml(cls, text: str, *, where: str = "the plan") -> Plan:
        """Parses a plan from TOML. If the plan was resolved, its bands, rows and kind of shingles are kept.

        Ignored shingles are only kept if the plan does not say from which share of the documents on they are ignored.
        """
        import tomllib  # imported here because few plans come from a file

        try:
            values = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # not TOML, a number of thousands of digits, or too deeply nested
            raise MalformedInput("plan-not-toml", plan=where, reason=str(error)) from None
        resolved, shingles = values.pop("resolved", {}), values.pop("shingles", {})
        for name, table in (("resolved", resolved), ("shingles", shingles)):
            if not isinstance(table, dict):
                raise InvalidOption("plan-entry-not-a-table", plan=where, entry=name, value=table)
        if resolved.get("format", FORMAT) not in range(SIGNATURES, FORMAT + 1):
            raise InvalidOption("plan-of-another-format", plan=where, format=resolved["format"], known=FORMAT)
        unknown = values.keys() - {f.name for f in dataclasses.fields(cls)}
        if unknown:
            raise InvalidOption("unknown-plan-entry", plan=where, entry=min(unknown))
        made = Shingling.from_dict(shingles)
        if "ignored" in resolved and "ignore_common" not in values:  # a list that does not depend on the data
            made = dataclasses.replace(made, ignored=_decoded(resolved["ignored"], where))
        return cls(shingles=made, **values)

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Loads a plan from a TOML file."""
        try:
            with Path(path).open(encoding="utf-8") as file:
                text = file.read(LARGEST + 1)
        except (OSError, ValueError) as error:
            from lookalike.storage.foreign_errors import why  # loads pyarrow, which a plan does not need

            raise MalformedInput("plan-not-readable", path=path, reason=why(error)) from None
        if len(text) > LARGEST:
            raise MalformedInput("plan-too-large", path=path, largest=LARGEST)
        return cls.from_toml(text, where=str(path))

    def __repr__(self) -> str:
        """Returns the code that creates the plan, without options that have their default values."""
        usual, values = Plan(), {"threshold": str(self.threshold)}
        for f in dataclasses.fields(self):
            value = getattr(self, f.name)
            if f.name != "threshold" and value != getattr(usual, f.name):
                values[f.name] = str(value) if isinstance(value, Threshold) else value
        if "shingles" in values and parse_shingling(str(self.shingles)) == self.shingles:
            values["shingles"] = str(self.shingles)
        return f"Plan({', '.join(f'{name}={value!r}' for name, value in values.items())})"

    def _repr_html_(self) -> str:
        from lookalike.planning.explain import card

        return card(self.resolve(), repr(self)).html()

    def explain(self) -> Printed:
        """Explains the plan: its bands and rows, S-curve, expected recall and memory.

        In an interactive session, the explanation is printed as text.
        """
        from lookalike.planning.explain import explain

        return explain(self.resolve())


def _decoded(ignored: Any, where: str) -> bytes:
    """Returns the ignored shingles that a resolved plan lists in base64."""
    import base64

    try:
        shingles = base64.b64decode(ignored, validate=True)
    except (TypeError, ValueError):
        shingles = b"?"
    if len(shingles) % 8:
        raise MalformedInput("plan-with-damaged-shingles", plan=where)
    return shingles
