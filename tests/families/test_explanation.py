"""`explain --family` explains any family in words, numbers and a curve."""

from __future__ import annotations

import json

import pytest

from lookalike.cli import run
from lookalike.families.explanation import NAMES, Explained, parse_family
from lookalike.families.hyperplanes import Hyperplanes
from lookalike.families.minhash import MinHash
from lookalike.families.projections import GaussianLines, UnitLines
from tests.refusals import refused

WRITTEN = "minhash weighted bits:64 hyperplanes signs:100 polytope polytope:8 lines:2 unit-lines:2".split()


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("ascii", [False, True])
def test_every_family_is_explained_within_eighty_columns(name: str, ascii: bool) -> None:
    family = parse_family(name)
    where = {"distance": 0.5} if family.by_distance else {"threshold": 0.9}
    explained = Explained(family, **where)  # type: ignore[arg-type]
    text = explained.text(ascii=ascii)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert not ascii or text.isascii()
    assert f"{explained.banded.bands} {'x' if ascii else '×'} {explained.banded.rows} rows" in text
    assert ("An approximation." in " ".join(text.split())) == family.approximate
    assert json.loads(json.dumps(explained.facts()))["recall_expected"] >= 0.99


def test_the_names_cover_all_families() -> None:
    assert {name.split(":")[0] for name in WRITTEN} == set(NAMES)
    assert parse_family("unit-lines:2:5") == UnitLines(2.0, 5)


def test_bands_are_the_most_selective_that_reach_the_recall() -> None:
    """Bands are chosen by the rule of plans, from the collision probability of one hash function."""
    banded = Explained(Hyperplanes(), threshold=0.9).banded
    assert (banded.bands, banded.rows) == (14, 8)
    assert banded.collision_probability(0.9) >= 0.99


def test_a_threshold_may_be_given_as_a_distance() -> None:
    assert Explained(Hyperplanes(), distance=60).at == pytest.approx(0.5)
    assert Explained(MinHash(), distance=0.2).banded == Explained(MinHash(), threshold=0.8).banded


@pytest.mark.parametrize(
    ("family", "options", "code"),
    [
        (GaussianLines(1.0), {"threshold": 0.8}, "family-of-distances"),
        (GaussianLines(1.0), {"distance": 0.0}, "not-positive"),
        (MinHash(), {"threshold": 0.5, "distance": 0.5}, "threshold-and-distance"),
        (MinHash(), {"recall": 1.0}, "recall-not-below-one"),
        (MinHash(), {"threshold": 0.1, "hashes": 8}, "recall-out-of-reach"),
        (MinHash(), {"bands": 20, "rows": 10}, "too-few-hashes"),
        (MinHash(), {"bands": 200}, "too-few-hashes"),
        (MinHash(), {"rows": 200}, "too-few-hashes"),
        (MinHash(), {"bands": 0}, "not-a-whole-number"),
    ],
)
def test_invalid_arguments_are_refused(family: MinHash, options: dict[str, float], code: str) -> None:
    with refused(code):
        Explained(family, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "code"), [("nope", "not-one-of"), ("bits", "malformed-family"), ("bits:x", "malformed-family")]
)
def test_invalid_families_are_refused(text: str, code: str) -> None:
    with refused(code, value=text):
        parse_family(text)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--family", "nope"],
        ["--family", "minhash", "--threshold", "x"],
        ["--family", "minhash", "--shingles", "words:5"],
        ["--distance", "3"],
    ],
)
def test_the_command_refuses_invalid_options(arguments: list[str]) -> None:
    assert run(["explain", *arguments]) == 2


def test_the_command_explains_a_family(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explain", "--family", "hyperplanes", "--threshold", "0.9", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["bands"] == 14
