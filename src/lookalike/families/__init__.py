"""The theory: what a hash family promises, how AND and OR sharpen it, and how bands and rows are chosen.

| family | items | similarity | distance |
|---|---|---|---|
| `MinHash` | sets | Jaccard | 1 − Jaccard |
| `WeightedMinHash` | sets with weights | weighted Jaccard | 1 − that |
| `BitSampling` | sequences of one length | share of equal places | Hamming: places that differ |
| `Hyperplanes`, `Signs`, `CrossPolytope` | vectors | cosine | angle in degrees |
| `GaussianLines`, `UnitLines` | points | none | Euclidean |
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lookalike.families.amplify import And, Banded, Or
    from lookalike.families.base import Family
    from lookalike.families.bits import BitSampling
    from lookalike.families.constructions import Cost, Tuning, tune
    from lookalike.families.hyperplanes import Hyperplanes, Signs
    from lookalike.families.minhash import MinHash
    from lookalike.families.polytope import CrossPolytope
    from lookalike.families.projections import GaussianLines, UnitLines
    from lookalike.families.tuning import choose_bands
    from lookalike.families.weighted import WeightedMinHash

__all__ = [
    "And",
    "Banded",
    "BitSampling",
    "Cost",
    "CrossPolytope",
    "Family",
    "GaussianLines",
    "Hyperplanes",
    "MinHash",
    "Or",
    "Signs",
    "Tuning",
    "UnitLines",
    "WeightedMinHash",
    "choose_bands",
    "tune",
]

_HOMES = {
    "And": "amplify",
    "Banded": "amplify",
    "BitSampling": "bits",
    "Cost": "constructions",
    "CrossPolytope": "polytope",
    "Family": "base",
    "GaussianLines": "projections",
    "Hyperplanes": "hyperplanes",
    "MinHash": "minhash",
    "Or": "amplify",
    "Signs": "hyperplanes",
    "Tuning": "constructions",
    "UnitLines": "projections",
    "WeightedMinHash": "weighted",
    "choose_bands": "tuning",
    "tune": "constructions",
}


def __getattr__(name: str) -> Any:
    """Looked up when used: plans need bands and rows alone, and the reference engine must not meet the kernel."""
    if name not in _HOMES:
        raise AttributeError(f"module 'lookalike.families' has no attribute {name!r}")
    return getattr(import_module(f"lookalike.families.{_HOMES[name]}"), name)
