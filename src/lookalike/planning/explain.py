"""A resolved plan → what to expect of it, in words, numbers and a drawn S-curve."""

from __future__ import annotations

import math
import textwrap
from typing import Any

from lookalike.drawing import text as drawing
from lookalike.families import Banded
from lookalike.flow import Chars, Shingling, Stopwords, Tokens
from lookalike.planning.resolve import ResolvedPlan

NOTES = Banded(bands=20, rows=5)
"""The bands and rows that the lecture notes work through."""

EXACT = (
    "There are no bands: an exact join compares the sets. Their elements are put in order, rare ones first, and "
    "two sets are compared only if they meet in the first few of these, as any two must that reach the threshold. It "
    "takes 8 bytes of memory an element. The more alike the sets must be, and the smaller they are, the quicker it is."
)

TENTHS = tuple(round(i / 10, 1) for i in range(1, 10))

# What the words below use beyond ASCII, for terminals that cannot show it. "−" and "·" are one column wide either way.
_PLAIN = str.maketrans({"×": "x", "−": "-", "·": "*", "…": "...", "→": "->", "≥": ">=", "–": "-"})


def facts(resolved: ResolvedPlan) -> dict[str, Any]:
    """The numbers behind the explanation as plain values, for JSON and for the report."""
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


def explain(resolved: ResolvedPlan, *, ascii: bool = False) -> str:
    """The plan in words, the three thresholds of its curve, the table of the notes, and the curve itself.

    At most 80 columns wide. With `ascii` nothing else is used, for terminals and logs that know no more.
    """
    banding, threshold = resolved.banding, float(resolved.threshold)
    settings = "\n".join(_fill(f"{name:<11}{text}", indent=11) for name, text in _settings(resolved))
    if resolved.exact:
        text = settings + "\n\n" + _fill(EXACT) + "\n"
        return text.translate(_PLAIN) if ascii else text
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
    return text.translate(_PLAIN) if ascii else text


def formula(banding: Banded) -> str:
    """The S-curve of these bands: 1 − (1 − s^5)^20."""
    in_one_band = "s" if banding.rows == 1 else f"s^{banding.rows}"
    return in_one_band if banding.bands == 1 else f"1 − (1 − {in_one_band})^{banding.bands}"


def draw(
    banding: Banded, threshold: float, *, label: str = "", width: int = 64, height: int = 12, ascii: bool = False
) -> str:
    """The S-curve as lines of text: similarity 0 … 1 to the right, probability 0 … 1 upwards, threshold marked."""
    words = f"threshold {label or f'{threshold:g}'}"
    curve = banding.collision_probability
    return drawing.draw(curve, mark=threshold, words=words, width=width, height=height, ascii=ascii)


def similarities(threshold: float) -> list[float]:
    """The tenths of the notes' table, with the threshold among them."""
    return sorted({*TENTHS, threshold} - {1.0}) + ([1.0] if threshold == 1 else [])


def describe_shingles(shingles: Shingling) -> str:
    """How texts become sets, in words: "windows of 5 words, NFKC, case folded"."""
    if isinstance(shingles, Stopwords):
        what = f"a stop word (of {len(shingles.words)}) and the next two words"
    elif isinstance(shingles, Tokens) and shingles.k == 1:
        what = "the tokens as given"
    else:
        unit = {"words": "words", "chars": "characters", "tokens": "tokens"}.get(shingles.kind, shingles.kind)
        k = getattr(shingles, "k", None)
        what = f"windows of {k} {unit}" if k and k > 1 else f"single {unit}"
    rules = []
    if not isinstance(shingles, Tokens):  # given tokens are never normalised
        rules.append("NFKC" if shingles.normalize == "nfkc" else "not normalised")
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
        "exact": "candidates are checked exactly; every pair reported counts",
        "signature": "candidates are checked by signature; similarities are estimates",
        "none": "candidates are reported unchecked; some are below the threshold",
    }
    given = plan.bands is not None or plan.rows is not None
    settings = [("shingles", f"{resolved.shingles}: {describe_shingles(resolved.shingles)}")]
    if resolved.shingles_reason:
        settings.append(("", f"auto: {resolved.shingles_reason}"))
    settings.append(("threshold", f"{resolved.threshold}: pairs of at least this Jaccard similarity count"))
    settings.append(("method", _method(resolved)))
    if resolved.method_reason:
        settings.append(("", f"auto: {resolved.method_reason}"))
    if resolved.exact:
        return [*settings, ("recall", "1: every such pair is found"), ("verify", checked["exact"])]
    settings += [
        (
            "recall",
            f"{chance(resolved.recall)} expected of pairs exactly at the threshold"
            + ("" if given else f" ({plan.recall:g} asked for)"),
        ),
        ("hashes", f"{plan.hashes} a signature, {plan.sketch} sketch; the bands use {banding.hashes} of them"),
        ("bands", f"{_shape(banding)}" + (" (as given)" if given else "")),
        ("verify", f"{plan.verify}: {checked[plan.verify]}"),
    ]
    return settings


def _method(resolved: ResolvedPlan) -> str:
    if resolved.exact:
        return "exact: an exact join"
    if resolved.plan.is_open and not resolved.method_reason:
        return "auto: bands of hashes, or an exact join where the data makes that cheaper"
    return "lsh: bands of hashes propose pairs"


def _shape(banding: Banded) -> str:
    return f"{banding.bands} {_plural('band', banding.bands)} × {banding.rows} {_plural('row', banding.rows)}"


def _plural(noun: str, n: int) -> str:
    return noun if n == 1 else noun + "s"


def _table(resolved: ResolvedPlan) -> str:
    banding, threshold = resolved.banding, float(resolved.threshold)
    ours = f"{banding.bands} × {banding.rows}"
    lines = [f"  similarity  {ours:>10}   the notes' {NOTES.bands} × {NOTES.rows}"]
    for s in similarities(threshold):
        mark = "   <- the threshold" if s == threshold else ""
        ours, notes = (chance(b.collision_probability(s)) for b in (banding, NOTES))
        lines.append(f"{str(resolved.threshold) if mark else s:>12}  {ours:>10}{notes:>19}{mark}")
    return "\n".join(lines)


def _thresholds(banding: Banded) -> str:
    named = [
        ("half point", banding.half_point(), "a pair is as likely to be found as not"),
        ("steepest point", banding.steepest_point(), "the curve rises fastest"),
        ("rule of thumb", banding.rule_of_thumb(), "(1/bands)^(1/rows), the notes' estimate"),
    ]
    lines = [
        'Three points of the curve are called its "threshold" too:',
        f"  {'':<15}{'at':>6}  {'probability':>11}",
    ]
    for name, at, meaning in named:
        lines.append(f"  {name:<15}{at:>6.3f}  {chance(banding.collision_probability(at)):>11}   {meaning}")
    return "\n".join(lines)


def _consequences(resolved: ResolvedPlan) -> str:
    banding, threshold, verify = resolved.banding, float(resolved.threshold), resolved.plan.verify
    above, below = (threshold + 1) / 2, threshold / 2
    lost = _share(banding.miss_probability(threshold))
    missed = f"Missed (false negatives): {lost} of the pairs at {resolved.threshold}"
    if threshold <= 0.999:
        missed += f", {_share(banding.miss_probability(above))} of those at {above:g}"
    drop = {
        "exact": "The exact check drops them: they cost time, not precision.",
        "signature": "The signature check drops most of them.",
        "none": "Nothing drops them, under verify=none.",
    }
    found = _share(banding.collision_probability(below))
    vain = f"Looked at in vain (false positives): {found} of the pairs at {below:g}."
    return _fill(missed + ".") + "\n" + _fill(f"{vain} {drop[verify]}")


def _memory(resolved: ResolvedPlan) -> str:
    bands, hashes = resolved.banding.bands, resolved.plan.hashes
    return _fill(
        f"Memory per document: {8 * bands:,} bytes of band keys, 8 a band, so {_megabytes(8 * bands)} for a million "
        f"documents. A signature, where it is kept, takes {8 * hashes:,} bytes, 8 a hash."
    )


def _megabytes(bytes_per_document: int) -> str:
    return f"{bytes_per_document:,} MB" if bytes_per_document < 10_000 else f"{bytes_per_document / 1000:,.0f} GB"


def _fill(text: str, indent: int = 2) -> str:
    return textwrap.fill(text, 80, subsequent_indent=" " * indent)


def chance(p: float) -> str:
    """A probability to four places; what is not quite 0 or 1 never looks as if it were."""
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
    """To three figures: 140.2 → 140, 51,234 → 51,200."""
    unit = int(10 ** max(0, math.floor(math.log10(x)) - 2))
    return round(x / unit) * unit
