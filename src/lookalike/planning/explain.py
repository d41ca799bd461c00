"""Explains a resolved plan: expected recall, cost and memory, in words, numbers and a drawn S-curve."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from lookalike.drawing import text as drawing
from lookalike.drawing.text import Printed
from lookalike.families.amplify import Banded
from lookalike.flow import Chars, Shingling, Stopwords, Tokens
from lookalike.planning.resolve import ResolvedPlan

if TYPE_CHECKING:
    from lookalike.display.card import Card

TEXTBOOK = Banded(bands=20, rows=5)
"""The worked example of MMDS, chapter 3, shown for comparison."""

EXACT = (
    "There are no bands: an exact join compares the sets. The elements of each set are sorted by rarity. Two sets are "
    "compared only if they share one of their rarest elements, as any two sets that reach the threshold must. The join "
    "takes 8 bytes of memory per element, and is faster for higher thresholds and smaller sets."
)

COPIES = {
    "identical": "Only copies are removed: documents with the same bytes. They are found by a hash of 128 bits, and "
    "their bytes are compared before any of them is removed. No shingles are made, and no sets are compared.",
    "same-words": "Only copies are removed: documents with the same tokens in the same order, after normalization. "
    "They are found by a hash of 128 bits. No shingles are made, and no sets are compared.",
}
"""Explanations of plans that remove only copies."""

TENTHS = tuple(round(i / 10, 1) for i in range(1, 10))

# ASCII replacements for terminals that cannot display the non-ASCII characters used below.
_PLAIN = str.maketrans({"×": "x", "−": "-", "·": "*", "…": "...", "→": "->", "≥": ">=", "–": "-"})


def facts(resolved: ResolvedPlan) -> dict[str, Any]:
    """Returns the numbers in the explanation as plain values, for JSON and the report."""
    banding, threshold = resolved.banding, float(resolved.threshold)
    return {
        "shingles": str(resolved.shingles),
        "shingles_reason": resolved.shingles_reason and str(resolved.shingles_reason),
        "threshold": threshold,
        "method": resolved.method,
        "method_reason": resolved.method_reason and str(resolved.method_reason),
        "recall_wanted": resolved.plan.recall,
        "recall_expected": resolved.recall,
        "hashes": resolved.plan.hashes,
        "hashes_used": banding.hashes,
        "sketch": resolved.plan.sketch,
        "verify": resolved.plan.verify,
        "bands": banding.bands,
        "rows": banding.rows,
        "half_point": banding.half_point(),
        "steepest_point": banding.steepest_point(),
        "rule_of_thumb": banding.rule_of_thumb(),
        "probabilities": {str(s): banding.collision_probability(s) for s in similarities(threshold)},
        "bytes_per_document": {"keys": 8 * banding.bands, "signature": 8 * resolved.plan.hashes},
    }


def card(resolved: ResolvedPlan, title: str) -> Card:
    """Returns the card that a notebook shows for a plan: its settings and its S-curve."""
    from lookalike.display.card import Card
    from lookalike.drawing.plots import Figure, chart

    facts = [(name, words) for name, words in _settings(resolved)]
    if resolved.exact:
        return Card(title, facts=facts)
    curve, threshold = resolved.banding.collision_probability, float(resolved.threshold)
    figure = Figure(curve, (0.0, 1.0), "similarity of a pair", "Probability that a pair is compared", threshold)
    return Card(title, facts=facts, chart=chart(figure, 560, 300).svg(figure.title))


def explain(resolved: ResolvedPlan, *, ascii: bool = False) -> Printed:
    """Explains the plan in words, with its curve, a table of probabilities, and the three meanings of "threshold".

    The text is at most 80 columns wide. With `ascii`, only ASCII characters are used.
    """
    banding, threshold = resolved.banding, float(resolved.threshold)
    settings = "\n".join(_fill(f"{name:<11}{text}", indent=11) for name, text in _settings(resolved))
    if resolved.exact:
        text = settings + "\n\n" + _fill(explain_exact(resolved)) + "\n"
        return Printed(text.translate(_PLAIN) if ascii else text)
    parts = [
        settings,
        f"A pair of similarity s becomes a candidate with probability {formula(banding)}:",
        draw(banding, threshold, label=str(resolved.threshold), ascii=ascii),
        _table(resolved),
        _thresholds(banding),
        _consequences(resolved),
        _memory(resolved),
    ]
    text = "\n\n".join(parts) + "\n"
    return Printed(text.translate(_PLAIN) if ascii else text)


def explain_exact(resolved: ResolvedPlan) -> str:
    """Explains how a plan without bands finds its pairs."""
    return EXACT if resolved.plan.copies is None else COPIES[resolved.plan.copies]


def formula(banding: Banded) -> str:
    """Returns the formula of the S-curve, such as 1 − (1 − s^5)^20."""
    in_one_band = "s" if banding.rows == 1 else f"s^{banding.rows}"
    return in_one_band if banding.bands == 1 else f"1 − (1 − {in_one_band})^{banding.bands}"


def draw(
    banding: Banded, threshold: float, *, label: str = "", width: int = 64, height: int = 12, ascii: bool = False
) -> str:
    """Draws the S-curve as lines of text: similarity to the right, probability upward, with the threshold marked."""
    words = f"threshold {label or f'{threshold:g}'}"
    curve = banding.collision_probability
    return drawing.draw(curve, mark=threshold, words=words, width=width, height=height, ascii=ascii)


def similarities(threshold: float) -> list[float]:
    """Returns the similarities in a table of probabilities: the tenths from 0.1 to 0.9, and the threshold."""
    return sorted({*TENTHS, threshold} - {1.0}) + ([1.0] if threshold == 1 else [])


def describe_shingles(shingles: Shingling) -> str:
    """Describes a shingling in words, such as "windows of 5 words, NFKC, case folded"."""
    if isinstance(shingles, Stopwords):
        what = f"one of {len(shingles.words)} stop words and the next two words"
    elif isinstance(shingles, Tokens) and shingles.k == 1:
        what = "the tokens as given"
    else:
        unit = {"words": "words", "symbols": "words and symbols", "chars": "characters", "tokens": "tokens"}.get(
            shingles.kind, shingles.kind
        )
        k = getattr(shingles, "k", None)
        what = f"windows of {k} {unit}" if k and k > 1 else f"single {unit}"
    rules = []
    if not isinstance(shingles, Tokens):  # given tokens are never normalised
        rules.append("NFKC" if shingles.normalize == "nfkc" else "not normalized")
        rules.append("case folded" if shingles.case == "fold" else "case kept")
    if isinstance(shingles, Chars):
        rules.append({"fold": "white space folded", "drop": "white space dropped", "keep": "white space kept"}[
            shingles.whitespace
        ])  # fmt: skip
    if shingles.bag:
        rules.append("repetitions counted")
    return ", ".join([what, *rules])


def _settings(resolved: ResolvedPlan) -> list[tuple[str, str]]:
    plan, banding = resolved.plan, resolved.banding
    checked = {
        "exact": "candidates are checked exactly; every reported pair reaches the threshold",
        "signature": "candidates are checked by signature; similarities are estimates",
        "none": "candidates are reported unchecked; some are below the threshold",
    }
    given = plan.bands is not None or plan.rows is not None
    settings = [("shingles", f"{resolved.shingles}: {describe_shingles(resolved.shingles)}")]
    if resolved.shingles_reason:
        settings.append(("", f"auto: {resolved.shingles_reason}"))
    settings.append(("threshold", f"{resolved.threshold}: the minimum Jaccard similarity of a pair"))
    settings.append(("method", _method(resolved)))
    if resolved.method_reason:
        settings.append(("", f"auto: {resolved.method_reason}"))
    if resolved.exact:
        return [*settings, ("recall", "1: every pair is found"), ("verify", checked["exact"])]
    settings += [
        (
            "recall",
            f"{chance(resolved.recall)} expected for pairs exactly at the threshold"
            + ("" if given else f" (requested: {plan.recall:g})"),
        ),
        ("hashes", f"{plan.hashes} per signature, {plan.sketch} sketch; the bands use {banding.hashes} of them"),
        ("bands", f"{_shape(banding)}" + (" (as given)" if given else "")),
        ("verify", f"{plan.verify}: {checked[plan.verify]}"),
    ]
    return settings


def _method(resolved: ResolvedPlan) -> str:
    if resolved.plan.copies is not None:
        return f"copies: only {resolved.plan.copies} documents are found"
    if resolved.exact:
        return "exact: an exact join"
    if resolved.plan.is_open and not resolved.method_reason:
        return "auto: bands of hashes, or an exact join if that is cheaper on the data"
    return "lsh: bands of hashes propose pairs"


def _shape(banding: Banded) -> str:
    return f"{banding.bands} {_plural('band', banding.bands)} × {banding.rows} {_plural('row', banding.rows)}"


def _plural(noun: str, n: int) -> str:
    return noun if n == 1 else noun + "s"


def _table(resolved: ResolvedPlan) -> str:
    banding, threshold = resolved.banding, float(resolved.threshold)
    ours = f"{banding.bands} × {banding.rows}"
    lines = [f"  similarity  {ours:>10}   textbook {TEXTBOOK.bands} × {TEXTBOOK.rows}"]
    for s in similarities(threshold):
        mark = "   <- the threshold" if s == threshold else ""
        ours, textbook = (chance(b.collision_probability(s)) for b in (banding, TEXTBOOK))
        lines.append(f"{str(resolved.threshold) if mark else s:>12}  {ours:>10}{textbook:>18}{mark}")
    return "\n".join(lines)


def _thresholds(banding: Banded) -> str:
    named = [
        ("half point", banding.half_point(), "a pair is as likely to be found as not"),
        ("steepest point", banding.steepest_point(), "the curve rises fastest"),
        ("rule of thumb", banding.rule_of_thumb(), "(1/bands)^(1/rows), the usual estimate"),
    ]
    lines = [
        'Three points on the curve are also called its "threshold":',
        f"  {'':<15}{'at':>6}  {'probability':>11}",
    ]
    for name, at, meaning in named:
        lines.append(f"  {name:<15}{at:>6.3f}  {chance(banding.collision_probability(at)):>11}   {meaning}")
    return "\n".join(lines)


def _consequences(resolved: ResolvedPlan) -> str:
    banding, threshold, verify = resolved.banding, float(resolved.threshold), resolved.plan.verify
    above, below = (threshold + 1) / 2, threshold / 2
    lost = _share(banding.miss_probability(threshold))
    missed = f"Missed pairs: {lost} of those at {resolved.threshold}"
    if threshold <= 0.999:
        missed += f", {_share(banding.miss_probability(above))} of those at {above:g}"
    drop = {
        "exact": "The exact check drops them: they cost time, not precision.",
        "signature": "The signature check drops most of them.",
        "none": "They are reported, since candidates are not verified.",
    }
    found = _share(banding.collision_probability(below))
    false = f"False candidates: {found} of the pairs at {below:g}."
    return _fill(missed + ".") + "\n" + _fill(f"{false} {drop[verify]}")


def _memory(resolved: ResolvedPlan) -> str:
    bands, hashes = resolved.banding.bands, resolved.plan.hashes
    return _fill(
        f"Memory per document: {8 * bands:,} bytes of band keys (8 per band), so {_megabytes(8 * bands)} for a million "
        f"documents. A signature, if it is kept, takes {8 * hashes:,} bytes (8 per hash)."
    )


def _megabytes(bytes_per_document: int) -> str:
    return f"{bytes_per_document:,} MB" if bytes_per_document < 10_000 else f"{bytes_per_document / 1000:,.0f} GB"


def _fill(text: str, indent: int = 2) -> str:
    return textwrap.fill(text, 80, subsequent_indent=" " * indent)


def chance(p: float) -> str:
    """Formats a probability with four decimal places. It is never shown as exactly 0 or 1."""
    if p < 0.00005:
        return "<0.0001"
    if p >= 0.99995:
        return ">0.9999"
    return f"{p:.4f}"


def _share(p: float) -> str:
    if p < 1e-9:
        return "fewer than one in 1,000,000,000"
    return f"{p:.0%}" if p > 0.1 else f"one in {_round(1 / p):,}"


def _round(x: float) -> int:
    """Rounds a number to three significant figures: 140.2 → 140, 51,234 → 51,200."""
    unit = int(10 ** max(0, math.floor(math.log10(x)) - 2))
    return round(x / unit) * unit
