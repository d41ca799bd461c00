"""Builds a plan from the options of a verb."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike.errors import InvalidOption
from lookalike.flow import Auto, Chars, Shingling, parse_shingling
from lookalike.planning.plan import Goal, Plan
from lookalike.requests.option import part
from lookalike.requests.shared import Cutting

if TYPE_CHECKING:
    from lookalike.joins.request import JoinRequest

DECIDES_BANDS = {"threshold", "recall", "method", "hashes"}
"""The plan entries on which the choice of bands and rows depends."""

NOT_OF_STRINGS = {"shingles", "whitespace", "bag", "bits"}
"""Options for shingles that do not apply to strings, which are compared character by character."""


def plan_from(plan: Plan | str | Path | None, goal: Goal, options: Mapping[str, Any]) -> Plan:
    """The given plan, or the default plan, with entries replaced by the options of a call, which are plan entries.

    The bands and rows of a saved plan are discarded, to be chosen again, if the options include an entry on which they
    depend. The same happens if the saved plan is an exact join (no rows) and the options require bands.
    """
    given = dict(options)
    if not isinstance(plan, Plan | str | os.PathLike | None):
        raise InvalidOption("not-a-plan", type=type(plan).__name__)
    base = Plan() if plan is None else plan if isinstance(plan, Plan) else Plan.load(plan)
    cutting = {name: given.pop(name) for name in part(given, Cutting)}
    shingles = cutting.pop("shingles", base.shingles)
    if cutting.get("whitespace") and not isinstance(parse_shingling(shingles), Chars | Auto):
        raise InvalidOption("whitespace-without-characters", shingles=str(shingles))
    if isinstance(shingles, str):  # a new kind of shingle does not reset the other rules of the plan
        cutting = {name: getattr(base.shingles, name) for name in ("case", "normalize", "bag", "bits")} | cutting
    needs_bands = given.get("verify", "exact") != "exact" or given.keys() & {"bands", "rows"}
    if given.keys() & DECIDES_BANDS or (base.rows == 0 and needs_bands):
        base = dataclasses.replace(base, bands=None, rows=None)
    return dataclasses.replace(base, goal=goal, shingles=parse_shingling(shingles, **cutting), **given)


def shingles_of_join(request: JoinRequest, options: Mapping[str, Any]) -> Shingling:
    """The shingling for a join. Strings become single characters and, by default, are not lowercased or normalized."""
    cutting = part(options, Cutting)
    if not request.of_sets:
        if excess := sorted(cutting.keys() & NOT_OF_STRINGS):
            raise InvalidOption("not-for-strings", measure=request.measure, option=excess[0])
        cutting = {"shingles": "chars:1", "case": "keep", "normalize": "none"} | cutting
    elif request.measure == "sum-bag":
        cutting = {"bag": True} | cutting
    return parse_shingling(plan_from(None, "pairs", cutting).shingles)
