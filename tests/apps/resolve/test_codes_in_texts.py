"""Codes inside texts, such as model numbers in titles, tell variants of one product apart."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import lookalike as la
from lookalike.apps.resolve import Settings
from lookalike.apps.resolve.codes_in_texts import NAME, codes_of
from lookalike.apps.resolve.columns import Column
from lookalike.apps.resolve.compare import similarities

Rows = list[dict[str, Any]]


def _variants(shops: int = 1) -> tuple[list[Rows], list[list[int]]]:
    """Returns offers of three variants per model, whose titles differ in the model number only, and their products."""
    draw = random.Random(5)
    words = ["".join(draw.choices("abdegilmnorstu", k=6)) for _ in range(150)]
    rows: list[Rows] = [[] for _ in range(shops)]
    product: list[list[int]] = [[] for _ in range(shops)]
    for model in range(120):
        name, story = " ".join(draw.sample(words, 3)), " ".join(draw.sample(words, 6))
        for variant in range(3):
            letters, digits = "".join(draw.choices("ABCDEFGHKLMN", k=3)), str(draw.randrange(100, 10_000))
            forms = [f"{name} {letters}{digits}", f"{name.split()[0]} {letters}-{digits} {name}"]
            for offer, title in enumerate(forms[: 1 + (draw.random() < 0.5)]):
                rows[offer % shops].append({"title": title, "story": story if offer == 0 else None})
                product[offer % shops].append(3 * model + variant)
    return rows, product


def _f1(found: la.Resolved, product: list[int], pairs: int) -> float:
    true = sum(product[a] == product[b] for a, b in zip(found.outcome.left, found.outcome.right, strict=True))
    return float(2 * true / (len(found) + pairs))


def test_variants_with_nearly_equal_titles_are_told_apart() -> None:
    (rows,), (product,) = _variants()
    pairs = len(product) - len(set(product))
    assert _f1(la.resolve(rows), product, pairs) > 0.95
    assert _f1(la.resolve(rows, ignore=[NAME]), product, pairs) < 0.7


def test_variants_in_two_shops_are_told_apart() -> None:
    rows, product = _variants(2)
    found = la.link(*rows)
    assert _f1(found, product[0] + product[1], len(product[1])) > 0.95
    assert [(field.name, field.kind) for field in found.settings.fields][-1] == (NAME, "codes")


def test_saved_settings_find_the_codes_again() -> None:
    (rows,), _ = _variants()
    first = la.resolve(rows)
    again = la.resolve(rows, settings=Settings.from_toml(first.settings.to_toml()))
    assert again.matches.equals(first.matches)
    other = la.resolve([{"title": "one two", "story": "three"}] * 3, settings=first.settings)
    assert [field.name for field in other.settings.fields] == ["title", "story", NAME]


def test_explanation_shows_the_codes() -> None:
    (rows,), _ = _variants()
    found = la.resolve(rows)
    steps = {step.name: step for step in found.explain(int(found.outcome.left[0]), int(found.outcome.right[0])).steps}
    assert steps[NAME].left
    assert steps[NAME].right


@pytest.mark.parametrize("options", [{"ignore": [NAME]}, {"method": "points"}])
def test_codes_are_not_compared(options: dict[str, Any]) -> None:
    (rows,), _ = _variants()
    assert NAME not in {field.name for field in la.resolve(rows, **options).settings.fields}


def test_house_numbers_and_pages_are_no_codes() -> None:
    draw = random.Random(1)
    rows = [
        {"street": f"{draw.randrange(1, 200)} {draw.choice('abcdefgh')}ill road", "pages": f"pp. {page}-{page + 9}"}
        for page in draw.choices(range(100, 10_000), k=300)
    ]
    assert NAME not in {field.name for field in la.resolve(rows).settings.fields}


def test_a_column_of_that_name_is_kept() -> None:
    (rows,), _ = _variants()
    found = la.resolve([{**row, NAME: "red" if number % 2 else "blue"} for number, row in enumerate(rows)])
    assert [field.kind for field in found.settings.fields if field.name == NAME] == ["name"]


def test_codes_are_found_in_all_columns_of_a_record() -> None:
    sizes = [f"{size} cm" for size in range(10, 60)]
    titles = Column.of("title", pa.array(["cinema SC-PT660", None, "cinema", *sizes]))
    texts = Column.of("text", pa.array([None, "an SCPT660", "it plays", *sizes]))
    found = codes_of([titles, texts], 53).to_pylist()
    assert found == ["pt660 scpt660", "scpt660", *[None] * 51]


def test_similarity_of_codes_is_that_of_the_record_with_fewer() -> None:
    values = ["ab1 cd2", "ab1", "cd2 ef3", *["hd1080"] * 40, "hd1080 gh4", "hd1080 ij5"]
    column = Column.of("codes", pa.array(values), "codes")
    left, right = np.array([0, 0, 0, 43]), np.array([1, 2, 3, 44])
    found = similarities(column, "codes", left, right).tolist()
    assert found[:3] == pytest.approx([1.0, 0.5, 0.0])
    assert 0 < found[3] < 0.3  # a frequent code is weak evidence, even if it is half of the codes of both
