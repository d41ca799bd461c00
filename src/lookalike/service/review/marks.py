"""Marks: what the decisions in force say about each cluster: its state, its survivor, and its excluded members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from lookalike.choosing.decision_lines import Line
from lookalike.flow.arrays import Rows
from lookalike.service.review.groups import Groups

STATES = OPEN, ACCEPTED, DISTINCT, SKIPPED = "open", "accepted", "distinct", "skipped"

DECIDED = (ACCEPTED, DISTINCT)


class Mark(NamedTuple):
    """A line about rows of one cluster."""

    line: int
    kind: str
    rows: tuple[int, ...]


@dataclass
class Standing:
    """What the decisions in force say about one cluster."""

    state: str = OPEN
    survivor: int | None = None
    """The row that a decision chose; None if the rules decide."""
    kept: dict[int, int] = field(default_factory=dict)
    """The kept rows, each with the number of its line."""
    excluded: set[int] = field(default_factory=set)
    different: list[tuple[int, ...]] = field(default_factory=list)
    """Sets of rows that are different from one another."""

    def decision(self, row: int) -> str | None:
        """Returns the decision that applies to a row."""
        if row in self.excluded:
            return "exclude"
        if row in self.kept:
            return "keep"
        return "different" if any(row in some for some in self.different) else None


class Marks:
    """The marks of all clusters, and their states as arrays for the queue."""

    def __init__(self, groups: Groups) -> None:
        self.groups = groups
        self._marks: dict[int, list[Mark]] = {}
        self.state = np.zeros(len(groups), np.int8)
        """The number of the state of each cluster in `STATES`."""
        self.survivors = groups.survivors.copy()
        self.excluded = np.zeros(len(groups), np.int64)

    def add(self, lines: Iterable[Line], rows: Mapping[int, Rows], gone: set[int]) -> set[int]:
        """Adds lines. `rows` are the rows that each line applies to. Returns the places of their clusters."""
        changed: set[int] = set()
        for line in lines:
            some = rows.get(line.number, np.zeros(0, np.int64))
            places = self.groups.places_of(some)
            order = np.argsort(places, kind="stable")
            places, some = places[order], some[order]
            cuts = np.flatnonzero(np.diff(places)) + 1
            for place, part in zip(np.split(places, cuts), np.split(some, cuts), strict=True):
                if len(place) and place[0] >= 0:
                    mark = Mark(line.number, line.kind, tuple(part.tolist()))
                    self._marks.setdefault(int(place[0]), []).append(mark)
                    changed.add(int(place[0]))
        self.settle(changed, gone)
        return changed

    def settle(self, places: Iterable[int], gone: set[int]) -> None:
        """Computes the states of clusters again, without the lines in `gone`."""
        for place in places:
            standing = self.standing(place, gone)
            self.state[place] = STATES.index(standing.state)
            survivor = standing.survivor
            self.survivors[place] = self._usual(place, standing) if survivor is None else survivor
            self.excluded[place] = len(standing.excluded)

    def _usual(self, place: int, standing: Standing) -> int:
        """Returns the survivor if no decision chose one: that of the run, unless it is excluded."""
        usual = int(self.groups.survivors[place])
        if usual not in standing.excluded:
            return usual
        return next((row for row in self.groups.members(place).tolist() if row not in standing.excluded), usual)

    def standing(self, place: int, gone: set[int]) -> Standing:
        """Applies the lines about a cluster that are in force, one after another."""
        found, last, skipped = Standing(), {ACCEPTED: -1, DISTINCT: -1}, -1
        for mark in self._marks.get(place, ()):
            if mark.line in gone:
                continue
            rows = set(mark.rows)
            if mark.kind == "skip":
                skipped = mark.line
            elif mark.kind == "different":
                if len(rows) > 1:
                    found.different.append(mark.rows)
            elif mark.kind == "keep":
                found.excluded -= rows
                found.kept |= dict.fromkeys(mark.rows, mark.line)
            else:
                for row in rows:
                    found.kept.pop(row, None)
                found.excluded -= rows
                if mark.kind == "exclude":
                    found.excluded |= rows
                else:
                    found.different = [some for some in found.different if len(rows & {*some}) < len(some)]
        members = {*self.groups.members(place).tolist()} - found.excluded
        kept = {row: line for row, line in found.kept.items() if row in members}
        if kept:
            found.survivor = max(kept, key=lambda row: kept[row])
            last[ACCEPTED] = kept[found.survivor]
        if len(members) < 2:
            last[DISTINCT] = 1 << 62
        for mark in self._marks.get(place, ()):
            is_in_force = mark.line not in gone and mark.kind == "different" and mark.rows in found.different
            if is_in_force and members <= {*mark.rows}:
                last[DISTINCT] = mark.line
        state = max(last, key=lambda name: last[name])
        if last[state] >= 0:
            found.state = state
        elif skipped >= 0:
            found.state = SKIPPED
        return found

    def of(self, place: int) -> list[Mark]:
        """Returns the marks of one cluster, including withdrawn ones."""
        return self._marks.get(place, [])

    def places_of_lines(self, rows: Mapping[int, Rows], lines: Iterable[int]) -> set[int]:
        """Returns the places of the clusters that lines are about."""
        found: set[int] = set()
        for line in lines:
            found |= {*self.groups.places_of(rows.get(line, np.zeros(0, np.int64))).tolist()}
        return found - {-1}

    def counts(self) -> dict[str, int]:
        numbers = np.bincount(self.state, minlength=len(STATES)).tolist()
        return dict(zip(STATES, numbers, strict=True))
