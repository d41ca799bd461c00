"""Assigns the entries of public names to pages and groups."""

from __future__ import annotations

import inspect
from types import ModuleType
from typing import Any

import lookalike as la

GROUPS: dict[str, dict[str, str]] = {
    "python": {
        "Find similar documents, sets and vectors": "find_pairs find_clusters dedupe join nearest compare",
        "Keep documents in an index": "Index Client",
        "Check a result, or predict it": "audit forecast contamination",
        "Find records, stories, copied passages and frequent pairs": "resolve link stories plagiarism frequent_pairs",
        "Sign documents for your own use": "signature signatures Signature simhash",
    },
    "results": {
        "All results": "Result Summary load Work Decisions",
        "Similar documents, sets and vectors": "Pairs Clusters Deduped Matches IndexMatches Comparison",
        "Checks and predictions": "Audit Forecast Contamination",
        "Records, stories, copied passages and frequent pairs": "Resolved Stories Plagiarism FrequentPairs",
    },
    "plans": {
        "Plans": "Plan resolve_plan",
        "Shingles": "Shingling Words Symbols Chars Tokens Stopwords Auto",
        "Families": "Family MinHash WeightedMinHash BitSampling Hyperplanes Signs CrossPolytope GaussianLines "
        "UnitLines",
        "Constructions": "And Or Banded choose_bands tune Tuning Cost",
    },
    "modules": {},
}
"""The names of `lookalike`, by page and heading."""

MODULES = (
    "distances", "joins", "apps.resolve", "apps.stories", "apps.plagiarism", "apps.fingerprints", "apps.images",
    "errors", "engines", "flow", "testing",
)  # fmt: skip
"""The modules for users. Each is a heading of the page `modules`, with the names that are on no other page."""


def names(page: str) -> dict[str, dict[str, Any]]:
    """Returns the objects of a page by heading, then by name."""
    if page == "modules":
        return {f"lookalike.{path}": _of_module(path) for path in MODULES}
    return {heading: {name: getattr(la, name) for name in words.split()} for heading, words in GROUPS[page].items()}


def module(path: str) -> ModuleType:
    found: Any = la
    for part in path.split("."):
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]


def _of_module(path: str) -> dict[str, Any]:
    elsewhere = {name for groups in GROUPS.values() for words in groups.values() for name in words.split()}
    home = module(path)
    return {f"{path}.{name}": getattr(home, name) for name in public(home) if name not in elsewhere}


def public(home: ModuleType) -> list[str]:
    """Returns the names in `__all__`; without it, the classes that the module defines."""
    defined = [
        name for name, thing in vars(home).items() if inspect.isclass(thing) and thing.__module__ == home.__name__
    ]
    return list(getattr(home, "__all__", defined))
