"""A few hundred random people, some of them twice with errors; the same on every call."""

from __future__ import annotations

import random
from typing import Any

GIVEN = (
    "anna berta carl dora emil frieda georg hanna ivan julia karl lena max nora otto paula rosa simon tom ute".split()
)
ENDS = "ner ler berg mann stein feld hof bach wald thal".split()
STARTS = "alt bren crom dahl eich fal gram hart isen jost kron lind mohr nau oster prenz".split()


def people(many: int = 300, again: int = 100, seed: int = 1) -> tuple[list[dict[str, Any]], list[int]]:
    """Rows in random order, and the person of each."""
    draw = random.Random(seed)
    rows = [
        {
            "given": draw.choice(GIVEN),
            "surname": draw.choice(STARTS) + draw.choice(ENDS),
            "born": f"{draw.randint(1930, 2009)}-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}",
            "street": f"{draw.randint(1, 90)} {draw.choice(STARTS)}{draw.choice(ENDS)} street",
            "phone": f"0{draw.randint(10**8, 10**9 - 1)}",
        }
        for _ in range(many)
    ]
    person = list(range(many))
    for one in draw.sample(range(many), again):
        copy: dict[str, Any] = dict(rows[one])
        for name in draw.sample(list(copy), 2):
            at = draw.randrange(len(copy[name]) - 1)
            copy[name] = draw.choice([None, copy[name][:at] + copy[name][at + 1 :]])
        rows.append(copy)
        person.append(one)
    order = draw.sample(range(len(rows)), len(rows))
    return [rows[i] for i in order], [person[i] for i in order]
