"""Formats an audit as lines for the terminal and for notebooks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lookalike.notices import Notice
    from lookalike.trust.audit import Audit

NAMED = 3
"""The maximum number of missed pairs that are listed."""
WIDE = 0.02
"""If the interval is wider than this, the lines suggest a larger sample."""


def lines_of_audit(audit: Audit) -> list[tuple[str, str | Notice]]:
    """Returns all lines that the command `audit` prints, as pairs of a name and a text."""
    lines: list[tuple[str, str | Notice]] = [*lines_about_sample(audit), *short_lines_of_audit(audit)]
    if audit.recall.of:
        for one in audit.by_similarity:
            if one.pairs:
                lines.append((f"  {one.name}", f"{one.found:,} of {one.pairs:,} found, {one.expected:.4f} expected"))
    lines.append(("time", f"{audit.seconds:.2f} s"))
    return [*lines, *(("warning", warning) for warning in audit.warnings)]


def lines_about_sample(audit: Audit) -> list[tuple[str, str]]:
    """Returns the lines about the data, the sample and the true pairs in it."""
    recall = audit.recall
    true = f"{recall.of:,} with similarity {audit.threshold} or more, of {recall.documents:,} sampled documents"
    return [
        ("documents", f"{audit.documents:,} from {audit.source}"),
        ("sampled", f"{audit.sample:,} documents"),
        ("true pairs", true),
    ]


def short_lines_of_audit(audit: Audit) -> list[tuple[str, str]]:
    """Returns the lines about the audit in the summary of a run with --audit, as pairs of a name and a text."""
    from lookalike.trust.intervals import sample_for

    named = {"pair recall": audit.pair_recall, "cluster recall": audit.cluster_recall}
    named["removal recall"] = audit.removal_recall
    lines = [(name, str(share)) for name, share in named.items() if share is not None]
    if not audit.recall.known:
        return lines
    lines.append(("expected", f"{audit.expected:.4f} of these pairs, predicted from the plan"))
    lines.append(("precision", str(audit.precision)))
    lines.append(("missed", _missed(audit)))
    needed = sample_for(audit.recall, audit.sample, WIDE)
    if needed > audit.sample:
        lines.append(("", f"for an interval of {WIDE}, use a sample of about {min(needed, audit.documents):,}"))
    return lines


def _missed(audit: Audit) -> str:
    many = audit.missed.num_rows
    if not many:
        return "none"
    named = ", ".join(f"{row['left']} and {row['right']} ({row['similarity']:.4f})"
                      for row in audit.missed.slice(0, NAMED).to_pylist())  # fmt: skip
    return f"{many:,} pairs: {named}" + (" …" if many > NAMED else "") if many > 1 else f"1 pair: {named}"
