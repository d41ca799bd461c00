"""Views: a summary of what was found, one cluster, two documents side by side, and the history of decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lookalike.choosing.decision_lines import Line
from lookalike.errors import InvalidOption, ServiceError
from lookalike.flow.arrays import Rows
from lookalike.notices import Notice
from lookalike.notices.naming import http
from lookalike.report.excerpts import is_code
from lookalike.results.deduped import Deduped
from lookalike.service.review.corpus import SHOWN, in_words, readable, similarities
from lookalike.service.review.figures import BINS, EXCERPT, histogram
from lookalike.service.review.marks import Standing
from lookalike.service.review.queue import Queue
from lookalike.service.review.result_corpus import ResultCorpus
from lookalike.service.review.review import LISTED, Review
from lookalike.text.comparison import compare as compare_texts
from lookalike.text.comparison import of_one_kind

COMPARED = 24
"""The number of members between which all similarities are computed."""

FIRST = 5
"""The number of documents that the history shows of each step."""


def state_of_texts(missing: Notice | None) -> dict[str, Any]:
    if missing is None:
        return {"available": True, "reason": None, "detail": None}
    return {"available": False, "reason": missing.code.removeprefix("review-"), "detail": missing.render(http)}


def summary(review: Review, queue: Queue) -> dict[str, Any]:
    """Returns what was found, what was decided, and how far the figures are."""
    corpus, groups, figures = review.corpus, review.groups, review.figures
    progress = queue.progress()  # read first: what is shown as complete must include everything below
    sizes, counts = np.unique(groups.sizes, return_counts=True)
    clustered = int(groups.starts[-1])
    made: dict[str, Any] = dict.fromkeys(("copies", "near", "kept", "removed", "input"))
    reclaimable: dict[str, Any] = {"documents": clustered - len(groups), "characters": None, "bytes": None}
    if isinstance(corpus, ResultCorpus):
        made["input"] = corpus.input_name
        if isinstance(corpus.result, Deduped):
            overview = corpus.result._overview()
            made |= {
                "copies": overview.copies,
                "near": overview.near,
                "kept": overview.kept,
                "removed": overview.removed,
            }
    reclaimable["bytes"] = figures.reclaimable
    plan = corpus.plan
    return {
        "kind": corpus.kind,
        "name": corpus.name,
        **made,
        "documents": corpus.documents,
        "clusters": len(groups),
        "clustered": clustered,
        "reclaimable": reclaimable,
        "threshold": None if plan is None else float(plan.threshold),
        "shingles": None if plan is None else str(plan.shingles),
        "bands": None if plan is None else plan.bands,
        "rows": None if plan is None else plan.rows,
        "sizes": [{"size": size, "clusters": n} for size, n in zip(sizes.tolist(), counts.tolist(), strict=True)],
        "similarities": _similarities(review),
        "states": review.marks.counts(),
        "decisions": replayed(review.stale, review.unknown)
        | {"applied": sum(len(rows) for number, rows in review.rows_of_line.items() if number not in _gone(review))},
        "texts": state_of_texts(corpus.missing),
        "figures": progress,
        "changed": corpus.changed,
        "can_decide": review.journal is not None and not review.read_only and corpus.missing is None,
        "decisions_file": None if review.journal is None else review.journal.path.name,
    }


def replayed(stale: Sequence[tuple[str, str]], unknown: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Lists decisions that are not applied: documents that have changed, and documents that do not exist."""
    listed = [[{"id": id, "decision": kind} for id, kind in some[:LISTED]] for some in (stale, unknown)]
    return {"stale": listed[0], "stale_count": len(stale), "missing": listed[1], "missing_count": len(unknown)}


def _gone(review: Review) -> set[int]:
    return set() if review.journal is None else review.journal.gone


def _similarities(review: Review) -> dict[str, Any]:
    """Returns the histogram of the similarities that the run has measured or, without any, of members of clusters."""
    known, figures = review.known, review.figures
    counts, ones = figures.counts, figures.ones
    if len(known.similarities):
        counts, ones = histogram(known.similarities), int(np.count_nonzero(known.similarities >= 1))
    edges = [round(bin / BINS, 6) for bin in range(BINS + 1)]
    return {"edges": edges, "counts": counts.tolist(), "ones": ones, "of": known.of}


def cluster(review: Review, queue: Queue, key: str, limit: int, after: int | None) -> dict[str, Any]:
    """Returns one cluster: its members, why one of them survives, and the similarities of the first ones."""
    place = review.place(key)
    groups = review.groups
    members = groups.members(place)
    standing = review.marks.standing(place, _gone(review))
    survivor = int(review.marks.survivors[place])
    members = np.concatenate([[survivor], members[members != survivor]]).astype(np.int64)
    start = 0
    if after is not None:
        found = np.flatnonzero(members == after)
        if not len(found):
            raise InvalidOption("no-such-document-row", row=after)
        start = int(found[0]) + 1
    shown = members[start : start + limit]
    more = start + len(shown) < len(members)
    texts = _texts(review, np.append(shown, survivor))
    similarity = _to_survivor(review, shown, survivor, texts)
    about = [
        _member(review, row, id, texts, survivor, standing) | {"similarity": value}
        for row, id, value in zip(shown.tolist(), review.corpus.ids(shown), similarity, strict=True)
    ]
    journal = review.journal
    lines = {mark.line for mark in review.marks.of(place)} - _gone(review)
    steps = {line.step: None for line in (journal.lines if journal else ()) if line.number in lines}
    return {
        "cluster": queue.listed(place),
        "members": about,
        "next": int(shown[-1]) if more and len(shown) else None,
        "why": _why(review, standing, survivor, int(groups.survivors[place])),
        "pairs": _pairs(review, shown[:COMPARED], texts),
        "previous_steps": [*steps][::-1],
        "texts": state_of_texts(review.corpus.missing),
    }


def _texts(review: Review, rows: Rows) -> dict[int, Any] | None:
    """Returns texts; None if they cannot be read."""
    if review.corpus.missing is not None:
        return None
    try:
        return review.texts(rows)
    except ServiceError as error:
        if error.code != "texts-not-available":
            raise
        return None


def _member(
    review: Review, row: int, id: Any, texts: dict[int, Any] | None, survivor: int, standing: Standing
) -> dict[str, Any]:
    text = None if texts is None else in_words(texts[row])
    return {
        "row": row,
        "id": str(id),
        "excerpt": None if text is None else text[:EXCERPT],
        "characters": None if text is None else len(text),
        "is_survivor": row == survivor,
        "excluded": row in standing.excluded,
        "decision": standing.decision(row),
        "removed": review.corpus.recorded.is_removed(row) if isinstance(review.corpus, ResultCorpus) else None,
    }


def _to_survivor(review: Review, rows: Rows, survivor: int, texts: dict[int, Any] | None) -> list[float | None]:
    """Returns the similarity of each row to the survivor; None if it is not known."""
    plan = review.corpus.plan
    if texts is not None and plan is not None:
        left = np.arange(len(rows))
        found = similarities(
            plan, [*(texts[row] for row in rows.tolist()), texts[survivor]], left, left * 0 + len(rows)
        )
        return [None if row == survivor else float(s) for row, s in zip(rows.tolist(), found, strict=True)]
    if isinstance(review.corpus, ResultCorpus):
        return [review.corpus.recorded.similarity(row, survivor) for row in rows.tolist()]
    return [None] * len(rows)


def _pairs(review: Review, rows: Rows, texts: dict[int, Any] | None) -> list[list[float]]:
    plan = review.corpus.plan
    if texts is None or plan is None:
        if isinstance(review.corpus, ResultCorpus):
            return review.corpus.recorded.between(rows)
        return []
    left, right = np.triu_indices(len(rows), 1)
    found = similarities(plan, [texts[row] for row in rows.tolist()], left, right)
    return [[i, j, s] for i, j, s in zip(left.tolist(), right.tolist(), found.tolist(), strict=True)]


def _why(review: Review, standing: Standing, survivor: int, usual: int) -> dict[str, Any]:
    """Returns why the survivor is kept."""
    if standing.survivor == survivor:
        return {"by": "decision", "rule": None, "words": "kept by a decision"}
    if survivor != usual:
        return {"by": "order", "rule": None, "words": "the first member that is not excluded"}
    rules = review.corpus.rules if isinstance(review.corpus, ResultCorpus) else []
    if rules:
        noun = "rule" if len(rules) == 1 else "rules"
        return {"by": "rule", "rule": ", ".join(rules), "words": f"kept by the {noun} {', '.join(rules)}"}
    return {"by": "order", "rule": None, "words": "the first in the order of the input"}


def compare(review: Review, a: int, b: int) -> dict[str, Any]:
    """Returns two documents with what they share."""
    readable(review.corpus)
    plan = review.corpus.plan
    if plan is None:
        raise InvalidOption("no-such-document-row", row=a)
    texts = review.texts(np.array([a, b], np.int64))
    cut = [len(texts[row]) > SHOWN for row in (a, b)]
    one, two = of_one_kind(texts[a][:SHOWN], texts[b][:SHOWN])
    found = compare_texts(one, two, plan.plan)
    ids = review.corpus.ids(np.array([a, b], np.int64))
    sides = {
        side: {"row": row, "id": str(id), "pieces": pieces(text, marks), "cut": is_cut}
        for side, row, id, text, marks, is_cut in zip(
            "ab", (a, b), ids, (found.a, found.b), (found.marks_a, found.marks_b), cut, strict=True
        )
    }
    return sides | {
        "similarity": found.similarity,
        "is_pair": found.counts,
        "verdict": found.verdict,
        "measures": found.measures,
        "identical": found.identical and not any(cut),
        "is_code": is_code(found.a, str(ids[0])) or is_code(found.b, str(ids[1])),
    }


def pieces(text: str, marks: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Splits a text into pieces that the other text shares and pieces that it does not. Together they are the text.

    >>> pieces("abcd", [(1, 3)])
    [{'text': 'a', 'shared': False}, {'text': 'bc', 'shared': True}, {'text': 'd', 'shared': False}]
    """
    made, at = [], 0
    for start, end in [*marks, (len(text), len(text))]:
        made += [(text[at:start], False), (text[start:end], True)]
        at = end
    return [{"text": piece, "shared": shared} for piece, shared in made if piece]


def text_of(review: Review, row: int) -> dict[str, Any]:
    """Returns one document."""
    text = in_words(review.texts(np.array([row], np.int64))[row])
    id = review.corpus.ids(np.array([row], np.int64))[0]
    return {"row": row, "id": str(id), "text": text[:SHOWN], "cut": len(text) > SHOWN}


def history(review: Review, start: int, limit: int) -> dict[str, Any]:
    """Returns the steps, the newest first."""
    journal = review.journal
    steps = [] if journal is None else [*journal.steps().items()][::-1]
    shown = [step_of(review, name, lines) for name, lines in steps[start : start + limit]]
    more = start + limit < len(steps)
    return {"steps": shown, "total": len(steps), "next": str(start + limit) if more else None}


def step_of(review: Review, name: str, lines: Sequence[Line]) -> dict[str, Any]:
    """Returns one step of the history."""
    entry: Mapping[str, Any] = lines[0].entry
    gone, undoes = _gone(review), [step for line in lines for step in line.undoes]
    action = entry.get("action")
    if not isinstance(action, str):
        action = "undo" if undoes else lines[0].kind if len(lines) == 1 else "other"
    decided = [line for line in lines if line.kind != "undo"] or lines
    rows = [review.rows_of_line.get(line.number, np.zeros(0, np.int64)) for line in decided]
    places = review.groups.places_of(np.concatenate(rows) if rows else np.zeros(0, np.int64))
    first: list[dict[str, Any]] = []
    for line, some in zip(decided, rows, strict=True):
        at = some[:FIRST]
        keys = {
            str(id): review.groups.key(place)
            for id, place in zip(review.corpus.ids(at), review.groups.places_of(at).tolist(), strict=True)
            if place >= 0
        }
        first += [{"id": one.id, "key": keys.get(one.id)} for one in line.documents[: FIRST - len(first)]]
        if len(first) >= FIRST:
            break
    is_gone = all(line.number in gone for line in lines)
    return {
        "step": name,
        "at": _text(entry.get("at")),
        "by": _text(entry.get("by")),
        "note": _text(entry.get("note")),
        "action": action,
        "documents": sum(len(line.documents) for line in decided),
        "clusters": len({*places.tolist()} - {-1}),
        "first": first,
        "undone": is_gone,
        "undoes": undoes[0] if undoes else None,
        "can_undo": not is_gone,
    }


def _text(value: Any) -> str | None:
    """Returns an entry of a line if it can be shown: other programs may have written it."""
    try:
        return value.encode().decode() if isinstance(value, str) else None
    except UnicodeEncodeError:
        return None
