"""Candidates of records as in MMDS, section 3.8: the fields of a record become one text, and texts share bands."""

from __future__ import annotations

from typing import Any

import lookalike as la

PEOPLE = [
    ("Maria Lind", "12 Harbour Road", "Ystad", "0411 123456"),
    ("Marie Lind", "12 Harbour Rd", "Ystad", "0411 123456"),
    ("Peter Berg", "3 Mill Lane", "Lund", "046 99887"),
    ("Peter Bergh", "3 Mill Lane", "Lund", "046 99887"),
    ("Anna Sund", "77 Castle Street", "Malmo", "040 55443"),
]


def test_bands_find_the_candidates_of_records() -> None:
    """With many bands of two rows, few records share a band that are not of one person."""
    texts = [" ".join(fields) for fields in PEOPLE]
    bands: dict[str, Any] = {"shingles": "chars:3", "method": "lsh", "bands": 32, "rows": 4, "threshold": 0.5}
    candidates = la.find_pairs(texts, verify="none", **bands)
    assert {pair[:2] for pair in candidates} >= {(0, 1), (2, 3)}
    assert len(candidates) < len(texts) * (len(texts) - 1) // 2
    checked = la.find_pairs(texts, **bands)
    assert [pair[:2] for pair in checked] == [(0, 1), (2, 3)]
