"""Decisions: accept a survivor, declare members to be different, exclude some, skip; for one cluster or for many.

Each request is one step in the journal, which can be undone as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np

from lookalike.choosing.decision_lines import MOST_DIFFERENT, parse_lines, withdrawn
from lookalike.errors import InvalidOption, ServiceError
from lookalike.flow.progress import Progress
from lookalike.service.review.queue import Queue
from lookalike.service.review.review import LISTED, Review
from lookalike.service.review.views import replayed, step_of

ACTIONS = ACCEPT, DISTINCT, EXCLUDE, SKIP = "accept", "distinct", "exclude", "skip"

IN_BULK = (ACCEPT, DISTINCT, SKIP)

LONGEST_LINE = 10_000
"""The maximum number of documents of a line of a bulk action."""

Planned = list[tuple[str, list[int]]]
"""Lines to write: a kind of decision, and the rows that it is about."""


def decide(
    review: Review, queue: Queue, asked: Mapping[str, Any], by: str | None, progress: Progress
) -> dict[str, Any]:
    """Carries out a decision about one cluster."""
    with review.guard:
        review.prepare(progress)  # notices what other programs have written
        review.journal_for_writing  # noqa: B018 - refuses before texts are read
        place = review.place(asked["cluster"])
        planned = _planned(review, place, asked)
        step, _ = _write(review, planned, progress, by=by, note=asked["note"], action=asked["action"])
        return {"step": step, "cluster": queue.listed(place), "states": review.marks.counts()}


def _planned(review: Review, place: int, asked: Mapping[str, Any]) -> Planned:
    """Returns the lines of a decision about one cluster."""
    members = review.groups.members(place)
    action, rows = asked["action"], _members(members, "rows", asked["rows"])
    if action != ACCEPT:
        for name in ("survivor", "exclude"):
            if asked[name] is not None:
                raise InvalidOption("option-of-another-action", option=name, action=ACCEPT)
    elif rows is not None:
        raise InvalidOption("option-of-another-action", option="rows", action=f"{DISTINCT} or {EXCLUDE}")
    if action == ACCEPT:
        survivor = asked["survivor"]
        chosen = int(review.marks.survivors[place]) if survivor is None else survivor
        _members(members, "survivor", [chosen])
        excluded = _members(members, "exclude", asked["exclude"]) or []
        if chosen in excluded:
            raise InvalidOption("survivor-is-excluded", row=chosen)
        return _accepted(review, place, chosen, excluded)
    if action == DISTINCT:
        return _distinct(members.tolist() if rows is None else rows)
    if action == EXCLUDE:
        if not rows:
            raise InvalidOption("rows-needed", action=EXCLUDE)
        return [("exclude", rows)]
    return [("skip", [int(review.marks.survivors[place])])]


def _members(members: Any, option: str, rows: Sequence[Any] | None) -> list[int] | None:
    """Checks that rows are members of a cluster, and returns each once."""
    if rows is None:
        return None
    known = {*members.tolist()}
    for row in rows:
        if not isinstance(row, int) or isinstance(row, bool) or row not in known:
            raise InvalidOption("not-a-member", option=option, row=row)
    return [*dict.fromkeys(rows)]


def _accepted(review: Review, place: int, survivor: int, excluded: Iterable[int]) -> Planned:
    """Returns the lines that make a row the survivor. Earlier decisions that contradict it are withdrawn first."""
    journal = review.journal_for_writing
    standing = review.marks.standing(place, journal.gone)
    contrary = {row for row in standing.kept if row != survivor}
    contrary |= {row for some in standing.different for row in some}
    alone = {*excluded} | (standing.excluded & contrary)
    alone.discard(survivor)
    lines: Planned = [("undo", sorted(contrary))] if contrary else []
    lines.append(("keep", [survivor]))
    return lines + ([("exclude", sorted(alone))] if alone else [])


def _distinct(rows: list[int]) -> Planned:
    if len(rows) < 2:
        raise InvalidOption("rows-needed", action=DISTINCT)
    if len(rows) > MOST_DIFFERENT:
        raise InvalidOption("too-many-different-ids", most=MOST_DIFFERENT, documents=len(rows))
    return [("different", rows)]


def _write(review: Review, planned: Planned, progress: Progress, **more: Any) -> tuple[str, set[int]]:
    """Writes lines as one step. A document that occurs twice in a line, with the same id and bytes, is named once."""
    rows = [row for _, some in planned for row in some]
    names = dict(zip(rows, review.named(rows, progress), strict=True))
    entries = []
    for kind, some in planned:
        unique = {(str(names[row]["id"]), names[row]["bytes"]): names[row] for row in some}
        if kind == "different" and len(unique) < 2:
            raise InvalidOption("same-document", id=str(names[some[0]]["id"]))
        entries.append(({"decision": kind, "documents": [*unique.values()]}, some))
    return review.write(entries, **more)


def undo(review: Review, queue: Queue, step: str | None, by: str | None, progress: Progress) -> dict[str, Any]:
    """Withdraws a step; by default, the newest one that is in force and not a withdrawal itself.

    `by` is the name of a key, whose own steps are meant then. The start token belongs to one person.
    """
    with review.guard:
        review.prepare(progress)
        journal = review.journal_for_writing
        steps = journal.steps()
        if step is None:
            open_steps = (
                name
                for name, lines in reversed(steps.items())
                if not lines[0].undoes
                and not all(line.number in journal.gone for line in lines)
                and by in (None, lines[0].entry.get("imported_by", lines[0].entry.get("by")))
            )
            step = next(open_steps, None)
            if step is None:
                raise ServiceError("nothing-to-undo")
        elif step not in steps:
            raise ServiceError("no-such-step", step=step)
        elif all(line.number in journal.gone for line in steps[step]):
            raise ServiceError("undone-before", step=step)
        made, places = review.withdraw(step, by=by, action="undo")
        shown = [queue.listed(place) for place in sorted(places)[:LISTED]]
        undone = step_of(review, step, steps[step])
        return {"step": made, "undone": undone, "clusters": shown, "states": review.marks.counts()}


def bulk(review: Review, queue: Queue, asked: Mapping[str, Any], by: str | None, progress: Progress) -> dict[str, Any]:
    """Carries out an action on all clusters that a filter selects, as one step. A dry run only counts them."""
    with review.guard:
        review.prepare(progress)
        places = np.flatnonzero(queue.chosen(asked))
        sizes = review.groups.sizes[places]
        if asked["action"] == DISTINCT:
            places, sizes = places[sizes <= MOST_DIFFERENT], sizes[sizes <= MOST_DIFFERENT]
        counts: dict[str, Any] = {"clusters": len(places), "documents": int(sizes.sum()), "step": None}
        if not asked["dry_run"]:
            review.journal_for_writing  # noqa: B018 - refuses before texts are read
            planned = _planned_bulk(review, asked["action"], places.tolist())
            if planned:
                action = f"bulk-{asked['action']}"
                counts["step"], _ = _write(review, planned, progress, by=by, note=asked["note"], action=action)
        return counts | {"states": review.marks.counts()}


def _planned_bulk(review: Review, action: str, places: list[int]) -> Planned:
    if action == DISTINCT:
        return [("different", review.groups.members(place).tolist()) for place in places]
    survivors = [int(review.marks.survivors[place]) for place in places]
    if action == SKIP:
        return _lines("skip", survivors)
    contrary, alone = list[int](), list[int]()
    for place, survivor in zip(places, survivors, strict=True):
        if review.marks.of(place) and review.marks.state[place] != 0:
            for kind, rows in _accepted(review, place, survivor, ()):
                contrary += rows if kind == "undo" else []
                alone += rows if kind == "exclude" else []
    return _lines("undo", contrary) + _lines("keep", survivors) + _lines("exclude", alone)


def choose(review: Review, survivors: Mapping[int, int], by: str | None, note: str, progress: Progress) -> str | None:
    """Writes survivors of clusters (by place) as one step. Returns its name; None if there are none."""
    planned: dict[str, list[int]] = {"undo": [], "keep": [], "exclude": []}
    for place, survivor in survivors.items():
        for kind, rows in _accepted(review, place, survivor, ()):
            planned[kind] += rows
    lines = [line for kind, rows in planned.items() for line in _lines(kind, rows)]
    return _write(review, lines, progress, by=by, note=note, action="rules")[0] if lines else None


def _lines(kind: str, rows: list[int]) -> Planned:
    return [(kind, rows[start : start + LONGEST_LINE]) for start in range(0, len(rows), LONGEST_LINE)]


def import_decisions(review: Review, content: bytes, by: str | None, progress: Progress) -> dict[str, Any]:
    """Appends the decisions in force of another file as one step, and lists what does not apply here."""
    with review.guard:
        review.prepare(progress)
        journal = review.journal_for_writing
        given = parse_lines(BytesIO(content), Path("the body"))
        gone = withdrawn(given)
        lines = [line for line in given if line.number not in gone and not line.undoes]
        if not lines:
            raise InvalidOption("no-decisions-to-import")
        entries = [
            {"decision": line.kind, "documents": line.entry["documents"]}
            | {name: line.entry[name] for name in ("by", "note") if isinstance(line.entry.get(name), str)}
            for line in lines
        ]
        written = journal.write(entries, action="import", imported_by=by)
        stale, unknown = review.apply(written, progress)
        review.stale += stale
        review.unknown += unknown
        review.marks.add(written, review.rows_of_line, journal.gone)
        applied = sum(len(review.rows_of_line[line.number]) for line in written)
        states = {"states": review.marks.counts()}
        return {"step": written[0].step, "applied": applied} | replayed(stale, unknown) | states
