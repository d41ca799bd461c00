"""Words of other libraries lead to ours."""

from __future__ import annotations

import pytest

from lookalike.requests.applications import MatchPrints
from lookalike.requests.clustering import Dedupe
from lookalike.requests.option import declared
from lookalike.requests.records import Link
from lookalike.requests.verbs import FindPairs, FrequentPairs, Join, Nearest
from lookalike.requests.words import FOREIGN, meant

REQUESTS = (Dedupe, FindPairs, FrequentPairs, Join, Link, MatchPrints, Nearest)
EVERY = {name for request in REQUESTS for name in declared(request)}


def test_the_words_of_others_are_none_of_ours() -> None:
    assert set(FOREIGN) <= EVERY | {"quiet"}
    assert EVERY.isdisjoint(word for words in FOREIGN.values() for word in words.split())


@pytest.mark.parametrize(
    ("word", "ours"),
    [
        ("num_perm", "hashes"),
        ("ngram_size", "shingles"),
        ("jaccard_threshold", "threshold"),
        ("num_bands", "bands"),
        ("params", "bands"),
        ("tfidf", "weights"),
        ("r", "rows"),
        ("n_jobs", "threads"),
        ("text_column", "column"),
        ("id_column", "id"),
        ("random_state", "seed"),
        ("k", "shingles"),
        ("Thresold", "threshold"),
        ("on-errors", "on_error"),
    ],
)
def test_what_was_meant(word: str, ours: str) -> None:
    assert meant(word, declared(FindPairs)) == ours


def test_k_is_the_number_of_neighbours_where_there_is_one() -> None:
    assert meant("k", declared(Nearest)) == "top"
