"""Renders the report on pairs, clusters or a deduplication. Its sections are templates in `templates/documents/`."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike.drawing.histograms import similarity_histogram, size_histogram
from lookalike.notices import Notice
from lookalike.planning.explain import TEXTBOOK, chance, describe_shingles, explain_exact, similarities
from lookalike.planning.resolve import ResolvedPlan
from lookalike.report.charts import s_curve
from lookalike.report.excerpts import mostly_code
from lookalike.report.figures import Figures
from lookalike.report.interactive import data_of, live
from lookalike.report.templating import chart, count, markup, render_page, seconds
from lookalike.results.summary import SAME, Overview, Summary

if TYPE_CHECKING:
    from lookalike.trust.audit import Audit
    from lookalike.trust.intervals import Share

Facts = list[tuple[str, str]]

MISSED = 20
"""The maximum number of missed pairs that are listed."""


def render(figures: Figures, *, made: datetime | None = None) -> str:
    """Renders the report as an HTML string."""
    counts, plan = figures.overview, figures.plan
    sections = [("similarity", "Similarity"), ("clusters", "Clusters"), ("pairs", "Pairs side by side")]
    sections += [("recall", "Measured recall")] if figures.audit else []
    code = mostly_code([*figures.groups, *figures.samples])
    data = data_of(figures, code)
    sections += [("plan", "The plan"), ("run", "The run")]
    return render_page(
        "documents",
        title=f"Similar documents in {figures.source}",
        lead=_lead(figures),
        tiles=_tiles(figures),
        sections=sections,
        made=made,
        summary=figures.summary,
        warnings=_warnings(figures.summary),
        counts=counts,
        similarity=_similarity(figures),
        groups=figures.groups,
        sizes_chart=chart(partial(size_histogram, counts.sizes)) if counts.clusters else None,
        star=plan is not None and plan.plan.linkage == "star" and counts.pairs is None,
        removal=counts.kept is not None,
        samples=figures.samples,
        is_code=code,
        live=None if data is None else live(data),
        all_shown=len(figures.samples) == len(figures.similarities),
        run=_run(figures.summary),
        forecast=figures.forecast,
        plan=plan,
        **(_recall(figures.audit) if figures.audit else {}),
        **(_plan(plan) if plan else {}),
    )


def _lead(figures: Figures) -> str:
    counts = figures.overview
    reached = f"a similarity of {figures.plan.threshold} or more" if figures.plan else ""
    if not counts.documents:
        return "There were no documents to read."
    if not counts.clusters:
        return f"No two of the {count(counts.documents, 'document')} {f'have {reached}' if reached else 'are similar'}."
    if counts.kept is not None and counts.removed is not None:
        return _lead_of_removal(counts, figures.plan)
    left = f"{counts.distinct:,} remain, {counts.distinct / counts.documents:.1%} of the input"
    at = f" with {reached}" if reached else ""
    words = f"{counts.clustered:,} of {count(counts.documents, 'document')} have a look-alike{at}. "
    return words + f"With one document per cluster, {left}."


def _lead_of_removal(counts: Overview, plan: ResolvedPlan | None) -> str:
    kept, removed = counts.kept or 0, counts.removed or 0
    read = kept + removed
    left = (
        f"{removed:,} of {count(read, 'document')} were removed, and {kept:,} remain, {kept / read:.1%} of the input. "
    )
    if plan is None:
        return left
    if counts.below:
        return left + (
            f"Of those removed, {counts.below:,} have a similarity below {plan.threshold} to the document kept in "
            "their place."
        )
    if plan.plan.copies is not None:
        same = "bytes" if plan.plan.copies == "identical" else "words in the same order"
        return left + f"Every removed document has the same {same} as the one kept in its place."
    return left + f"Every removed document has a similarity of {plan.threshold} or more to the one kept in its place."


def _tiles(figures: Figures) -> Facts:
    counts = figures.overview
    same = SAME.get(figures.summary.shingles.split(":")[0], "the same shingles")
    other = "an earlier document" if counts.identical is None else "the document kept"
    tiles = [
        ("documents", counts.documents - (counts.reference or 0)),
        *([("reference documents", counts.reference)] if counts.reference else []),
        *([] if counts.identical is None else [("identical: the same bytes as the document kept", counts.identical)]),
        (f"same words: {same} as {other}, in the same order", counts.copies - (counts.identical or 0)),
        ("near-duplicates", counts.near),
        *([("near-duplicates below the threshold, because of a chain", counts.below)] if counts.below else []),
        ("clusters of two or more", counts.clusters),
    ]
    if counts.pairs is not None:
        tiles.append(("similar pairs", counts.pairs))
    if counts.kept is not None and counts.removed is not None:
        tiles += [("documents kept", counts.kept), ("documents removed", counts.removed)]
    if counts.lost:
        tiles.append(("characters lost: in shingles that the kept document lacks", counts.lost))
    return [(label, f"{figure:,}") for label, figure in tiles]


def _warnings(summary: Summary) -> list[Notice | str]:
    warnings: list[Notice | str] = list(summary.warnings)
    if summary.verified == "signature":
        warnings.append("Similarities are estimates from signatures, as planned. Some pairs are below the threshold.")
    if summary.verified == "none":
        warnings.append("Pairs are unchecked candidates, as planned. Some are below the threshold.")
    return warnings


def _similarity(figures: Figures) -> dict[str, Any] | None:
    values = figures.similarities
    if not len(values):
        return None
    lower = values[values < 1]
    threshold = float(figures.plan.threshold) if figures.plan else None
    found = {
        "of": figures.similarities_of,
        "identical": len(values) - len(lower),
        "copies": _copies_and_ones(figures, len(values) - len(lower)),
        "lower": len(lower),
        "below_threshold": threshold is not None and bool((values < threshold).any()),
        "chart": chart(partial(similarity_histogram, values, threshold)),
    }
    return found | ({"median": float(np.median(lower)), "minimum": float(lower.min())} if len(lower) else {})


def _copies_and_ones(figures: Figures, ones: int) -> str | None:
    """Returns an explanation if there are more or fewer similarities of 1 than documents with the same words."""
    counts = figures.overview
    if ones == counts.copies or not (ones and counts.copies):
        return None
    has = "has" if counts.copies == 1 else "have"
    copies = f"{count(counts.copies, 'document')} {has} the same words"
    if counts.identical is not None:
        return f"{copies} as the one kept. The others have the same shingles in another order."
    if counts.pairs is not None:
        return f"{copies} as an earlier one. The numbers differ because three copies of a text make three pairs."
    return (
        f"{copies} as an earlier one. The numbers differ because a copy of a removed document is as similar as "
        "that document to the one kept, and because texts with the same shingles in another order have similarity 1."
    )


def _recall(audit: Audit) -> dict[str, Any]:
    named = [("recall of pairs", audit.pair_recall), ("recall of clusters", audit.cluster_recall)]
    handled = "recall of removal: true pairs of which at least one document was removed"
    named += [(handled, audit.removal_recall), ("precision", audit.precision)]
    shares = [_share_tile(name, share) for name, share in named if share is not None]
    return {"audit": audit, "shares": shares, "missed": audit.missed.slice(0, MISSED).to_pylist()}


def _share_tile(name: str, share: Share) -> tuple[str, str]:
    if not share.of:  # a result that lists nothing has no precision
        return f"{name}, unknown", "–"
    return f"{name} ({share.low:.4f} – {share.high:.4f})", f"{share.value:.4f}"


def _plan(plan: ResolvedPlan) -> dict[str, Any]:
    if plan.exact:
        return {"exact_join": explain_exact(plan), "settings": _settings(plan)}
    banding, threshold = plan.banding, float(plan.threshold)
    ours, other = (f"{one.bands} × {one.rows}" for one in (banding, TEXTBOOK))
    rows = [
        {
            "at_threshold": s == threshold,
            "similarity": str(plan.threshold) if s == threshold else f"{s:g}",
            "planned": chance(banding.collision_probability(s)),
            "compared": chance(TEXTBOOK.collision_probability(s)),
        }
        for s in similarities(threshold)
    ]
    curve = markup(s_curve(banding, threshold, str(plan.threshold)))
    names = {"banding": ours, "compared_banding": other}
    return {**names, "curve": curve, "probabilities": rows, "settings": _settings(plan)}


def _settings(plan: ResolvedPlan) -> Facts:
    chosen = f" (auto: {plan.shingles_reason})" if plan.shingles_reason else ""
    facts = [
        ("shingles", f"{plan.shingles}: {describe_shingles(plan.shingles)}{chosen}"),
        ("threshold", str(plan.threshold)),
    ]
    if plan.exact:
        copies = plan.plan.copies
        return [*facts, ("recall", "1, by an exact join") if copies is None else ("remove", f"only {copies} documents")]
    banding = plan.banding
    verified = {"exact": "exactly, on the sets of shingles", "signature": "by signature", "none": "not at all"}
    bands = f"{banding.bands} bands × {banding.rows} rows of {plan.plan.hashes} hashes ({plan.plan.sketch} sketch)"
    points = f"half point {banding.half_point():.3f}, steepest point {banding.steepest_point():.3f}"
    return [
        *facts,
        ("recall", f"{chance(plan.recall)} expected at the threshold ({plan.plan.recall:g} requested)"),
        ("bands", bands),
        ("curve", f"{points}, rule of thumb {banding.rule_of_thumb():.3f}"),
        ("verified", verified[plan.plan.verify]),
        ("seed", str(plan.plan.seed)),
    ]


def _run(summary: Summary) -> Facts:
    total, megabytes = summary.total_seconds, summary.bytes / 1e6
    facts = [("engine", summary.engine), ("text read", f"{megabytes:,.1f} MB"), ("time", seconds(total))]
    if total > 0 and summary.documents:
        rate = f"{summary.documents / total:,.0f} documents per second, {megabytes / total:,.1f} MB/s"
        facts.append(("rate", rate))
    if summary.candidates is not None:
        among = (
            " of distinct documents; pairs with the same words are known without comparing"
            if summary.same_words
            else ""
        )
        facts.append(("candidates", f"{count(summary.candidates, 'pair')}{among}"))
    facts.append(("compared", count(summary.checked, "pair")))
    facts.append(("short texts", f"{summary.short:,}, each cut into a single shingle"))
    if summary.kept_by:
        facts.append(("kept by rule", f"{summary.kept_by_rule} (removed documents that each rule decided)"))
    if summary.decisions:
        facts.append(("decisions", summary.decisions_in_words))
    if summary.fallback:
        facts.append(("no stop words", f"{count(summary.fallback, 'text')}, cut into words instead"))
    return facts
