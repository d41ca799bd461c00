"""Tables of six other sorts than people, each hard in its own way, with the entity of every record: to try rules on.

In each, what is different lies close together: variants of one product, abstracts of one meeting, branches of one
company, members of one household, rows that say little.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from common.generated_people import mistyped, unequal, words

Row = dict[str, Any]


class Generated(NamedTuple):
    """Records in random order and the entity of each."""

    table: pa.Table
    entity: npt.NDArray[np.int64]


def _gathered(rng: np.random.Generator, rows: list[Row], entity: list[int]) -> Generated:
    order = rng.permutation(len(rows))
    return Generated(pa.Table.from_pylist([rows[place] for place in order]), np.array(entity, np.int64)[order])


def _text(rng: np.random.Generator, of: npt.NDArray[np.object_], least: int, most: int) -> str:
    return " ".join(of[unequal(rng, len(of), int(rng.integers(least, most + 1)))])


def _again(rng: np.random.Generator, row: Row, typo: float, missing: float) -> Row:
    """The same, entered again: fields mistyped or left out at these rates, the first never left out."""
    again: Row = {}
    for place, (name, value) in enumerate(row.items()):
        text = mistyped(rng, str(value)) if value is not None and rng.random() < typo else value
        again[name] = None if place and rng.random() < missing else text
    return again


def products(seed: int = 0, many: int = 600) -> Generated:
    """Offers of two shops: of every model three sizes, each a product with a code and a price of its own."""
    return _offers(seed, many, ["16 gb", "32 gb", "64 gb", "128 gb", "256 gb"], dearer=0.3)


def colours(seed: int = 0, many: int = 600) -> Generated:
    """The same, with three colours of one model: one price, and a code that differs in the last letter only."""
    return _offers(seed, many, ["black", "white", "silver", "red", "green"], dearer=0.0)


def _offers(seed: int, many: int, variants: list[str], dearer: float) -> Generated:
    """Prices of two shops differ by 5 %. `dearer` is how much more one variant costs than the one before it."""
    rng = np.random.default_rng(seed)
    brands, nouns = words(rng, 30), words(rng, 300)
    rows, entity = [], []
    for model in range(many // 3):
        brand, called = str(brands[unequal(rng, 30, 1)[0]]), _text(rng, nouns, 2, 4)
        code = "".join(rng.choice(list("ABCDEFGHKLMNPRSTUVWX"), 2)) + str(rng.integers(100, 9999))
        price = float(np.exp(rng.normal(4, 1)))
        for place, variant in enumerate(sorted(rng.choice(len(variants), 3, replace=False).tolist())):
            said = variants[variant]
            number = f"{code}{said[0].upper()}" if not dearer else f"{code[:2]}{rng.integers(100, 9999)}"
            cost = price * (1 + dearer) ** variant
            row = {
                "title": f"{brand} {called} {number} {said}",
                "description": f"{_text(rng, nouns, 4, 9)} {called} {said}" if rng.random() < 0.7 else None,
                "brand": brand,
                "price": round(cost, 2),
            }
            rows.append(row)
            entity.append(3 * model + place)
            if rng.random() < 0.5:
                other = {
                    "title": f"{number} {brand} {' '.join(called.split()[:-1])} ({said})",
                    "description": f"{called} {_text(rng, nouns, 3, 8)} {said}" if rng.random() < 0.5 else None,
                    "brand": brand if rng.random() < 0.8 else None,
                    "price": round(cost * float(rng.normal(1, 0.05)), 2),
                }
                rows.append(other)
                entity.append(3 * model + place)
    return _gathered(rng, rows, entity)


def abstracts(seed: int = 0, many: int = 1200) -> Generated:
    """Papers, half of them abstracts of a few meetings: one journal, volume, issue and year for hundreds. 8 % twice."""
    rng = np.random.default_rng(seed)
    terms, families = words(rng, 900), words(rng, 900)
    journals = [_text(rng, terms, 1, 3).title() for _ in range(80)]
    meetings = [
        (journals[n], str(rng.integers(5, 60)), f"S{rng.integers(1, 4)}", str(rng.integers(1998, 2012)))
        for n in range(4)
    ]
    rows, entity = [], []
    for paper in range(many):
        if rng.random() < 0.5:
            journal, volume, issue, year = meetings[rng.integers(len(meetings))]
        else:
            journal, volume = journals[unequal(rng, len(journals), 1)[0]], str(rng.integers(1, 90))
            issue, year = str(rng.integers(1, 12)), str(rng.integers(1985, 2015))
        first = int(rng.integers(1, 2500))
        authors = [
            f"{families[n].title()}, {chr(65 + int(rng.integers(26)))}."
            for n in unequal(rng, 900, int(rng.integers(1, 7)))
        ]
        row = {
            "title": _text(rng, terms, 5, 14).capitalize(),
            "author": " and ".join(authors),
            "journal": journal,
            "volume": volume,
            "issue": issue,
            "year": year,
            "pages": f"{first}-{first + int(rng.integers(1, 12))}",
        }
        rows.append(row)
        entity.append(paper)
        if rng.random() < 0.08:
            again = _again(rng, row, 0.15, 0.08)
            if rng.random() < 0.3:
                again["author"] = " and ".join(authors[: max(1, len(authors) // 2)])
            if rng.random() < 0.3 and again["journal"]:
                again["journal"] = " ".join(word[:4] for word in again["journal"].split())
            rows.append(again)
            entity.append(paper)
    return _gathered(rng, rows, entity)


def companies(seed: int = 0, many: int = 800) -> Generated:
    """Companies with branches: one name and one web site at several addresses; a branch is an entity."""
    rng = np.random.default_rng(seed)
    names, streets, cities = words(rng, 2500), words(rng, 600), words(rng, 60)
    rows, entity = [], []
    forms = ["Ltd", "Limited", "Inc", "Incorporated", "GmbH", "& Sons"]
    branch = 0
    while branch < many:
        called = (
            f"{names[rng.integers(2500)].title()} {rng.choice(['', str(names[rng.integers(40)])])} {rng.choice(forms)}"
        )
        site = called.split()[0].lower() + ".com"
        for _ in range(int(rng.choice([1, 1, 1, 2, 4]))):
            row = {
                "company": " ".join(called.split()),
                "street": f"{rng.integers(1, 180)} {streets[rng.integers(600)]} road",
                "city": str(cities[unequal(rng, 60, 1)[0]]),
                "phone": f"0{rng.integers(10**8, 10**9)}",
                "site": site,
            }
            rows.append(row)
            entity.append(branch)
            if rng.random() < 0.3:
                again = _again(rng, row, 0.12, 0.15)
                again["company"] = again["company"].rsplit(" ", 1)[0] if rng.random() < 0.3 else again["company"]
                rows.append(again)
                entity.append(branch)
            branch += 1
    return _gathered(rng, rows, entity)


def households(seed: int = 0, many: int = 1000) -> Generated:
    """People of households: two to five share a surname, an address and a phone number; twins share the day too."""
    rng = np.random.default_rng(seed)
    given, surnames, streets, cities = words(rng, 400), words(rng, 1500), words(rng, 500), words(rng, 80)
    rows, entity = [], []
    person = 0
    while person < many:
        shared = {
            "surname": str(surnames[unequal(rng, 1500, 1)[0]]),
            "street": f"{rng.integers(1, 150)} {streets[rng.integers(500)]} street",
            "city": str(cities[unequal(rng, 80, 1)[0]]),
            "phone": f"0{rng.integers(10**8, 10**9)}",
        }
        born = [str(np.datetime64("1930-01-01") + int(rng.integers(0, 29_000))) for _ in range(int(rng.integers(1, 6)))]
        if len(born) > 2 and rng.random() < 0.05:
            born[2] = born[1]
        for day in born:
            row = {"given": str(given[unequal(rng, 400, 1)[0]]), **shared, "born": day}
            rows.append(row)
            entity.append(person)
            if rng.random() < 0.25:
                rows.append(_again(rng, row, 0.1, 0.1))
                entity.append(person)
            person += 1
    return _gathered(rng, rows, entity)


def sparse(seed: int = 0, many: int = 900) -> Generated:
    """Things of which often only the name is known: the other fields are filled in one row of three."""
    rng = np.random.default_rng(seed)
    nouns, places = words(rng, 1200), words(rng, 50)
    rows, entity = [], []
    for thing in range(many):
        row = {
            "name": _text(rng, nouns, 2, 4),
            "note": _text(rng, nouns, 4, 9) if rng.random() < 0.35 else None,
            "place": str(places[unequal(rng, 50, 1)[0]]) if rng.random() < 0.35 else None,
        }
        rows.append(row)
        entity.append(thing)
        if rng.random() < 0.3:
            rows.append(_again(rng, row, 0.25, 0.3))
            entity.append(thing)
    return _gathered(rng, rows, entity)


TABLES: dict[str, Callable[..., Generated]] = {
    "products": products,
    "colours": colours,
    "abstracts": abstracts,
    "companies": companies,
    "households": households,
    "sparse": sparse,
}
