"""Synthetic people: records of which some are one person, with errors at stated rates, and the truth beside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

FIELDS = ("given", "surname", "born", "street", "city", "postcode", "phone")


@dataclass(frozen=True)
class Errors:
    """How often a field of a repeated record is not what the person's first record has."""

    typo: float = 0.10
    """One letter or digit changed, left out, added or swapped with the next; of any field but the city."""
    missing: float = 0.05
    """Nothing at all; of any field."""
    swapped: float = 0.02
    """Given name and surname the other way round; of a record."""
    moved: float = 0.05
    """Another street, city and postcode; of a record."""
    new_phone: float = 0.10
    """Another phone number; of a record."""


def people(records: int, seed: int = 0, errors: Errors = Errors()) -> tuple[pa.Table, npt.NDArray[np.int64]]:  # noqa: B008
    """A table of so many records in random order, with an id, and the person of each.

    3 people of 5 have one record, 3 of 10 two, 1 of 10 three. Names and cities are as unequal as real ones: the
    n-th most frequent is as frequent as 1 / (n + 10).
    """
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1, 2, 3], records, p=[0.6, 0.3, 0.1])
    person = np.repeat(np.arange(records), sizes)[:records]
    many = int(person[-1]) + 1
    given, surnames, streets, cities = (words(rng, n) for n in (2_000, 30_000, 8_000, 1_500))
    city = unequal(rng, len(cities), many)
    first = {
        "given": given[unequal(rng, len(given), many)],
        "surname": surnames[unequal(rng, len(surnames), many)],
        "born": _dates(rng, many),
        "street": _streets(rng, streets, many),
        "city": cities[city],
        "postcode": _postcodes(rng, city),
        "phone": _phones(rng, many),
    }
    columns = {name: values[person] for name, values in first.items()}
    again = np.flatnonzero(np.concatenate([[False], person[1:] == person[:-1]]))
    moved = again[rng.random(len(again)) < errors.moved]
    other = unequal(rng, len(cities), len(moved))
    columns["street"][moved], columns["city"][moved] = _streets(rng, streets, len(moved)), cities[other]
    columns["postcode"][moved] = _postcodes(rng, other)
    new = again[rng.random(len(again)) < errors.new_phone]
    columns["phone"][new] = _phones(rng, len(new))
    swapped = again[rng.random(len(again)) < errors.swapped]
    columns["given"][swapped], columns["surname"][swapped] = columns["surname"][swapped], columns["given"][swapped]
    for name in FIELDS:
        if name != "city":
            wrong = again[rng.random(len(again)) < errors.typo]
            columns[name][wrong] = [mistyped(rng, text) for text in columns[name][wrong].tolist()]
        columns[name][again[rng.random(len(again)) < errors.missing]] = None
    order = rng.permutation(records)
    table = pa.table({"id": np.arange(records), **{name: columns[name][order].tolist() for name in FIELDS}})
    return table, person[order].astype(np.int64)


def words(rng: np.random.Generator, many: int) -> npt.NDArray[np.object_]:
    """So many different names of two to four syllables."""
    ends = np.array(
        [a + b for a in "b br d f g gr h j k l m n p r s st t v w".split() for b in "a e i o u an er in on".split()]
    )
    found: dict[str, None] = {}
    while len(found) < many:
        found.update(dict.fromkeys("".join(rng.choice(ends, rng.integers(2, 5))) for _ in range(many)))
    return np.array(list(found)[:many], dtype=object)


def unequal(rng: np.random.Generator, of: int, many: int) -> npt.NDArray[np.int64]:
    share = 1 / (np.arange(of) + 10)
    return rng.choice(of, many, p=share / share.sum())


def _dates(rng: np.random.Generator, many: int) -> npt.NDArray[np.object_]:
    days = np.datetime64("1930-01-01") + rng.integers(0, 29_000, many)
    return days.astype(str).astype(object)


def _streets(rng: np.random.Generator, streets: npt.NDArray[np.object_], many: int) -> npt.NDArray[np.object_]:
    named, number = streets[rng.integers(0, len(streets), many)], rng.integers(1, 200, many)
    return np.array([*(f"{n} {name} street" for n, name in zip(number, named, strict=True)), None], dtype=object)[:-1]


def _postcodes(rng: np.random.Generator, city: npt.NDArray[np.int64]) -> npt.NDArray[np.object_]:
    return np.array([*(f"{code:06}" for code in city * 100 + rng.integers(0, 20, len(city))), None], dtype=object)[:-1]


def _phones(rng: np.random.Generator, many: int) -> npt.NDArray[np.object_]:
    return np.array([*(f"0{number:09}" for number in rng.integers(0, 10**9, many)), None], dtype=object)[:-1]


def mistyped(rng: np.random.Generator, text: str | None) -> str | None:
    if not text:
        return text
    at, how = int(rng.integers(len(text))), int(rng.integers(4))
    letter = str(rng.choice(list("0123456789" if text[at].isdigit() else "abcdefghijklmnopqrstuvwxyz")))
    return (
        text[:at] + letter + text[at + 1 :],
        text[:at] + text[at + 1 :],
        text[:at] + letter + text[at:],
        text[:at] + text[at : at + 2][::-1] + text[at + 2 :],
    )[how]
