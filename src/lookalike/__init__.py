"""lookalike finds similar things: near-duplicate documents and overlapping sets, exactly verified.

    documents ──shingle──▶ shingles ──sign──▶ signatures ──propose──▶ candidates ──verify──▶ pairs ──connect──▶ clusters

A family is a distribution over hash functions whose collision probability is a known function of similarity.
A plan specifies what to compute, but not how. An engine carries out a plan; every engine gives the same answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.lazy import lazy

if TYPE_CHECKING:
    from lookalike import apps as apps
    from lookalike import distances as distances
    from lookalike import engines as engines
    from lookalike import errors as errors
    from lookalike import families as families
    from lookalike import flow as flow
    from lookalike import joins as joins
    from lookalike import testing as testing
    from lookalike.api import audit as audit
    from lookalike.api import compare as compare
    from lookalike.api import contamination as contamination
    from lookalike.api import dedupe as dedupe
    from lookalike.api import find_clusters as find_clusters
    from lookalike.api import find_pairs as find_pairs
    from lookalike.api import forecast as forecast
    from lookalike.api import frequent_pairs as frequent_pairs
    from lookalike.api import join as join
    from lookalike.api import nearest as nearest
    from lookalike.api import resolve_plan as resolve_plan
    from lookalike.api import signature as signature
    from lookalike.api import signatures as signatures
    from lookalike.api import simhash as simhash
    from lookalike.apps import images as images
    from lookalike.apps.plagiarism import Plagiarism as Plagiarism
    from lookalike.apps.plagiarism import plagiarism as plagiarism
    from lookalike.apps.resolve import Resolved as Resolved
    from lookalike.apps.resolve import link as link
    from lookalike.apps.resolve import resolve as resolve
    from lookalike.apps.stories import Stories as Stories
    from lookalike.apps.stories import stories as stories
    from lookalike.choosing.decisions import Decisions as Decisions
    from lookalike.errors import LookalikeError as LookalikeError
    from lookalike.errors import LookalikeWarning as LookalikeWarning
    from lookalike.families.amplify import And as And
    from lookalike.families.amplify import Banded as Banded
    from lookalike.families.amplify import Or as Or
    from lookalike.families.amplify import choose_bands as choose_bands
    from lookalike.families.base import Family as Family
    from lookalike.families.bits import BitSampling as BitSampling
    from lookalike.families.hyperplanes import Hyperplanes as Hyperplanes
    from lookalike.families.hyperplanes import Signs as Signs
    from lookalike.families.minhash import MinHash as MinHash
    from lookalike.families.polytope import CrossPolytope as CrossPolytope
    from lookalike.families.projections import GaussianLines as GaussianLines
    from lookalike.families.projections import UnitLines as UnitLines
    from lookalike.families.tuning import Cost as Cost
    from lookalike.families.tuning import Tuning as Tuning
    from lookalike.families.tuning import tune as tune
    from lookalike.families.weighted import WeightedMinHash as WeightedMinHash
    from lookalike.flow import Auto as Auto
    from lookalike.flow import Chars as Chars
    from lookalike.flow import Shingling as Shingling
    from lookalike.flow import Stopwords as Stopwords
    from lookalike.flow import Symbols as Symbols
    from lookalike.flow import Tokens as Tokens
    from lookalike.flow import Words as Words
    from lookalike.flow.signature import Signature as Signature
    from lookalike.frequent import FrequentPairs as FrequentPairs
    from lookalike.index.index import Index as Index
    from lookalike.planning.plan import Plan as Plan
    from lookalike.results.clusters import Clusters as Clusters
    from lookalike.results.deduped import Deduped as Deduped
    from lookalike.results.index_matches import IndexMatches as IndexMatches
    from lookalike.results.matches import Matches as Matches
    from lookalike.results.pairs import Pairs as Pairs
    from lookalike.results.result import Result as Result
    from lookalike.results.saved import load as load
    from lookalike.results.summary import Summary as Summary
    from lookalike.service.client import Client as Client
    from lookalike.text.comparison import Comparison as Comparison
    from lookalike.trust.audit import Audit as Audit
    from lookalike.trust.contamination import Contamination as Contamination
    from lookalike.trust.forecast import Forecast as Forecast
    from lookalike.work.folder import Work as Work


__version__ = "0.1.0"

_HOMES = {
    "And": "families.amplify",
    "Audit": "trust.audit",
    "Auto": "flow",
    "Banded": "families.amplify",
    "BitSampling": "families.bits",
    "Chars": "flow",
    "Client": "service.client",
    "Clusters": "results.clusters",
    "Comparison": "text.comparison",
    "Contamination": "trust.contamination",
    "Cost": "families.tuning",
    "CrossPolytope": "families.polytope",
    "Decisions": "choosing.decisions",
    "Deduped": "results.deduped",
    "Family": "families.base",
    "Forecast": "trust.forecast",
    "FrequentPairs": "frequent",
    "GaussianLines": "families.projections",
    "Hyperplanes": "families.hyperplanes",
    "Index": "index.index",
    "IndexMatches": "results.index_matches",
    "LookalikeError": "errors",
    "LookalikeWarning": "errors",
    "Matches": "results.matches",
    "MinHash": "families.minhash",
    "Or": "families.amplify",
    "Pairs": "results.pairs",
    "Plagiarism": "apps.plagiarism",
    "Plan": "planning.plan",
    "Resolved": "apps.resolve",
    "Result": "results.result",
    "Shingling": "flow",
    "Signs": "families.hyperplanes",
    "Symbols": "flow",
    "Stopwords": "flow",
    "Signature": "flow.signature",
    "Stories": "apps.stories",
    "Summary": "results.summary",
    "Tokens": "flow",
    "Tuning": "families.tuning",
    "UnitLines": "families.projections",
    "WeightedMinHash": "families.weighted",
    "Words": "flow",
    "Work": "work.folder",
    "audit": "api",
    "choose_bands": "families.amplify",
    "compare": "api",
    "contamination": "api",
    "dedupe": "api",
    "find_clusters": "api",
    "find_pairs": "api",
    "forecast": "api",
    "frequent_pairs": "api",
    "images": "apps",
    "join": "api",
    "link": "apps.resolve",
    "load": "results.saved",
    "nearest": "api",
    "plagiarism": "apps.plagiarism",
    "resolve": "apps.resolve",
    "resolve_plan": "api",
    "signature": "api",
    "signatures": "api",
    "simhash": "api",
    "stories": "apps.stories",
    "tune": "families.tuning",
}

_MODULES = ("apps", "distances", "engines", "errors", "families", "flow", "joins", "testing")
"""The public modules, which are attributes of the package even if they were not imported."""

__all__ = sorted(_HOMES.keys() - {"images"})  # which is a module
__getattr__, __dir__ = lazy(__name__, _HOMES, packages=_MODULES, hints="notices.datasketch")
