"""Synthetic records of people: some people have several records, with errors at known rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

FIELDS = ("given", "surname", "born", "street", "city", "postcode", "phone")


@dataclass(frozen=True)
class Errors:
    """Error rates of the second and third records of a person."""

    typo: float = 0.10
    """Per field except the city: one character is replaced, deleted, inserted or swapped with the next."""
    missing: float = 0.05
    """Per field: the value is missing."""
    swapped: float = 0.02
    """Per record: given name and surname are swapped."""
    moved: float = 0.05
    """Per record: street, city and postcode have changed."""
    new_phone: float = 0.10
    """Per record: the phone number has changed."""


def people(records: int, seed: int = 0, errors: Errors = Errors()) -> tuple[pa.Table, npt.NDArray[np.int64]]:  # noqa: B008
    """A table of records with ids, in random order, and the person of each record.

    60 % of people have one record, 30 % two and 10 % three. Frequencies of names and cities are skewed like real ones:
    that of the n-th most frequent is proportional to 1 / (n + 10).
    """
    rng = np.random.default_rng(seed)
    sizes = rng.choice([1, 2, 3], records, p=[0.6, 0.3, 0.1])
    person = np.repeat(np.arange(records), sizes)[:records]
    count = int(person[-1]) + 1
    given, surnames, streets, cities = (words(rng, n) for n in (2_000, 30_000, 8_000, 1_500))
    city = skewed_choice(rng, len(cities), count)
    first = {
        "given": given[skewed_choice(rng, len(given), count)],
        "surname": surnames[skewed_choice(rng, len(surnames), count)],
        "born": _dates(rng, count),
        "street": _streets(rng, streets, count),
        "city": cities[city],
        "postcode": _postcodes(rng, city),
        "phone": _phones(rng, count),
    }
    columns = {name: values[person] for name, values in first.items()}
    again = np.flatnonzero(np.concatenate([[False], person[1:] == person[:-1]]))
    moved = again[rng.random(len(again)) < errors.moved]
    other = skewed_choice(rng, len(cities), len(moved))
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


def words(rng: np.random.Generator, count: int) -> npt.NDArray[np.object_]:
    """Distinct random names of two to four syllables."""
    ends = np.array(
        [a + b for a in "b br d f g gr h j k l m n p r s st t v w".split() for b in "a e i o u an er in on".split()]
    )
    found: dict[str, None] = {}
    while len(found) < count:
        found.update(dict.fromkeys("".join(rng.choice(ends, rng.integers(2, 5))) for _ in range(count)))
    return np.array(list(found)[:count], dtype=object)


def skewed_choice(rng: np.random.Generator, of: int, count: int) -> npt.NDArray[np.int64]:
    """Random indexes below `of`; index n has a probability proportional to 1 / (n + 10)."""
    share = 1 / (np.arange(of) + 10)
    return rng.choice(of, count, p=share / share.sum())


def _dates(rng: np.random.Generator, count: int) -> npt.NDArray[np.object_]:
    days = np.datetime64("1930-01-01") + rng.integers(0, 29_000, count)
    return days.astype(str).astype(object)


def _streets(rng: np.random.Generator, streets: npt.NDArray[np.object_], count: int) -> npt.NDArray[np.object_]:
    named, number = streets[rng.integers(0, len(streets), count)], rng.integers(1, 200, count)
    return np.array([*(f"{n} {name} street" for n, name in zip(number, named, strict=True)), None], dtype=object)[:-1]


def _postcodes(rng: np.random.Generator, city: npt.NDArray[np.int64]) -> npt.NDArray[np.object_]:
    return np.array([*(f"{code:06}" for code in city * 100 + rng.integers(0, 20, len(city))), None], dtype=object)[:-1]


def _phones(rng: np.random.Generator, count: int) -> npt.NDArray[np.object_]:
    return np.array([*(f"0{number:09}" for number in rng.integers(0, 10**9, count)), None], dtype=object)[:-1]


def mistyped(rng: np.random.Generator, text: str | None) -> str | None:
    """The text with one character replaced, deleted, inserted or swapped with the next."""
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
