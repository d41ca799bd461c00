"""Laws of reviews: undoing everything restores the start, and a restart changes nothing."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lookalike.choosing.decision_lines import read_decisions
from lookalike.flow.progress import silent
from lookalike.service.review import deciding
from lookalike.service.review.journal import Journal
from lookalike.service.review.queue import Queue
from lookalike.service.review.result_corpus import ResultCorpus
from lookalike.service.review.review import Review
from tests.service.reviews import saved

MEMBERS = {"0": [0, 1, 2, 3], "4": [4, 5, 6], "7": [7, 8]}
DEFAULTS: dict[str, Any] = dict.fromkeys(("survivor", "exclude", "rows", "note"))
FILTER: dict[str, Any] = dict.fromkeys(("search", "min_size", "max_size", "min_least", "max_least", "note"))

clusters = st.sampled_from([*MEMBERS])


@st.composite
def decisions(draw: st.DrawFn) -> dict[str, Any]:
    cluster = draw(clusters)
    rows = st.sampled_from(MEMBERS[cluster])
    action = draw(st.sampled_from(deciding.ACTIONS))
    made = DEFAULTS | {"action": action, "cluster": cluster}
    if action == "accept":
        survivor = draw(rows)
        others = [row for row in MEMBERS[cluster] if row != survivor]
        return made | {"survivor": survivor, "exclude": draw(st.lists(st.sampled_from(others), unique=True))}
    if action in ("distinct", "exclude"):
        return made | {"rows": draw(st.lists(rows, min_size=2, unique=True))}
    return made


actions = st.lists(st.one_of(decisions(), st.sampled_from(["undo", "accept", "distinct"])), max_size=8)


def shown(review: Review) -> Any:
    """What a review shows of the decisions in force."""
    marks = review.marks
    return marks.state.tolist(), marks.survivors.tolist(), marks.excluded.tolist()


@settings(max_examples=15)
@given(actions)
def test_a_restart_changes_nothing_and_undo_restores_the_start(given: list[Any]) -> None:
    with TemporaryDirectory() as folder:
        path, file = saved(Path(folder)), Path(folder) / "decisions.jsonl"
        corpus = ResultCorpus(path)
        review = Review(corpus, Journal(file))
        queue = Queue(review)
        review.prepare(silent)
        start, history = shown(review), [shown(review)]
        try:
            for action in given:
                if action == "undo":
                    if len(history) > 1:
                        deciding.undo(review, queue, None, None, silent)
                        history.pop()
                        assert shown(review) == history[-1]
                    continue
                if isinstance(action, str):
                    asked = FILTER | {"action": action, "state": "all", "dry_run": False}
                    deciding.bulk(review, queue, asked, None, silent)
                else:
                    deciding.decide(review, queue, action, None, silent)
                history.append(shown(review))
            again = Review(corpus, Journal(file))
            again.prepare(silent)
            assert shown(again) == shown(review)
            again.close()
            for _ in history[1:]:
                deciding.undo(review, queue, None, None, silent)
            assert shown(review) == start and (not file.exists() or len(read_decisions(file)) == 0)
        finally:
            review.close()
