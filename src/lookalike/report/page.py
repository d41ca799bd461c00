"""Figures → one HTML page that needs nothing else: no network, no scripts, light and dark, good on paper."""

from __future__ import annotations

import re
from datetime import datetime
from importlib.resources import files

import numpy as np

from lookalike import __version__
from lookalike.drawing.markup import opening, tag, text
from lookalike.planning.explain import EXACT, NOTES, chance, describe_shingles, formula, similarities
from lookalike.planning.plan import ResolvedPlan
from lookalike.report.charts import s_curve, similarity_histogram, size_histogram
from lookalike.report.figures import Figures, Group, Least, Sample, pieces
from lookalike.report.recall import measured


def render(figures: Figures, *, made: datetime | None = None) -> str:
    """The page as text. Everything that comes from the data is escaped, and the page forbids itself to load or run."""
    title = f"Similar documents in {figures.source}"
    sections = [
        ("similarity", "Similarity", _similarity(figures)),
        ("clusters", "Clusters", _clusters(figures)),
        ("pairs", "Pairs side by side", _samples(figures)),
        *([("recall", "Measured recall", measured(figures.audit))] if figures.audit else []),
        ("plan", "The plan", _plan(figures)),
        ("run", "The run", _run(figures)),
    ]
    return framed(title, _lead(figures), _tiles(figures), _warnings(figures), sections=sections, made=made)


def framed(title: str, lead: str, *header: str, sections: list[tuple[str, str, str]], made: datetime | None) -> str:
    """A page with its head and foot; sections are (id, name, content)."""
    head = [
        '<meta charset="utf-8">',
        opening("meta", name="viewport", content="width=device-width, initial-scale=1"),
        opening("meta", http_equiv="Content-Security-Policy", content="default-src 'none'; style-src 'unsafe-inline'"),
        tag("title", text(title)),
        tag("style", (files(__package__) / "style.css").read_text(encoding="utf-8")),
    ]
    links = [tag("a", name, href=f"#{id}") for id, name, _ in sections]
    top = [tag("p", "lookalike", kind="brand"), tag("h1", text(title)), lead, tag("nav", *links)]
    body = [tag("section", tag("h2", name, id=id), content) for id, name, content in sections]
    when = f" on {made.day} {made:%B %Y, %H:%M}" if made else ""
    foot = tag("footer", text(f"Made by lookalike {__version__}{when}."))
    page = tag("main", tag("header", *top, *header), *body, foot)
    return f"<!doctype html>\n{tag('html', tag('head', *head), tag('body', page), lang='en')}\n"


def _lead(figures: Figures) -> str:
    counts = figures.overview
    at = f" at similarity {figures.plan.threshold} or more" if figures.plan else ""
    if not counts.documents:
        words = "There were no documents to read."
    elif not counts.clusters:
        words = f"No two of the {_count(counts.documents, 'document')} are similar{at}."
    else:
        left = f"{counts.distinct:,} remain: {counts.distinct / counts.documents:.1%} of what was read"
        words = f"{counts.clustered:,} of {_count(counts.documents, 'document')} have a look-alike{at}. "
        words += f"With one of each cluster kept, {left}."
    return tag("p", text(words), kind="lead")


def _tiles(figures: Figures) -> str:
    counts, summary = figures.overview, figures.summary
    tiles = [
        ("documents", counts.documents),
        ("exact copies of an earlier document", counts.copies),
        ("near-duplicates besides", counts.near),
        ("clusters of two or more", counts.clusters),
    ]
    if counts.pairs is not None:
        tiles.append(("similar pairs", counts.pairs))
    if counts.kept is not None and counts.removed is not None:
        tiles += [("documents kept", counts.kept), ("documents removed", counts.removed)]
    cells = [tag("div", tag("b", f"{value:,}"), tag("span", name), kind="tile") for name, value in tiles]
    aside = [f"{_count(summary.empty, 'empty text')} (similar to nothing)"]
    aside.append(f"{_count(summary.malformed, 'malformed row')} left out")
    return tag("div", *cells, kind="tiles") + tag("p", " · ".join(aside), kind="small aside")


def _warnings(figures: Figures) -> str:
    warnings = [str(warning) for warning in figures.summary.warnings]
    if figures.summary.verified == "signature":
        warnings.append(
            "Similarities are estimates from signatures, as the plan asked; some pairs are below the threshold."
        )
    if figures.summary.verified == "none":
        warnings.append("Pairs are unchecked candidates, as the plan asked; some are below the threshold.")
    if not warnings:
        return ""
    items = [tag("li", text(warning)) for warning in warnings]
    return tag("div", tag("h3", "Worth knowing"), tag("ul", *items), kind="warnings")


def _similarity(figures: Figures) -> str:
    values = figures.similarities
    if not len(values):
        known = "These pairs carry no similarities." if figures.overview.clusters else "No two documents are similar."
        return tag("p", known, kind="nothing")
    below = values[values < 1]
    words = f"Of {figures.similarities_of}: {len(values) - len(below):,} of similarity 1"
    if len(below):
        words += (
            f", {len(below):,} below it, with median {_share(float(np.median(below)))} and least {_share(below.min())}"
        )
    words += "."
    if figures.plan and len(below) and below.min() < float(figures.plan.threshold):
        words += " Those below the threshold are in their cluster through a chain of similar documents;"
        words += " with --linkage star there are none."
    drawing = similarity_histogram(values, float(figures.plan.threshold) if figures.plan else None)
    return tag("p", text(words), kind="note") + tag("figure", drawing, kind="card")


def _clusters(figures: Figures) -> str:
    counts = figures.overview
    if not counts.clusters:
        return tag("p", "There are no clusters of two or more.", kind="nothing")
    words = f"{_count(counts.clustered, 'document')} in {_count(counts.clusters, 'cluster')}; the largest has "
    star = figures.plan is not None and figures.plan.plan.linkage == "star" and counts.pairs is None
    made = "a representative and what is similar to it" if star else "all that is connected by similar pairs"
    words += f"{counts.largest[0]:,}. A cluster is {made}."
    shown = "The only one" if counts.clusters == 1 else f"The {len(figures.groups)} largest"
    if counts.clusters == len(figures.groups) > 1:
        shown = "All of them"
    head = tag("tr", tag("th", "size", kind="n"), tag("th", f"{shown}, by representative"))
    table = tag("table", tag("thead", head), tag("tbody", *map(_group, figures.groups)), kind="groups")
    return (
        tag("p", words, kind="note")
        + tag("figure", size_histogram(counts.sizes), kind="card")
        + tag("div", table, kind="card scroll next")
    )


def _group(group: Group) -> str:
    more = group.size - 1 - len(group.members)
    members = "with " + " ".join(map(_id, group.members)) + (f" and {more:,} more" if more else "")
    about = _id(group.representative) + " " + tag("span", text(group.excerpt), kind="excerpt", dir="auto")
    lines = [tag("div", members, kind="members")]
    if group.least is not None:
        lines.append(tag("div", _least(group.least, group.size), kind="members"))
    return tag("tr", tag("td", f"{group.size:,}", kind="n size"), tag("td", about, *lines))


def _least(least: Least, size: int) -> str:
    of = "" if least.compared == size else f" (of the pairs of {least.compared:,} members, evenly spread)"
    return f"least similar: {_share(least.similarity)}, {_id(least.left)} and {_id(least.right)}{text(of)}"


def _samples(figures: Figures) -> str:
    if not figures.samples:
        return tag("p", "There are no pairs to show.", kind="nothing")
    whole = len(figures.samples) == len(figures.similarities)
    words = "All of them" if whole else "Spread over the range of similarities"
    note = f"{words}, most similar first. {tag('mark', 'Marked')} is what both have; the rest is each one’s own."
    return tag("p", note, kind="note") + "".join(map(side_by_side, figures.samples))


def _share(value: float, places: int = 3) -> str:
    """With as many places as it takes not to be rounded up to 1: what is similar is not the same."""
    words = f"{value:.{places}f}"
    return _share(value, places + 1) if value < 1 and float(words) == 1 else words


def side_by_side(sample: Sample) -> str:
    """Two documents beside each other, with what they share marked."""
    both = sample.comparison
    facts = [both.verdict]
    if both.either and not both.copies:
        facts.append(
            f"containment {_share(both.measures['containment_a'])} and {_share(both.measures['containment_b'])}"
        )
        facts.append(f"cosine {_share(both.measures['cosine'])}")
    if sample.cut:
        facts.append("only the beginning of these long texts is compared here")
    value = both.similarity if sample.similarity is None else sample.similarity
    head = tag("header", tag("b", _share(value, 4)), tag("span", text(" · ".join(facts)), kind="small"))
    sides = [
        tag("div", _id(name), tag("div", _marked(words, marks), kind="text", dir="auto"), kind="side")
        for name, words, marks in ((sample.left, both.a, both.marks_a), (sample.right, both.b, both.marks_b))
    ]
    return tag("article", head, tag("div", *sides, kind="sides"), kind="pair")


def _marked(words: str, marks: tuple[tuple[int, int], ...]) -> str:
    shown = []
    for kind, piece in pieces(words, marks):
        if kind == "gap":
            shown.append(tag("span", text(f"… {piece} …"), kind="gap"))
        else:
            shown.append(tag("mark", text(piece)) if kind == "shared" else text(piece))
    return "".join(shown)


def _plan(figures: Figures) -> str:
    plan = figures.plan
    if plan is None:
        return tag("p", "This result does not carry its plan.", kind="nothing")
    as_file = tag("p", "Run it again with ", tag("code", "--plan"), ".", kind="small")
    toml = tag(
        "details", tag("summary", "The resolved plan as a file"), as_file, tag("pre", text(figures.summary.plan))
    )
    settings = [tag("dt", name) + tag("dd", text(words)) for name, words in _settings(plan)]
    if plan.exact:
        return tag("p", text(EXACT), kind="note") + tag("div", tag("dl", *settings), toml, kind="card next")
    banding, threshold = plan.banding, float(plan.threshold)
    ours, notes = (f"{b.bands} × {b.rows}" for b in (banding, NOTES))
    curve = re.sub(r"\^(\d+)", r"<sup>\1</sup>", text(formula(banding)))
    key = tag("span", kind="key") + f"{ours}, this plan" + tag("span", kind="key thin") + f"{notes}, the lecture notes"
    drawing = tag("figure", tag("figcaption", key), s_curve(banding, threshold, str(plan.threshold)), kind="card")
    head = tag("tr", *(tag("th", name, kind="n") for name in ("similarity", ours, f"the notes’ {notes}")))
    rows = []
    for s in similarities(threshold):
        here = s == threshold
        cells = [
            str(plan.threshold) if here else f"{s:g}",
            chance(banding.collision_probability(s)),
            chance(NOTES.collision_probability(s)),
        ]
        rows.append(tag("tr", *(tag("td", text(cell), kind="n") for cell in cells), kind="here" if here else ""))
    table = tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), kind="card")
    return (
        tag("p", f"A pair of similarity <i>s</i> is looked at with probability {curve}.", kind="note")
        + tag("div", drawing, table, kind="two")
        + tag("div", tag("dl", *settings), toml, kind="card next")
    )


def _settings(plan: ResolvedPlan) -> list[tuple[str, str]]:
    banding = plan.banding
    checked = {"exact": "exactly, on the sets of shingles", "signature": "by signature", "none": "not at all"}
    chosen = f" ({plan.reason})" if plan.reason.startswith("auto") else ""
    if plan.exact:
        return [
            ("shingles", f"{plan.shingles}: {describe_shingles(plan.shingles)}{chosen}"),
            ("threshold", str(plan.threshold)),
            ("recall", "1, by an exact join"),
        ]
    points = f"half point {banding.half_point():.3f}, steepest point {banding.steepest_point():.3f}"
    return [
        ("shingles", f"{plan.shingles}: {describe_shingles(plan.shingles)}{chosen}"),
        ("threshold", str(plan.threshold)),
        ("recall", f"{chance(plan.recall)} expected of pairs at the threshold; {plan.plan.recall:g} was asked for"),
        (
            "bands",
            f"{banding.bands} bands × {banding.rows} rows, of {plan.plan.hashes} hashes ({plan.plan.sketch} sketch)",
        ),
        ("curve", f"{points}, rule of thumb {banding.rule_of_thumb():.3f}"),
        ("checked", checked[plan.plan.verify]),
        ("seed", str(plan.plan.seed)),
    ]


def _run(figures: Figures) -> str:
    summary, total = figures.summary, figures.summary.total_seconds
    most = max(summary.seconds.values(), default=0) or 1
    stages = []
    for name, seconds in summary.seconds.items():
        bar = tag("span", tag("i", style=f"width:{100 * seconds / most:.1f}%"), kind="track")
        stages += [tag("span", text(name)), bar, tag("span", _seconds(seconds), kind="n")]
    facts = [("engine", summary.engine), ("text read", f"{summary.bytes / 1e6:,.1f} MB"), ("time", _seconds(total))]
    if total > 0 and summary.documents:
        megabytes = summary.bytes / 1e6 / total
        facts.append(("rate", f"{summary.documents / total:,.0f} documents a second, {megabytes:,.1f} MB/s"))
    if summary.candidates is not None:
        facts.append(("candidates", _count(summary.candidates, "pair")))
    facts.append(("compared", _count(summary.checked, "pair")))
    facts.append(("short texts", f"{summary.short:,}, each of them one shingle"))
    if summary.fallback:
        facts.append(("no stop words", f"{_count(summary.fallback, 'text')}, cut as plain words"))
    listed = [tag("dt", name) + tag("dd", text(words)) for name, words in facts]
    times = tag("div", *stages, kind="stages") if stages else "No times were kept."
    cards = tag("div", tag("div", times, kind="card"), tag("div", tag("dl", *listed), kind="card"), kind="two")
    return cards + _foretold(figures)


def _foretold(figures: Figures) -> str:
    """What a dry run expected, and what came."""
    if not figures.foretold:
        return ""
    head = tag("tr", tag("th", ""), tag("th", "a dry run expected", kind="n"), tag("th", "came", kind="n"))
    rows = [
        tag("tr", tag("td", text(name)), tag("td", text(said), kind="n"), tag("td", text(came), kind="n"))
        for name, said, came in figures.foretold
    ]
    return tag("div", tag("table", tag("thead", head), tag("tbody", *rows)), kind="card next")


def _id(name: str, most: int = 80) -> str:
    return tag("span", text(name if len(name) <= most else name[: most - 1] + "…"), kind="id")


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < 60 else f"{int(seconds // 60)} min {int(seconds % 60)} s"


def _count(n: int, noun: str) -> str:
    return f"{n:,} {noun if n == 1 else noun + 's'}"
