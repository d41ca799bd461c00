"""What `dedupe` may remove: the option `remove` becomes entries of the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from lookalike.errors import InvalidOption
from lookalike.flow.threshold import PLACES, Threshold
from lookalike.planning.plan import COPIES, Plan

ALLOWED = ("near", *COPIES, "contained", "contained:SHARE")

ABOUT_TEXTS = ("shingles", "whitespace", "case", "normalize", "tokenizer")
"""Options that determine which texts have the same words. All others are about similarity."""


def with_removal(plan: Plan, removal: Any, given: Mapping[str, Any]) -> Plan:
    """Returns the plan with the entries that `removal` requires. `given` are the options that the user set."""
    name, colon, share = removal.partition(":") if isinstance(removal, str) else ("", "", "")
    if removal == "near":
        return replace(without_copies(plan), contained=None)
    if name == "contained" and bool(colon) == bool(share):
        return replace(without_copies(plan), contained=_share(removal, share or "1"))
    if removal not in COPIES:
        raise InvalidOption("not-one-of", option="remove", allowed=ALLOWED, value=removal)
    useless = [option for option in given if removal == "identical" or option not in ABOUT_TEXTS]
    if useless:
        raise InvalidOption("useless-for-copies", option=useless[0], remove=removal)
    # Documents with the same words have similarity 1, and all of them are found.
    settled: dict[str, Any] = {
        "threshold": "1",
        "method": "exact",
        "recall": 0.99,
        "verify": "exact",
        "bands": None,
        "rows": None,
    }
    return replace(plan, copies=removal, linkage="star", contained=None, ignore_common=None, **settled)


def without_copies(plan: Plan) -> Plan:
    """Returns the plan without the entry for copies. Verbs other than `dedupe` then find documents of similarity 1."""
    return replace(plan, copies=None)


def _share(removal: str, share: str) -> Threshold:
    try:
        return Threshold(share)
    except InvalidOption as error:
        meant = error.values.get("meant")
        meant = None if meant is None else f"contained:{meant}"
        raise InvalidOption("share-of-contained", places=PLACES, value=removal, meant=meant) from None
