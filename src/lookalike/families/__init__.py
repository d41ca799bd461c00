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
