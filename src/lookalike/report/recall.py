"""An audit → the section of the report that says which recall was measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike.drawing.markup import tag, text

if TYPE_CHECKING:
    from lookalike.trust.audit import Audit, Range
    from lookalike.trust.intervals import Share

NAMED = 20


def measured(audit: Audit) -> str:
    """Recall and precision with their intervals, found and expected pairs by similarity, and what was missed."""
    recall = audit.recall
    words = (
        f"All true partners of {audit.sample:,} sampled documents were looked for in all {audit.documents:,}, exactly. "
    )
    if not recall.of:
        return tag("p", text(words + "None of them has any: nothing can be said about recall."), kind="nothing")
    words += f"{audit.with_partners:,} of them have {recall.of:,}, at similarity {audit.threshold} or more. "
    words += "Intervals hold the true share in 95 of 100 samples."
    shares = [("recall of pairs", audit.pair_recall), ("recall of clusters", audit.cluster_recall)]
    shares.append(("precision", audit.precision))
    tiles = [_tile(name, share) for name, share in shares if share is not None]
    head = tag(
        "tr", *(tag("th", name, kind="n") for name in ("similarity", "true pairs", "found", "share", "expected"))
    )
    rows = [_row(one) for one in audit.by_similarity if one.pairs]
    table = tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), kind="card")
    return (
        tag("p", text(words), kind="note")
        + tag("div", *tiles, kind="tiles")
        + tag("div", table, tag("div", _missed(audit), kind="card"), kind="two next")
    )


def _tile(name: str, share: Share) -> str:
    if not share.of:  # a result that lists nothing has no precision
        return tag("div", tag("b", "–"), tag("span", text(f"{name}, unknown")), kind="tile")
    interval = f"{name}, {share.low:.4f} … {share.high:.4f}"
    return tag("div", tag("b", f"{share.value:.4f}"), tag("span", text(interval)), kind="tile")


def _row(one: Range) -> str:
    low = "1" if one.low == 1 else f"{one.low:.2f} … {one.high:.2f}"
    cells = (low, f"{one.pairs:,}", f"{one.found:,}", f"{one.found / one.pairs:.4f}", f"{one.expected:.4f}")
    return tag("tr", *(tag("td", text(cell), kind="n") for cell in cells))


def _missed(audit: Audit) -> str:
    many = audit.missed.num_rows
    if not many:
        return tag("p", "No pair of the sample was missed.")
    rows = [
        tag("li", text(f"{row['left']} and {row['right']}, {row['similarity']:.4f}"))
        for row in audit.missed.slice(0, NAMED).to_pylist()
    ]
    more = f", the first {NAMED}" if many > NAMED else ""
    return tag("p", f"Missed: {many:,} {'pairs' if many > 1 else 'pair'}{more}.") + tag("ul", *rows)
