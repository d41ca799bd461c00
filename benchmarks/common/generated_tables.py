"""Six kinds of generated tables for entity resolution, each with the true entity of every record.

Each kind is difficult for a different reason: records of different entities are similar. They are variants of one
product, abstracts of one meeting, branches of one company, members of one household, or rows with few values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from common.generated_people import mistyped, skewed_choice, words

Row = dict[str, Any]


class Generated(NamedTuple):
    """Records in random order, and the entity of each record."""

    table: pa.Table
    entity: npt.NDArray[np.int64]


def _in_random_order(rng: np.random.Generator, rows: list[Row], entity: list[int]) -> Generated:
    order = rng.permutation(len(rows))
    return Generated(pa.Table.from_pylist([rows[position] for position in order]), np.array(entity, np.int64)[order])


def _text(rng: np.random.Generator, of: npt.NDArray[np.object_], least: int, most: int) -> str:
    return " ".join(of[skewed_choice(rng, len(of), int(rng.integers(least, most + 1)))])


def _duplicate(rng: np.random.Generator, row: Row, typo: float, missing: float) -> Row:
    """A duplicate of the row: fields are mistyped or missing at these rates. The first field is never missing."""
    again: Row = {}
    for position, (name, value) in enumerate(row.items()):
        text = mistyped(rng, str(value)) if value is not None and rng.random() < typo else value
        again[name] = None if position and rng.random() < missing else text
    return again


def products(seed: int = 0, count: int = 600) -> Generated:
    """Offers of two shops. Each model comes in three sizes; each size is a product with its own code and price."""
    return _offers(seed, count, ["16 gb", "32 gb", "64 gb", "128 gb", "256 gb"], price_step=0.3)


def colours(seed: int = 0, count: int = 600) -> Generated:
    """Offers of two shops. Each model comes in three colours with one price; codes differ only in the last letter."""
    return _offers(seed, count, ["black", "white", "silver", "red", "green"], price_step=0.0)


def _offers(seed: int, count: int, variants: list[str], price_step: float) -> Generated:
    """The prices of the two shops differ by about 5 %. Each variant costs `price_step` more than the one before."""
    rng = np.random.default_rng(seed)
    brands, nouns = words(rng, 30), words(rng, 300)
    rows, entity = [], []
    for model in range(count // 3):
        brand, name = str(brands[skewed_choice(rng, 30, 1)[0]]), _text(rng, nouns, 2, 4)
        code = "".join(rng.choice(list("ABCDEFGHKLMNPRSTUVWX"), 2)) + str(rng.integers(100, 9999))
        price = float(np.exp(rng.normal(4, 1)))
        for position, variant in enumerate(sorted(rng.choice(len(variants), 3, replace=False).tolist())):
            label = variants[variant]
            number = f"{code}{label[0].upper()}" if not price_step else f"{code[:2]}{rng.integers(100, 9999)}"
            cost = price * (1 + price_step) ** variant
            row = {
                "title": f"{brand} {name} {number} {label}",
                "description": f"{_text(rng, nouns, 4, 9)} {name} {label}" if rng.random() < 0.7 else None,
                "brand": brand,
                "price": round(cost, 2),
            }
            rows.append(row)
            entity.append(3 * model + position)
            if rng.random() < 0.5:
                other = {
                    "title": f"{number} {brand} {' '.join(name.split()[:-1])} ({label})",
                    "description": f"{name} {_text(rng, nouns, 3, 8)} {label}" if rng.random() < 0.5 else None,
                    "brand": brand if rng.random() < 0.8 else None,
                    "price": round(cost * float(rng.normal(1, 0.05)), 2),
                }
                rows.append(other)
                entity.append(3 * model + position)
    return _in_random_order(rng, rows, entity)


def abstracts(seed: int = 0, count: int = 1200) -> Generated:
    """Papers, 8 % of them twice. Half are abstracts of four meetings; these share journal, volume, issue and year."""
    rng = np.random.default_rng(seed)
    terms, families = words(rng, 900), words(rng, 900)
    journals = [_text(rng, terms, 1, 3).title() for _ in range(80)]
    meetings = [
        (journals[n], str(rng.integers(5, 60)), f"S{rng.integers(1, 4)}", str(rng.integers(1998, 2012)))
        for n in range(4)
    ]
    rows, entity = [], []
    for paper in range(count):
        if rng.random() < 0.5:
            journal, volume, issue, year = meetings[rng.integers(len(meetings))]
        else:
            journal, volume = journals[skewed_choice(rng, len(journals), 1)[0]], str(rng.integers(1, 90))
            issue, year = str(rng.integers(1, 12)), str(rng.integers(1985, 2015))
        first = int(rng.integers(1, 2500))
        authors = [
            f"{families[n].title()}, {chr(65 + int(rng.integers(26)))}."
            for n in skewed_choice(rng, 900, int(rng.integers(1, 7)))
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
            again = _duplicate(rng, row, 0.15, 0.08)
            if rng.random() < 0.3:
                again["author"] = " and ".join(authors[: max(1, len(authors) // 2)])
            if rng.random() < 0.3 and again["journal"]:
                again["journal"] = " ".join(word[:4] for word in again["journal"].split())
            rows.append(again)
            entity.append(paper)
    return _in_random_order(rng, rows, entity)


def companies(seed: int = 0, count: int = 800) -> Generated:
    """Branches of companies. Each branch is an entity; branches of a company share its name and web site."""
    rng = np.random.default_rng(seed)
    names, streets, cities = words(rng, 2500), words(rng, 600), words(rng, 60)
    rows, entity = [], []
    forms = ["Ltd", "Limited", "Inc", "Incorporated", "GmbH", "& Sons"]
    branch = 0
    while branch < count:
        name = (
            f"{names[rng.integers(2500)].title()} {rng.choice(['', str(names[rng.integers(40)])])} {rng.choice(forms)}"
        )
        site = name.split()[0].lower() + ".com"
        for _ in range(int(rng.choice([1, 1, 1, 2, 4]))):
            row = {
                "company": " ".join(name.split()),
                "street": f"{rng.integers(1, 180)} {streets[rng.integers(600)]} road",
                "city": str(cities[skewed_choice(rng, 60, 1)[0]]),
                "phone": f"0{rng.integers(10**8, 10**9)}",
                "site": site,
            }
            rows.append(row)
            entity.append(branch)
            if rng.random() < 0.3:
                again = _duplicate(rng, row, 0.12, 0.15)
                again["company"] = again["company"].rsplit(" ", 1)[0] if rng.random() < 0.3 else again["company"]
                rows.append(again)
                entity.append(branch)
            branch += 1
    return _in_random_order(rng, rows, entity)


def households(seed: int = 0, count: int = 1000) -> Generated:
    """People in households of up to five, who share surname, address and phone number. A few are twins."""
    rng = np.random.default_rng(seed)
    given, surnames, streets, cities = words(rng, 400), words(rng, 1500), words(rng, 500), words(rng, 80)
    rows, entity = [], []
    person = 0
    while person < count:
        shared = {
            "surname": str(surnames[skewed_choice(rng, 1500, 1)[0]]),
            "street": f"{rng.integers(1, 150)} {streets[rng.integers(500)]} street",
            "city": str(cities[skewed_choice(rng, 80, 1)[0]]),
            "phone": f"0{rng.integers(10**8, 10**9)}",
        }
        born = [str(np.datetime64("1930-01-01") + int(rng.integers(0, 29_000))) for _ in range(int(rng.integers(1, 6)))]
        if len(born) > 2 and rng.random() < 0.05:
            born[2] = born[1]
        for day in born:
            row = {"given": str(given[skewed_choice(rng, 400, 1)[0]]), **shared, "born": day}
            rows.append(row)
            entity.append(person)
            if rng.random() < 0.25:
                rows.append(_duplicate(rng, row, 0.1, 0.1))
                entity.append(person)
            person += 1
    return _in_random_order(rng, rows, entity)


def sparse(seed: int = 0, count: int = 900) -> Generated:
    """Records that often have only a name: each of the other fields is filled in one row in three."""
    rng = np.random.default_rng(seed)
    nouns, places = words(rng, 1200), words(rng, 50)
    rows, entity = [], []
    for thing in range(count):
        row = {
            "name": _text(rng, nouns, 2, 4),
            "note": _text(rng, nouns, 4, 9) if rng.random() < 0.35 else None,
            "place": str(places[skewed_choice(rng, 50, 1)[0]]) if rng.random() < 0.35 else None,
        }
        rows.append(row)
        entity.append(thing)
        if rng.random() < 0.3:
            rows.append(_duplicate(rng, row, 0.25, 0.3))
            entity.append(thing)
    return _in_random_order(rng, rows, entity)


TABLES: dict[str, Callable[..., Generated]] = {
    "products": products,
    "colours": colours,
    "abstracts": abstracts,
    "companies": companies,
    "households": households,
    "sparse": sparse,
}
