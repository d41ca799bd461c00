"""Settings of a run, which can be saved as TOML: fields, the method and threshold of matching, and learned weights."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import tomli_w

from lookalike.apps.resolve.calibration import Calibration
from lookalike.apps.resolve.functions import KeyFunction, Similarity, name_of
from lookalike.apps.resolve.kinds import NAMED, Kind
from lookalike.apps.resolve.levels import AGREE, APART, LEVELS, Weights
from lookalike.errors import InvalidOption
from lookalike.flow.checks import check_names, check_one_of, check_true_or_false, check_whole
from lookalike.storage.foreign_errors import why

Method = Literal["weights", "points"]
METHODS: tuple[str, ...] = get_args(Method)

TITLE = "# What was compared, and what each field is worth. Edit this file, and use it again as settings.\n"


@dataclass(frozen=True)
class Field:
    """A column to compare. `right` is the name of the column in the second table, if it differs.

    A field of kind `function` is compared by `similarity`, a function that takes two values and returns a number from 0
    to 1.
    """

    name: str
    kind: Kind
    right: str | None = None
    similarity: Similarity | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            raise InvalidOption("field-name-not-a-string", value=self.name)
        if not (self.right is None or isinstance(self.right, str)):
            raise InvalidOption("field-right-name-not-a-string", field=self.name, value=self.right)
        if self.kind not in (*NAMED, "function") or (self.similarity is not None and self.kind != "function"):
            raise InvalidOption("unknown-field-kind", field=self.name, allowed=NAMED, value=self.kind)

    @classmethod
    def parse(cls, text: str) -> Field:
        """Parses `title:text` (name and kind), or `title=name:text` if the column is called `name` in the second table.

        >>> Field.parse("title=name:text")
        Field(name='title', kind='text', right='name', similarity=None)
        """
        names, colon, kind = text.rpartition(":")
        if not colon or not names:
            raise InvalidOption("field-not-name-and-kind", value=text)
        return cls.named(names, kind)

    @classmethod
    def named(cls, names: str, compared_by: Any) -> Field:
        """Creates a field from its name, or both names (`title=name`), and its kind or a function.

        >>> Field.named("title=name", "text")
        Field(name='title', kind='text', right='name', similarity=None)
        """
        if not isinstance(names, str):
            raise InvalidOption("field-name-not-a-string", value=names)
        name, equals, other = names.partition("=")
        right = other if equals else None
        if callable(compared_by):
            return cls(name, "function", right, compared_by)
        if not isinstance(compared_by, str):
            raise InvalidOption("field-not-kind-or-function", field=name, value=compared_by)
        if compared_by == "function":
            raise InvalidOption("field-needs-function", field=name)
        return cls(name, compared_by, right)  # type: ignore[arg-type]

    def __str__(self) -> str:
        """Returns the name and the kind, as in the summary: `title = name (text)`."""
        name = self.name if self.right is None else f"{self.name} = {self.right}"
        return f"{name} ({self.compared_by})"

    @property
    def compared_by(self) -> str:
        """The kind or the function, as in the summary."""
        return self.kind if self.similarity is None else f"function {name_of(self.similarity)}"


@dataclass(frozen=True)
class Rule:
    """A rule for which pairs to compare: records that are equal in `columns`, or share a key that `keys` returns."""

    columns: tuple[str, ...] = ()
    keys: KeyFunction | None = None
    called: str = ""
    """The name of the function, if the function itself is unknown because the rule was loaded from a file."""

    @property
    def name(self) -> str:
        """The columns or the function, as in the summary: `surname and born`, `initials()`."""
        if self.columns:
            return " and ".join(self.columns)
        return f"{self.called if self.keys is None else name_of(self.keys)}()"

    def to_toml(self) -> list[str] | dict[str, str]:
        return list(self.columns) if self.columns else {"function": self.name.removesuffix("()")}

    @classmethod
    def from_toml(cls, value: Any) -> Rule:
        if isinstance(value, dict):
            return cls(called=str(value["function"]))
        if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
            raise InvalidOption("not-a-candidate-rule", value=value)
        return cls(tuple(value))


def fields_of(given: Any) -> list[Field]:
    """Returns the fields that users name: texts such as `title:text`, or a dictionary of kinds and functions by name.

    >>> fields_of({"title": "text"}) == fields_of(["title:text"])
    True
    """
    if isinstance(given, Mapping):
        return [one if isinstance(one, Field) else Field.named(name, one) for name, one in given.items()]
    named = check_names("fields", given, Field)
    return [Field.parse(one) if isinstance(one, str) else one for one in named]


@dataclass(frozen=True, eq=False)
class Settings:
    """Everything that a result depends on, besides the data. If `weights` is None, weights are learned from the
    data."""

    fields: tuple[Field, ...]
    ignored: tuple[str, ...] = ()
    method: Method = "weights"
    threshold: float = 0.5
    """The minimum probability of a match or, with method="points", the minimum number of points."""
    top: int = 10
    one_to_one: bool = False
    candidates: tuple[Rule, ...] | None = None
    """Rules for which pairs to compare; None for the nearest records of each record."""
    weights: Weights | None = field(default=None, repr=False)
    calibration: Calibration | None = None
    """How labels changed the scores; None without labels."""

    def __post_init__(self) -> None:
        if not self.fields:
            raise InvalidOption("no-fields")
        check_one_of("method", self.method, METHODS)
        names = [one.name for one in self.fields]
        if len(set(names)) < len(names):
            raise InvalidOption("repeated-field", field=max(names, key=names.count))
        check_true_or_false("one_to_one", self.one_to_one)
        most = 1 if self.method == "weights" else 100 * len(self.fields)
        if not _is_number(self.threshold) or not 0 <= self.threshold <= most:
            values = {"most": most, "method": self.method, "value": self.threshold}
            raise InvalidOption("record-threshold-out-of-range", **values)
        check_whole("top", self.top, 1)

    def weights_fit(self, other: Settings) -> bool:
        """True if these weights can be used with `other`: both settings need the same fields, kinds and
        `one_to_one`."""
        same = [(one.name, one.kind) for one in self.fields] == [(one.name, one.kind) for one in other.fields]
        return same and self.weights is not None and len(self.weights.m) == len(other.fields) + other.one_to_one

    def to_toml(self) -> str:
        """Formats the settings as TOML.

        `from_toml` is the inverse. Weights that are removed from the file are learned again.
        """
        about = {name: getattr(self, name) for name in ("method", "threshold", "top", "one_to_one")}
        about["ignored"] = list(self.ignored)
        about |= {} if self.candidates is None else {"candidates": [rule.to_toml() for rule in self.candidates]}
        weights = self.weights
        if weights is not None:
            about |= {"odds": weights.odds, "matches": weights.matches}
            about |= {"relatives": weights.relatives} if weights.r is not None else {}
            about |= {"calibration": asdict(self.calibration)} if self.calibration is not None else {}
        sections = [TITLE + tomli_w.dumps(about)]
        for number, one in enumerate(self.fields):
            names = {"name": one.name, "kind": one.kind} | ({} if one.right is None else {"right": one.right})
            names |= {} if one.similarity is None else {"function": name_of(one.similarity)}  # for readers of the file
            sections.append("[[field]]\n" + tomli_w.dumps(names) + self._learned(number))
        if weights is not None and len(weights.m) > len(self.fields):
            sections.append("[rival]\n" + self._learned(len(self.fields)))
        return "\n".join(sections)

    def _learned(self, number: int) -> str:
        """Formats the learned weights of one field as TOML, with one line per list of shares; empty without weights."""
        weights = self.weights
        if weights is None:
            return ""
        shares = {"m": weights.m, "u": weights.u} | ({} if weights.r is None else {"r": weights.r})
        lines = [f"{group} = {share[number, 0].tolist()}\n" for group, share in shares.items()]
        parent = weights.parents[number]
        if parent >= 0:
            lines.append(tomli_w.dumps({"depends_on": self.fields[parent].name}))
            for state, name in ((APART, "apart"), (AGREE, "agree")):
                lines += [f"{group}_{name} = {share[number, state].tolist()}\n" for group, share in shares.items()]
        return "".join([*lines, f"agrees_from = {weights.agrees[number]}\n"])

    @classmethod
    def from_toml(cls, text: str, *, where: str = "the settings") -> Settings:
        try:
            values = tomllib.loads(text)
        except (ValueError, RecursionError) as error:  # not TOML, a number of thousands of digits, or too deeply nested
            raise InvalidOption("settings-not-toml", where=where, reason=str(error)) from None
        try:
            listed = values.get("field", [])
            if not isinstance(listed, list) or not all(isinstance(one, dict) for one in listed):
                raise InvalidOption("settings-section-expected", where=where, name="field", section="[[field]]")
            if not isinstance(values.get("rival", {}), dict):
                raise InvalidOption("settings-section-expected", where=where, name="rival", section="[rival]")
            fields = tuple(Field(one["name"], one["kind"], one.get("right")) for one in listed)
            known: dict[str, Any] = {
                name: values[name] for name in ("method", "threshold", "top", "one_to_one") if name in values
            }
            if "candidates" in values:
                known["candidates"] = tuple(map(Rule.from_toml, values["candidates"]))
            settings = cls(fields, tuple(values.get("ignored", ())), **known)
            learned = [*listed, *([values["rival"]] if "rival" in values else [])]
            if "odds" in values and all("m" in one and "u" in one for one in learned):
                weights = _weights(values, learned, [one.get("name") for one in learned])
                settings = replace(settings, weights=weights, calibration=_calibration(values.get("calibration")))
            return settings
        except InvalidOption:
            raise
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InvalidOption("settings-invalid", where=where, reason=repr(error)) from None

    @classmethod
    def load(cls, path: str | Path) -> Settings:
        try:
            return cls.from_toml(Path(path).read_text(encoding="utf-8"), where=str(path))
        except (OSError, ValueError) as error:  # ValueError: not UTF-8, or a zero byte in the path
            if isinstance(error, InvalidOption):
                raise
            raise InvalidOption("settings-unreadable", path=path, reason=why(error)) from None


def _weights(values: dict[str, Any], learned: list[dict[str, Any]], names: list[str | None]) -> Weights:
    related = "relatives" in values
    shares = [
        np.array([[one[of], *(one.get(f"{of}_{case}", one[of]) for case in ("apart", "agree"))] for one in learned])
        for of in ("m", "u", "r")[: 2 + related]
    ]
    if not all(share.shape == (len(learned), 3, LEVELS) and (share > 0).all() for share in shares):
        raise InvalidOption("settings-shares-invalid", names=("m", "u", "r")[: 2 + related], levels=LEVELS)
    odds, matches = values["odds"], values["matches"]
    if not _is_number(odds) or not 0 < odds < np.inf:
        raise InvalidOption("settings-number-not-positive", name="odds", value=odds)
    if not _is_number(matches) or not 0 <= matches < np.inf:
        raise InvalidOption("settings-number-negative", name="matches", value=matches)
    parents = tuple(names.index(one["depends_on"]) if "depends_on" in one else -1 for one in learned)
    agrees = tuple(int(one.get("agrees_from", LEVELS)) for one in learned)
    relatives = values.get("relatives", 0.5)
    if not _is_number(relatives) or not 0 < relatives < 1:
        raise InvalidOption("settings-share-out-of-range", name="relatives", value=relatives)
    m, u, *r = shares
    weights = Weights(m, u, parents, agrees, float(odds), float(matches))
    return replace(weights, r=r[0], relatives=float(relatives)) if related else weights


def _calibration(given: Any) -> Calibration | None:
    if given is None:
        return None
    slope, shift = given["slope"], given["shift"]
    if not _is_number(slope) or not 0 < slope < np.inf:
        raise InvalidOption("settings-number-not-positive", name="slope", value=slope)
    if not _is_number(shift) or not abs(shift) < np.inf:
        raise ValueError(f"shift = {shift}")
    return Calibration(float(slope), float(shift))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)
