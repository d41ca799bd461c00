"""lookalike finds similar things: near-duplicate documents and overlapping sets, exactly verified.

    documents ──shingle──▶ shingles ──sign──▶ signatures ──propose──▶ candidates ──verify──▶ pairs ──connect──▶ clusters

A family is a distribution over hash functions whose collision probability is a known function of similarity;
a plan is a value that says what to compute and never how; an engine carries out a plan, and every engine gives the same
answer.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike import apps as apps
    from lookalike import joins as joins
    from lookalike.api import (
        audit,
        compare,
        contamination,
        dedupe,
        find_clusters,
        find_pairs,
        forecast,
        frequent_pairs,
        join,
        nearest,
        resolve_plan,
    )
    from lookalike.apps.plagiarism import Plagiarism, plagiarism
    from lookalike.apps.resolve import Resolved, link, resolve
    from lookalike.apps.stories import Stories, stories
    from lookalike.errors import LookalikeError
    from lookalike.families import (
        And,
        Banded,
        BitSampling,
        Cost,
        CrossPolytope,
        Family,
        GaussianLines,
        Hyperplanes,
        MinHash,
        Or,
        Signs,
        Tuning,
        UnitLines,
        WeightedMinHash,
        choose_bands,
        tune,
    )
    from lookalike.flow import Auto, Chars, Shingling, Stopwords, Tokens, Words
    from lookalike.frequent import FrequentPairs
    from lookalike.planning.plan import Plan
    from lookalike.results import Clusters, Deduped, Joined, Pairs, Summary, open_result, save_result
    from lookalike.text.comparison import Comparison
    from lookalike.trust.audit import Audit
    from lookalike.trust.contamination import Contamination
    from lookalike.trust.forecast import Forecast
    from lookalike.work.folder import Work

__version__ = "0.1.0"

_HOMES = {
    "And": "families",
    "Audit": "trust.audit",
    "Auto": "flow",
    "Banded": "families",
    "BitSampling": "families",
    "Chars": "flow",
    "Clusters": "results",
    "Comparison": "text.comparison",
    "Contamination": "trust.contamination",
    "Cost": "families",
    "CrossPolytope": "families",
    "Deduped": "results",
    "Family": "families",
    "Forecast": "trust.forecast",
    "FrequentPairs": "frequent",
    "GaussianLines": "families",
    "Hyperplanes": "families",
    "Joined": "results",
    "LookalikeError": "errors",
    "MinHash": "families",
    "Or": "families",
    "Pairs": "results",
    "Plagiarism": "apps.plagiarism",
    "Plan": "planning.plan",
    "Resolved": "apps.resolve",
    "Shingling": "flow",
    "Signs": "families",
    "Stopwords": "flow",
    "Stories": "apps.stories",
    "Summary": "results",
    "Tokens": "flow",
    "Tuning": "families",
    "UnitLines": "families",
    "WeightedMinHash": "families",
    "Words": "flow",
    "Work": "work.folder",
    "audit": "api",
    "choose_bands": "families",
    "compare": "api",
    "contamination": "api",
    "dedupe": "api",
    "find_clusters": "api",
    "find_pairs": "api",
    "forecast": "api",
    "frequent_pairs": "api",
    "join": "api",
    "link": "apps.resolve",
    "nearest": "api",
    "open_result": "results",
    "plagiarism": "apps.plagiarism",
    "resolve": "apps.resolve",
    "resolve_plan": "api",
    "save_result": "results",
    "stories": "apps.stories",
    "tune": "families",
}

__all__ = [
    "And",
    "Audit",
    "Auto",
    "Banded",
    "BitSampling",
    "Chars",
    "Clusters",
    "Comparison",
    "Contamination",
    "Cost",
    "CrossPolytope",
    "Deduped",
    "Family",
    "Forecast",
    "FrequentPairs",
    "GaussianLines",
    "Hyperplanes",
    "Joined",
    "LookalikeError",
    "MinHash",
    "Or",
    "Pairs",
    "Plagiarism",
    "Plan",
    "Resolved",
    "Shingling",
    "Signs",
    "Stopwords",
    "Stories",
    "Summary",
    "Tokens",
    "Tuning",
    "UnitLines",
    "WeightedMinHash",
    "Words",
    "Work",
    "audit",
    "choose_bands",
    "compare",
    "contamination",
    "dedupe",
    "find_clusters",
    "find_pairs",
    "forecast",
    "frequent_pairs",
    "join",
    "link",
    "nearest",
    "open_result",
    "plagiarism",
    "resolve",
    "resolve_plan",
    "save_result",
    "stories",
    "tune",
]


def __getattr__(name: str) -> Any:
    """Public names are looked up when they are used, so that `import lookalike` and `--help` are quick."""
    if name in ("apps", "joins"):  # packages, whose names are used with their own before them: `la.joins.prefix`
        return import_module(f"lookalike.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'lookalike' has no attribute {name!r}")
    return getattr(import_module(f"lookalike.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
