"""`lookalike pairs --weights idf`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


def test_pairs_by_weighted_shingles(lookalike: Run, tmp_path: Path) -> None:
    texts = ["flood river dam", "flood river dam", "goal match cup"]
    (tmp_path / "texts.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    ran = lookalike("pairs", "texts.jsonl", "--weights", "idf", "--shingles", "words:1")
    assert ran.rows == [{"left": 0, "right": 1, "similarity": 1.0}]
    assert "1 by idf-weighted jaccard of 0.8 or more" in " ".join(ran.err.split())


def test_outputs_of_other_searches_are_refused(lookalike: Run) -> None:
    for option in ("--audit", "--forecast"):
        lookalike("pairs", "news.jsonl", "--weights", "idf", option).refused(
            2, "not-with-weights", {"option": option.strip("-")}
        )


def test_the_most_similar_pairs(lookalike: Run) -> None:
    ran = lookalike("pairs", "news.jsonl", "--id", "id", "--top", "1")
    assert [(row["left"], row["right"]) for row in ran.rows] == [("a", "c")]
    assert "exact search for the 1 most similar pairs, all at or above" in " ".join(ran.err.split())
    ran = lookalike("pairs", "news.jsonl", "--id", "id", "--top", "1000")
    assert "at or above" not in ran.err  # there are fewer pairs, so no threshold was found
    lookalike("pairs", "news.jsonl", "--top", "1", "--audit").refused(2, "not-with-top", {"option": "audit"})
