"""Survivor rules: which document of several similar ones is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lookalike.flow.arrays import Rows

RULES = ("first", "last", "longest", "shortest")
"""The rules that consist of a single word."""


class Rule(NamedTuple):
    """One survivor rule.

    - `first`, `last`: by input order
    - `longest`, `shortest`: by length, in characters
    - `best:COLUMN`, `least:COLUMN`: by the highest or lowest value of a column; rows without a value come last
    - `source:GLOB`: rows from the input files that match
    - `where:COLUMN=VALUE`: rows with this value; other operators are !=, >= and <=
    """

    name: str
    subject: str = ""
    """A column, or the glob of `source`."""
    operator: str = ""
    value: str = ""

    @property
    def column(self) -> str | None:
        """The column that the rule reads, or None."""
        return self.subject if self.name in ("best", "least", "where") else None

    def __str__(self) -> str:
        return f"{self.name}:{self.subject}{self.operator}{self.value}" if self.subject else self.name


@dataclass(frozen=True)
class Keep:
    """Survivor rules in order. Each rule only breaks ties that the rules before it leave. Last, earlier rows win."""

    rules: tuple[Rule, ...]

    @classmethod
    def parse(cls, given: str | Sequence[str] | Keep) -> Keep:
        """Parses rules separated by commas, or a list of rules."""
        if isinstance(given, Keep):
            return given
        if isinstance(given, str) and given in RULES:
            return cls((Rule(given),))
        from lookalike.results.rule_parsing import parse_rules  # most runs have a rule of one word

        return cls(parse_rules(given))

    def __str__(self) -> str:
        return ",".join(map(str, self.rules))


def choose_survivors(labels: Rows, order: Rows | None = None) -> Rows:
    """Returns, for each row, the most preferred member of its cluster.

    `order` contains all rows, the most preferred one first (default: input order).

    >>> choose_survivors(np.array([0, 0, 2, 0]), np.array([3, 2, 1, 0])).tolist()
    [3, 3, 2, 3]
    """
    if order is None:
        return labels  # a label is the first row of its cluster
    best = np.full(len(labels), len(labels), dtype=np.int64)
    np.minimum.at(best, labels, places(order))
    survivors: Rows = order[best[labels]]
    return survivors


def places(order: Rows) -> Rows:
    """Returns the place of each row in the order."""
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order), dtype=np.int64)
    return place
