"""recordlinkage: blocking keys and comparisons configured by hand; its ECM classifier, which needs no labels."""

from __future__ import annotations

from dataclasses import dataclass, field

import pandas as pd
import recordlinkage as rl
from contenders import record_contender

WINDOW = 7


@dataclass(frozen=True)
class Setup:
    """The configuration for one table. ECM needs binary comparisons: a field agrees if it reaches a threshold."""

    keys: list[list[str]]
    """Records that agree in all columns of a key are compared."""
    near: list[str]
    """Neighbours in the order of one of these columns are compared too."""
    exact: list[str] = field(default_factory=list)
    alike: dict[str, float] = field(default_factory=dict)
    """Thresholds of the Jaro–Winkler similarity."""
    grams: dict[str, float] = field(default_factory=dict)
    """Thresholds of the cosine similarity of q-grams."""


FEBRL = Setup(
    keys=[
        ["soc_sec_id"],
        ["given_name", "surname"],
        ["date_of_birth"],
        ["postcode", "surname"],
        ["postcode", "given_name"],
    ],
    near=["surname", "given_name", "address_1"],
    exact=["postcode", "state", "date_of_birth", "soc_sec_id"],
    alike={"given_name": 0.85, "surname": 0.85, "address_1": 0.85, "suburb": 0.85},
)
CITATIONS = Setup(
    keys=[["title"], ["first", "year"], ["pages", "year"], ["start"]],
    near=["title", "author"],
    exact=["year", "volume", "number", "pages"],
    alike={"author": 0.8, "journal": 0.85},
    grams={"title": 0.8},
)
SETUPS = {
    **{f"febrl{n}": FEBRL for n in (1, 2, 3, 4)},
    **dict.fromkeys(("stroke", "cytology_screening", "haematology"), CITATIONS),
    "dblp_acm": Setup(
        keys=[["title"], ["start"], ["first", "year"]],
        near=["title"],
        exact=["year", "first"],
        alike={"author": 0.8},
        grams={"title": 0.8},
    ),
    "cora": Setup(
        keys=[["title"], ["start"], ["first"], ["pages", "year"]],
        near=["title", "author"],
        exact=["year", "pages"],
        alike={"author": 0.75, "journal": 0.75},
        grams={"title": 0.8},
    ),
    "abt_buy": Setup(
        keys=[["brand"], ["code"]],
        near=["title"],
        exact=["brand", "code"],
        alike={"title": 0.75},
        grams={"title": 0.5},
    ),
    "restaurants": Setup(
        keys=[["phone"], ["title"]],
        near=["title"],
        exact=["phone"],
        alike={"title": 0.85},
    ),
}


def find(job: record_contender.Job) -> record_contender.Answer:
    setup = SETUPS[job.table]
    frames = [frame.set_index("id") for frame in record_contender.ready(job)]
    index = rl.Index()
    for key in setup.keys:
        index.block(key)
    for name in setup.near:
        index.sortedneighbourhood(name, window=WINDOW)
    pairs = index.index(*frames)
    compare = rl.Compare()
    for name in setup.exact:
        compare.exact(name, name, label=f"{name}, equal")
    for measure, cuts in (("jarowinkler", setup.alike), ("cosine", setup.grams)):
        for name, cut in cuts.items():
            compare.string(name, name, method=measure, threshold=cut, label=f"{name}, {measure}")
    agree = compare.compute(pairs, *frames)
    model = rl.ECMClassifier()
    model.fit(agree)
    # Many scores are equal; the number of fields that agree breaks ties.
    score = model.prob(agree).to_numpy() * (1 - 1e-6) + agree.mean(axis=1).to_numpy() * 1e-6
    found = pd.DataFrame({
        "left": agree.index.get_level_values(0),
        "right": agree.index.get_level_values(1),
        "score": score,
    })  # fmt: skip
    return record_contender.Answer(found, 0.5)


if __name__ == "__main__":
    record_contender.main(find)
