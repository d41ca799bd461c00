"""Turns a notebook into a page of the site: Markdown with its code and its stored outputs.

A page in docs/notebooks includes its notebook, and `tools.markdown_twins` replaces that directive by `page`. On the
site, outputs appear as in a notebook. In the Markdown twin, they are plain text.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def page(notebook: Path, *, html: bool) -> str:
    """Returns the notebook as Markdown for docs/notebooks, with outputs as HTML or as plain text."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    parts = [part for cell in cells for part in _cell(cell, html)]
    if html:
        parts.insert(1, f"{{download}}`Download this notebook <../../notebooks/{notebook.name}>`")
    return "\n\n".join(parts) + "\n"


def _cell(cell: Mapping[str, Any], html: bool) -> Iterator[str]:
    source = _joined(cell["source"])
    if cell["cell_type"] == "markdown":
        # The first cell is the title alone, so that the link to the file can follow it.
        yield from _relinked(source).split("\n\n", 1) if source.startswith("# ") else [_relinked(source)]
        return
    yield _fenced(source, "py")
    for output in cell["outputs"]:
        yield _output(output, html)


def _relinked(text: str) -> str:
    """Returns the text with links that start at docs/notebooks and lead to pages instead of notebooks."""
    return re.sub(r"\]\(([\w-]+)\.ipynb\)", r"](\1.md)", text.replace("](../docs/", "](../"))


def _output(output: Mapping[str, Any], html: bool) -> str:
    plain = "{code-block} text\n:class: output\n" if html else "text"
    if output["output_type"] == "stream":
        return _fenced(_joined(output["text"]), plain)
    data = {kind: _joined(content) for kind, content in output["data"].items()}
    if html and "text/html" in data:
        return _raw(data["text/html"])
    if html and "image/svg+xml" in data:
        return _raw(_picture(data["image/svg+xml"]))
    return _fenced(data["text/plain"], plain)


def _picture(svg: str) -> str:
    """Returns an image element. Within a page, the style sheet of an SVG would apply to all others too."""
    words = re.search(r'aria-label="([^"]*)"', svg)
    content = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{words[1] if words else ""}" src="data:image/svg+xml;base64,{content}">'


def _raw(markup: str) -> str:
    return f'````{{raw}} html\n<div class="output">{markup}</div>\n````'


def _fenced(text: str, language: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
