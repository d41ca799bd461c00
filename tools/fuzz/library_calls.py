"""Fuzz target: calls the library's verbs with unusual texts."""

from __future__ import annotations

import contextlib
import random
from typing import Any

from .random_inputs import expect, text_of


def verbs(rng: random.Random) -> None:
    """Calls a verb with unusual texts. After dedupe, kept and removed rows must add up to all rows."""
    import lookalike as la
    from lookalike.errors import LookalikeError

    texts: list[Any] = [text_of(rng) for _ in range(rng.randrange(10))]
    if rng.random() < 0.2:
        texts = [one.split() for one in texts]
    options: dict[str, Any] = {
        "threshold": rng.choice(["0.8", "0.1", "1", "0.000000001"]),
        "threads": rng.choice([1, 2]),
    }
    options["shingles"] = rng.choice(
        ["auto", "words:1", "words:5", "symbols:2", "chars:1", "chars:9", "tokens", "stopwords"]
    )
    with contextlib.suppress(LookalikeError):
        call = rng.randrange(5)
        if call == 0:
            la.audit(
                la.find_pairs(texts, verify=rng.choice(["exact", "signature", "none"]), **options), texts, sample=3
            )
        elif call == 1:
            la.audit(la.find_clusters(texts, recall=rng.choice([0.5, 1]), **options), texts)
        elif call == 2:
            found = la.dedupe(
                texts, against=rng.choice([None, texts[:2]]), keep=rng.choice(["last", "longest"]), **options
            )
            expect(len(found) + found.removed.num_rows == len(texts) == found.read, "kept and removed")
        elif call == 3:
            la.join(texts, rng.choice([None, texts[::-1]]), top=rng.choice([None, 2]), **options)
        else:
            la.contamination(texts, texts[:3], top=2, **options)
