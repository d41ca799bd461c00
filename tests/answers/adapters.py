"""Converts results to answers. Only this module needs to change when public names change."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import lookalike as la
from lookalike.engines.local.engine import Local
from lookalike.engines.stages.memory import Allowance
from tests.answers.digest import rounded

COUNTED = ("documents", "empty", "malformed", "short", "fallback", "exact_copies", "pairs", "clusters", "clustered")
"""Counts of a summary that are part of the answer; the others are costs."""


def counts(result: Any) -> dict[str, Any]:
    renamed = {"exact_copies": "same_words"}  # under its former name, so that digests stay
    return {name: getattr(result.summary, renamed.get(name, name)) for name in COUNTED}


def table(result: Any) -> dict[str, Any]:
    """A result that is one table, and the counts of its run."""
    return {"table": result.to_arrow(), "counts": counts(result)}


def bare_table(result: Any) -> Any:
    """A result that is one table; no run was counted."""
    return result.to_arrow()


def deduped(result: Any) -> dict[str, Any]:
    return {
        "kept": result.kept,
        "rows": result.kept_rows,
        "removed": result.removed,
        "clusters": result.clusters.to_arrow(),
        "counts": counts(result),
    }


def share(value: Any) -> Any:
    return None if value is None else [value.value, value.low, value.high, value.of]


def audited(result: Any) -> Any:
    shares = {name: share(getattr(result, name)) for name in ("pair_recall", "cluster_recall", "precision")}
    if result.removal_recall is not None:
        shares["removal_recall"] = share(result.removal_recall)
    steps = [[step.low, step.high, step.pairs, step.found, step.expected] for step in result.by_similarity]
    numbers = [result.documents, result.sample, result.with_partners, result.expected]
    return rounded(shares | {"steps": steps, "numbers": numbers}) | {"missed": result.missed}


def contaminated(result: Any) -> dict[str, Any]:
    names = ("test", "train", "contained", "resembling", "covered", "touched", "short")
    return {"table": result.table, "counts": [getattr(result, name) for name in names]}


def forecast(result: Any) -> list[Any]:
    """The counts of a forecast. Memory and time are left out, because they depend on the machine."""
    return [result.documents, result.empty, result.same_words, result.candidates, result.pairs]


def compared(result: Any) -> dict[str, Any]:
    return {
        "similarity": result.similarity,
        "measures": result.measures,
        "counts": [result.shared, result.either, result.bag_shared, result.bag_either, result.copies],
        "passages": [list(passage) for passage in result.passages],
        "marks": [result.marks_a, result.marks_b],
    }


def resolved(result: Any) -> dict[str, Any]:
    """A result of `resolve` or `link`, rounded: scores and weights are computed with logarithms."""
    return {"table": rounded(result.to_arrow()), "matches": rounded(result.matches)}


def stories(result: Any) -> dict[str, Any]:
    tables = {"pages": result.pages, "stories": result.stories, "furniture": result.boilerplate}  # its first name
    return tables | {"mirrors": result.mirrors, "languages": result.languages}


def plagiarism(result: Any) -> dict[str, Any]:
    numbers = [result.submissions, result.sources, result.template, result.common]
    return {"pairs": result.pairs, "passages": result.passages, "counts": numbers}


def plan(result: Any) -> list[Any]:
    """The settings of a resolved plan, but not their form in TOML."""
    return [str(result.shingles), result.banding.bands, result.banding.rows, str(result.threshold), result.method]


def saved(result: Any) -> Any:
    """The same result, saved in a folder and opened again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "result"
        result.save(path)
        return la.load(path)


def little_room() -> Any:
    """The local engine with memory for 200,000 bytes of tables. As a budget, this would be refused."""
    return Local(threads=2, allowance=Allowance(200_000, 1 << 20, state=0))


def bytes_spilled(result: Any) -> int:
    spilled: int = result.summary.spilled
    return spilled


def match_prints(*sources: str, **options: Any) -> Any:
    """A run over files of fingerprints."""
    return lambda _: la.apps.fingerprints.match_prints(*sources, **options).to_arrow()


ANSWERS = {
    "find_pairs": table,
    "find_clusters": table,
    "dedupe": deduped,
    "join": table,
    "nearest": table,
    "frequent_pairs": bare_table,
    "audit": audited,
    "contamination": contaminated,
    "forecast": forecast,
    "compare": compared,
    "resolve": resolved,
    "link": resolved,
    "stories": stories,
    "plagiarism": plagiarism,
    "resolve_plan": plan,
}
