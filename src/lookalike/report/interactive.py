"""What makes a report interactive: its data as JSON, and one script, made from components that the review page shares.

The script is in the file itself, so the report still is one file. Its Content-Security-Policy allows exactly this
script, by its hash, and nothing else. Without scripts, the report shows the same sections, which do not change.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from lookalike import drawing
from lookalike.drawing.histograms import similarity_edges
from lookalike.report.templating import markup

if TYPE_CHECKING:
    from markupsafe import Markup

    from lookalike.report.figures import Figures
    from lookalike.report.side_by_side import Sample

SHARED = ("words", "dom", "charts", "controls", "sides")
"""The components of the script, in `drawing/scripts`, each after those that it imports."""

ENTRY, OF_RECORDS = "explore", "explore_records"
"""The modules that use the components: for reports on documents, and on records."""

_IMPORT = re.compile(r'^import \{ (.+?) \} from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class|let) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^ *//.*\n", re.MULTILINE)


def data_of(figures: Figures, is_code: bool) -> dict[str, Any] | None:
    """Returns the data of the script; None if nothing was found."""
    if not figures.listed:
        return None
    values = figures.similarities
    lower = values[values < 1]
    edges = similarity_edges(float(lower.min()) if len(lower) else 0.75)
    return {
        "of": figures.kind,
        "documents": figures.overview.documents,
        "clusters_found": figures.overview.clusters,
        "is_code": is_code,
        "histogram": {
            "edges": [round(edge, 4) for edge in edges.tolist()],
            "counts": np.histogram(lower, bins=edges)[0].tolist(),
            "ones": len(values) - len(lower),
        },
        "steps": [[step.threshold, step.pairs, step.clusters, step.documents] for step in figures.steps],
        "clusters": [
            {
                "size": one.size,
                "highest": one.highest,
                "members": [
                    {"id": name, "excerpt": excerpt, "similarity": similarity}
                    for name, excerpt, similarity in zip(one.names, one.excerpts, one.similarities, strict=True)
                ],
            }
            for one in figures.listed
        ],
        "pairs": [_pair(sample, at) for at, sample in enumerate(figures.samples)],
    }


def _pair(sample: Sample, at: int) -> dict[str, Any]:
    sides = [
        {"row": f"{at} {name}", "id": name, "pieces": [_piece(kind, words) for kind, words in pieces], "cut": False}
        for name, pieces in sample.sides
    ]
    similarity = sample.comparison.similarity if sample.measured is None else sample.measured
    return {"a": sides[0], "b": sides[1], "similarity": similarity, "words": sample.similarity, "facts": sample.facts}


def _piece(kind: str, words: str) -> Mapping[str, Any]:
    return {"gap": words} if kind == "gap" else {"text": words, "shared": kind == "shared"}


def live(data: Any, entry: str = ENTRY) -> dict[str, Markup]:
    """Returns what makes a page interactive (see `render_page`)."""
    return {"data": as_json(data), "script": script(entry), "policy": markup(policy(entry))}


def as_json(data: Any) -> Markup:
    """Returns data as JSON in which no text can end the element that contains it."""
    words = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return markup(words.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"))


@functools.cache
def script(entry: str = ENTRY) -> Markup:
    """Returns the script of a kind of report: its components, each in a function of its own, so that their names do not
    collide, and the module `entry`, which uses them."""
    folders = {name: files(drawing) / "scripts" for name in SHARED} | {entry: files("lookalike.report")}
    return markup(
        "\n".join(_module(name, (folder / f"{name}.js").read_text("utf-8")) for name, folder in folders.items())
    )


def _module(name: str, source: str) -> str:
    source = _COMMENT.sub("", source)
    exported = [names for _, names in _EXPORT.findall(source)]
    source = _EXPORT.sub(r"\1", _IMPORT.sub(r"const { \1 } = \2_js;", source))
    return f"const {name}_js = (() => {{\n{source.strip()}\nreturn {{ {', '.join(exported)} }};\n}})();"


@functools.cache
def policy(entry: str = ENTRY) -> str:
    """Returns the source that a Content-Security-Policy allows: the hash of the script, as the template inserts it."""
    digest = hashlib.sha256(f"\n{script(entry)}\n".encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
