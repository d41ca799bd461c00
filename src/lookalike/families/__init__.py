"""Hash families: their collision probabilities, their AND and OR constructions, and the choice of bands and rows.

Plans use `Banded` and `choose_bands`; vector joins choose one of the families. `darts.py` (weighted MinHash in plain
Python), `tune`, and the methods `sample` and `plot` of every family are for study and tests.

| family | items | similarity | distance |
|---|---|---|---|
| `MinHash` | sets | Jaccard | 1 − Jaccard |
| `WeightedMinHash` | sets with weights | weighted Jaccard | 1 − weighted Jaccard |
| `BitSampling` | sequences of equal length | share of equal positions | Hamming: number of different positions |
| `Hyperplanes`, `Signs`, `CrossPolytope` | vectors | cosine | angle in degrees |
| `GaussianLines`, `UnitLines` | points | none | Euclidean |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.lazy import lazy

if TYPE_CHECKING:
    from lookalike.families.amplify import And as And
    from lookalike.families.amplify import Banded as Banded
    from lookalike.families.amplify import Or as Or
    from lookalike.families.band_choice import choose_bands as choose_bands
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


_HOMES = {
    "And": "amplify",
    "Banded": "amplify",
    "BitSampling": "bits",
    "Cost": "tuning",
    "CrossPolytope": "polytope",
    "Family": "base",
    "GaussianLines": "projections",
    "Hyperplanes": "hyperplanes",
    "MinHash": "minhash",
    "Or": "amplify",
    "Signs": "hyperplanes",
    "Tuning": "tuning",
    "UnitLines": "projections",
    "WeightedMinHash": "weighted",
    "choose_bands": "band_choice",
    "tune": "tuning",
}

__all__ = sorted(_HOMES)
__getattr__, __dir__ = lazy(__name__, _HOMES)
