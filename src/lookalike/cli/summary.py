"""Formats the summary of a result as aligned lines: input, findings, cost and outputs."""

from __future__ import annotations

import re
import sys
import textwrap
import tomllib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lookalike.notices import Notice
from lookalike.notices.naming import command_line
from lookalike.notices.readable import in_words, visible
from lookalike.storage.budget import peak

if TYPE_CHECKING:
    from lookalike.results.clusters import Clusters
    from lookalike.results.deduped import Deduped
    from lookalike.results.matches import Matches
    from lookalike.results.pairs import Pairs
    from lookalike.results.summary import Overview, Summary
    from lookalike.trust.audit import Audit


AUTO = ", chosen by auto"
CHOSEN = {
    "": "",
    "shingles-of-code": f"{AUTO} for source code",
    "shingles-of-short-texts": f"{AUTO}; chars:5 would tolerate typing errors",
}
"""What the line about shingles adds to their name, by the code of the reason; AUTO for all other reasons."""

CHAINED = (
    "{:,} below the threshold, connected to the document kept only by a chain of similar documents. --linkage star "
    "does not remove such documents"
)
"""The line about removed documents that are connected to the kept ones by other documents only."""

LOST = "{:,} characters of removed documents are in shingles that the kept document lacks"
"""The line about the text that is removed with near-duplicates."""


def summarise(
    result: Pairs | Clusters | Deduped,
    source: str,
    seconds: float,
    wrote: list[str],
    audit: Audit | None = None,
    forecast: Sequence[tuple[str, str, str]] = (),
) -> str:
    """Formats the summary of a run.

    `seconds` is the time of the whole run. `forecast` lists the name, predicted value and actual value of each figure.
    """
    lines = _found(result, source)
    if audit is not None:
        from lookalike.trust.audit_lines import short_lines_of_audit

        lines += short_lines_of_audit(audit)
    lines += _cost(result.summary, result.summary.seconds, seconds)
    lines += [
        ("forecast" if i == 0 else "", f"{name}: {predicted} predicted, {actual} actual")
        for i, (name, predicted, actual) in enumerate(forecast)
    ]
    return lines_of(lines, wrote, result.summary.warnings)


def show(text: str) -> None:
    """Prints a summary to standard error, after the data on standard output."""
    sys.stdout.flush()
    print(visible(text), file=sys.stderr, end="")


def _largest(sizes: Sequence[int]) -> str:
    """Returns the sizes of the largest clusters in words, as the end of a line."""
    if len(sizes) < 2:
        return f", the largest has {sizes[0]:,} documents" if sizes else ""
    if sizes[0] == sizes[-1]:
        return f", the largest have {sizes[0]:,} documents"
    *others, last = (f"{size:,}" for size in sizes)
    return f", the largest have {', '.join(others)} and {last} documents"


def summarise_join(result: Matches | Pairs, sources: list[str], seconds: dict[str, float], wrote: list[str]) -> str:
    """Formats the summary of a join, of pairs of vectors or of nearest vectors."""
    from lookalike.results.pairs import Pairs

    if isinstance(result, Pairs):
        sides, recall = [(result.noun, result.rows)], None
    else:
        left, right = result.left_total, result.right_total
        sides, recall = [(result.noun, left)] if result.within else [("left", left), ("right", right)], result.recall
    lines = [(side, f"{rows:,} from {name}") for (side, rows), name in zip(sides, sources, strict=False)]
    if result.summary.shingles:
        reason = tomllib.loads(result.rules).get("shingles_reason", {}).get("code", "")
        lines.append(("shingles", result.summary.shingles + CHOSEN.get(reason, AUTO)))
    if not result.how or result.summary.empty:
        lines.append(("unusable", f"{result.summary.empty:,} empty, {result.summary.malformed:,} malformed"))
    lines.append(("pairs", f"{len(result):,} by {result.asked}"))
    if result.how:
        lines.append(("how", result.how))
    if recall is not None:
        lines.append(("recall", f"{recall:.1%}, measured on a sample"))
    stages = result.summary.seconds | seconds
    lines += _cost(result.summary, stages, sum(stages.values()), result.noun)
    return lines_of(lines, wrote, result.summary.warnings)


def lines_of(
    named: Sequence[tuple[str, str | Notice]], wrote: Iterable[str] = (), warnings: Iterable[Notice] = ()
) -> str:
    """Formats names and texts in two columns, followed by the paths of outputs and by warnings.

    Options in notices are named as on the command line. A line has at most 80 characters, unless a single word, such as
    a path, is longer.
    """
    wrapper = textwrap.TextWrapper(80, subsequent_indent=" " * 17, break_long_words=False, break_on_hyphens=False)
    written = [("written to" if number == 0 else "", path) for number, path in enumerate(wrote)]
    lines = []
    for name, text in [*named, *written, *(("warning", warning) for warning in warnings)]:
        wrapper.initial_indent = f"{name:<17}"
        words = text.render(command_line) if isinstance(text, Notice) else text
        if name == "time":  # a stage and its seconds stay on one line
            words = re.sub(r" (?=[\d.]+[,)]|s\b)", "\u00a0", words)
        lines.append(wrapper.fill(words).replace("\u00a0", " ") if name == "time" else wrapper.fill(words))
    return "".join(f"{line}\n" for line in lines)


def _found(result: Pairs | Clusters | Deduped, source: str) -> list[tuple[str, str]]:
    from lookalike.results.summary import SAME  # loaded already

    counts, summary = result._overview(), result.summary
    plan = tomllib.loads(summary.plan)
    if "vectors" in plan:
        return _found_by_vectors(counts, summary, source, plan)
    resolved = plan["resolved"]
    reason = resolved.get("shingles_reason", {}).get("code", "")
    how = [("shingles", summary.shingles + CHOSEN.get(reason, AUTO))]
    if (copies := plan.get("copies")) is not None:
        same = {"identical": "bytes", "same-words": "words in the same order"}[copies]
        how = [*(how if copies == "same-words" else []), ("method", f"copies only: documents with the same {same}")]
    elif (limit := getattr(result, "limit", None)) is not None:
        least = "" if len(result) < limit else f", all at or above {plan['threshold']}"
        how.append(("method", f"exact search for the {limit:,} most similar pairs{least}"))
    elif resolved["method"] == "exact":
        how.append(("method", f"exact join: every pair at or above {plan['threshold']}"))
    else:
        found = f"about {resolved['recall']:.1%} of the pairs at {plan['threshold']}"
        how.append(("method", f"{plan['bands']} bands of {plan['rows']} rows: {found}"))
    if counts.reference is not None:
        return _found_against(counts, summary, source, how)
    lines = [("documents", f"{counts.documents:,} from {source}"), *how]
    lines.append(("unusable", f"{summary.empty:,} empty, {summary.malformed:,} malformed"))
    if counts.identical is not None:
        lines.append(("identical", _share(counts.identical, counts.documents)))
    kind = summary.shingles.split(":")[0]
    if copies != "identical":
        label = SAME[kind].removeprefix("the ") if kind in ("chars", "tokens") else "same words"
        lines.append((label, _share(counts.copies - (counts.identical or 0), counts.documents)))
    if copies is None:
        lines.append(("near-duplicates", _share(counts.near, counts.documents)))
    if counts.pairs is not None:
        lines.append(("similar pairs", f"{counts.pairs:,}"))
    lines.append(("clusters", f"{counts.clusters:,}{_largest(counts.largest)}"))
    if counts.kept is not None and counts.removed is not None:
        lines.append(("kept", _share(counts.kept, counts.documents)))
        lines.append(("removed", _share(counts.removed, counts.documents)))
        lines += [("", CHAINED.format(counts.below))] if counts.below else []
        lines += [("lost", LOST.format(counts.lost))] if counts.lost else []
        lines += [("kept by rule", summary.kept_by_rule)] if summary.kept_by else []
        lines += [("decisions", summary.decisions_in_words)] if summary.decisions else []
    if summary.verified != "exact":
        lines.append(("verified", {"signature": "by signature only", "none": "no"}.get(summary.verified, "?")))
    return lines


def _found_by_vectors(counts: Overview, summary: Summary, source: str, plan: dict[str, Any]) -> list[tuple[str, str]]:
    bound = f"{plan['threshold']} or more" if "threshold" in plan else f"distance of {plan['distance']:g} or less"
    lines = [
        ("documents", f"{counts.documents:,} from {source}"),
        ("similar", f"{plan['measure']} of the column {plan['vectors']}: {bound}"),
        ("how", plan["how"]),
        ("unusable", f"{summary.empty:,} empty"),
    ]
    if counts.identical is not None:
        lines.append(("identical", _share(counts.identical, counts.documents)))
    lines.append(("clusters", f"{counts.clusters:,}{_largest(counts.largest)}"))
    if counts.kept is not None and counts.removed is not None:
        lines.append(("kept", _share(counts.kept, counts.documents)))
        lines.append(("removed", _share(counts.removed, counts.documents)))
        lines += [("", CHAINED.format(counts.below))] if counts.below else []
        lines += [("kept by rule", summary.kept_by_rule)] if summary.kept_by else []
        lines += [("decisions", summary.decisions_in_words)] if summary.decisions else []
    return lines


def _found_against(
    counts: Overview, summary: Summary, source: str, how: list[tuple[str, str]]
) -> list[tuple[str, str]]:
    """Formats the lines about a corpus that was deduplicated against a reference; `how` are those about the plan."""
    read = (counts.kept or 0) + (counts.removed or 0)
    reference = f"{counts.reference:,} reference documents"
    if summary.indexed:
        reference = f"{summary.indexed:,} documents of an index; {counts.reference:,} share a bucket with the input"
    return [
        ("documents", f"{read:,} from {source}"),
        ("against", reference),
        *how,
        ("unusable", f"{summary.empty:,} empty, {summary.malformed:,} malformed"),
        ("like reference", _share(counts.known or 0, read)),
        ("like each other", _share((counts.removed or 0) - (counts.known or 0), read)),
        ("kept", _share(counts.kept or 0, read)),
        ("removed", _share(counts.removed or 0, read)),
        *([("", CHAINED.format(counts.below))] if counts.below else []),
        *([("lost", LOST.format(counts.lost))] if counts.lost else []),
        *([("kept by rule", summary.kept_by_rule)] if summary.kept_by else []),
        *([("decisions", summary.decisions_in_words)] if summary.decisions else []),
    ]


def _cost(summary: Summary, stages: dict[str, float], total: float, noun: str = "documents") -> list[tuple[str, str]]:
    """Formats the lines about memory, time and disk. `total` is the time of the whole run, not only of its stages."""
    used = f"{in_words(peak())} used at the peak"
    if summary.memory:
        spilled = f"{in_words(summary.spilled)} spilled to files" if summary.spilled else "nothing spilled"
        used += f", {in_words(summary.memory)} allowed; {spilled}"
    stages = stages | {"other": total - sum(stages.values())}  # opening files and choosing a plan, for example
    each = ", ".join(f"{name} {taken:.2f}" for name, taken in stages.items() if taken >= 0.005)
    lines = [("memory", used), ("time", f"{total:.2f} s" + (f" ({each})" if each else ""))]
    if total > 0 and summary.documents:
        text = f", {speed:,.1f} MB/s" if (speed := summary.bytes / 1e6 / total) >= 0.05 else ""
        lines.append(("rate", f"{summary.documents / total:,.0f} {noun}/s{text}"))
    if summary.resumed:
        lines.append(("resumed", f"from {summary.resumed:,} finished {'part' if summary.resumed == 1 else 'parts'}"))
    if summary.disk:
        lines.append(
            ("disk", f"{in_words(summary.written)} of parts written, at most {in_words(summary.disk)} at a time")
        )
    return lines


def _share(part: int, whole: int) -> str:
    return f"{part:,} ({part / whole:.1%})" if part and whole else f"{part:,}"
