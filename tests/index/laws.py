"""Texts for tests of indexes: families of similar texts, copies, empty and short ones."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from lookalike.flow import Words

WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa lamda my".split()

PLAN: dict[str, Any] = {"shingles": Words(2, key=2**63 + 5), "threshold": 0.5, "seed": 7}


@st.composite
def texts(draw: st.DrawFn, most: int = 25) -> list[str]:
    """Texts of which many are similar: each is new, or an earlier one with a few changed words."""
    found: list[list[str]] = []
    copies = st.booleans()
    for _ in range(draw(st.integers(0, most))):
        words: list[str]
        if draw(copies) and found:
            words = list(draw(st.sampled_from(found)))
            for _ in range(draw(st.integers(0, 2))):
                if words:
                    words[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS))
        else:
            words = draw(st.lists(st.sampled_from(WORDS), max_size=12))
        found.append(words)
    return [" ".join(words) for words in found]
