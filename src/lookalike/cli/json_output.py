"""The JSON object that a command prints with --json: summary, notices and outputs, or the error."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lookalike.cli.process import speaks_utf8
from lookalike.flow.json_text import json_text
from lookalike.notices.naming import command_line

if TYPE_CHECKING:
    from lookalike.cli.options import Options
    from lookalike.io.outputs import Outputs
    from lookalike.notices import Notice
    from lookalike.results.clusters import Clusters
    from lookalike.results.deduped import Deduped
    from lookalike.results.pairs import Pairs
    from lookalike.results.result import Result
    from lookalike.trust.audit import Audit


NOT_IN_EVERY_RUN = ("plan", "shingles", "memory", "clusters", "clustered", "kept_by", "decisions")
"""Facts that only some commands have. Empty ones are left out."""


def print_json(
    options: Options, summary: Mapping[str, Any], notices: Iterable[Notice] = (), outputs: Outputs | None = None
) -> None:
    """Prints the findings of a command, its notices, and the path of each output, as one JSON object."""
    written = {} if outputs is None else {option: str(outputs.paths[option]) for option in outputs.targets}
    _print(
        {
            "command": options.command,
            "summary": summary,
            "notices": [_with_sentence(notice) for notice in notices],
            "outputs": written,
        }
    )


def print_json_error(notice: Notice, code: int) -> None:
    """Prints the error that ended a command."""
    _print({"error": _with_sentence(notice), "exit_code": code})


def facts_of(result: Result) -> dict[str, Any]:
    """Returns everything in a result except its tables and warnings: counts, times and the plan."""
    facts = result.without_tables()
    facts = {**facts.pop("summary"), **facts, "total_seconds": result.summary.total_seconds}
    facts["plan"] = tomllib.loads(facts["plan"])
    return {
        name: value
        for name, value in facts.items()
        if name not in ("warnings", "input") and (value or name not in NOT_IN_EVERY_RUN)
    }


def facts_of_run(
    result: Pairs | Clusters | Deduped, seconds: float, audit: Audit | None, forecast: Sequence[tuple[str, str, str]]
) -> dict[str, Any]:
    """Returns the facts of a run over a corpus, with the counts that its summary shows.

    `seconds` is the time of the whole run. `forecast` lists the name, predicted value and actual value of each figure.
    """
    counts = result._overview()
    facts = facts_of(result) | {
        "documents": counts.documents,
        "near_duplicates": counts.near,
        "clusters": counts.clusters,
        "largest_clusters": list(counts.largest),
        "kept": counts.kept,
        "removed": counts.removed,
        "total_seconds": seconds,
    }
    if counts.identical is not None:
        facts |= {"identical": counts.identical, "same_words": counts.copies - counts.identical, "lost": counts.lost}
    if counts.reference is not None:
        facts |= {"reference": counts.reference, "known": counts.known}
    if audit is not None:
        facts["audit"] = audit.to_dict()
    if forecast:
        facts["forecast"] = [{"name": name, "predicted": said, "actual": actual} for name, said, actual in forecast]
    return facts


def _with_sentence(notice: Notice) -> dict[str, Any]:
    return notice.to_dict() | {"message": notice.render(command_line)}


def _print(value: Mapping[str, Any]) -> None:
    print(json_text(value, ascii=not speaks_utf8(), indent=1), flush=True)
