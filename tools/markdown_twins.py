"""A Sphinx extension: writes each page of the site as Markdown beside its HTML, and their list as llms.txt.

A twin is the source of the page, so its links lead from twin to twin. Only the lists of pages (toctrees) are written
out, and files from outside docs/ (CHANGELOG.md, notebooks, examples), which a page includes whole.

llms.txt has the format of https://llmstxt.org: title, summary, and a section of links per toctree.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.addnodes import toctree
from sphinx.application import Sphinx

from tools import notebook_pages

TOCTREE = re.compile(r"^```\{toctree\}\n.*?^```$", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^```\{include\} (\S+)\n```$", re.MULTILINE)
PROGRAMS = {".py": "py", ".sh": "sh", ".service": "ini", ".timer": "ini"}
"""The language of a program, by its suffix."""


def setup(app: Sphinx) -> dict[str, Any]:
    app.connect("source-read", _read)
    app.connect("html-page-context", _link_to_twin)
    app.connect("build-finished", _write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    source[0] = _with_included(app, page, source[0], html=True)


def _with_included(app: Sphinx, page: str, text: str, *, html: bool) -> str:
    """Returns the text of a page with the files that it includes, whose links are made relative to docs/.

    Programs become blocks of code. The outputs of notebooks are included as HTML or as text.
    """

    def included(found: re.Match[str]) -> str:
        path = Path(app.env.doc2path(page)).parent / found[1]
        if path.suffix == ".ipynb":
            return notebook_pages.page(path, html=html)
        outside = path.read_text(encoding="utf-8")
        if path.suffix in PROGRAMS:
            return f"```{PROGRAMS[path.suffix]}\n{outside}```"
        outside = re.sub(r"\]\(([A-Z]+)\.md", lambda link: f"]({link[1].lower()}.md", outside)
        return outside.replace("](docs/", "](")

    return INCLUDE.sub(included, text)


def _link_to_twin(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Links to the twin in the head of the page, for programs, and in its template, for people."""
    twin = f"{page}.md" if page in app.env.found_docs else "llms.txt"
    context["markdown_twin"] = context["pathto"](twin, 1)
    if doctree is not None:
        link = f'<link rel="alternate" type="text/markdown" href="{context["markdown_twin"]}" />'
        context["metatags"] = context.get("metatags", "") + link


def _write(app: Sphinx, error: Exception | None) -> None:
    if error is not None or app.builder.format != "html":
        return
    site, home = Path(app.outdir), app.config.root_doc
    for page in app.env.found_docs:
        text = _with_included(app, page, Path(app.env.doc2path(page)).read_text(encoding="utf-8"), html=False)
        for section in _sections(app, page):
            before, after = TOCTREE.split(text, maxsplit=1)
            text = before + section + after
        twin = site / f"{page}.md"
        twin.parent.mkdir(parents=True, exist_ok=True)
        twin.write_text(text, encoding="utf-8")
    for image in app.env.images:
        target = site / image
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(Path(app.srcdir) / image, target)
    head = f"# {app.config.project}\n\n> {_first_paragraph(app, home)}"
    (site / "llms.txt").write_text("\n\n".join([head, *_sections(app, home)]) + "\n", encoding="utf-8")


def _sections(app: Sphinx, page: str) -> Iterator[str]:
    """Returns each toctree of the page as a heading and a list of links, with the first sentence of each linked
    page."""
    for tree in app.env.get_doctree(page).findall(toctree):
        links = [
            f"- [{app.env.titles[linked].astext()}]({linked}.md): {_first_sentence(_first_paragraph(app, linked))}"
            for _, linked in tree["entries"]
        ]
        yield "\n".join([f"## {tree['caption']}", "", *links])


def _first_paragraph(app: Sphinx, page: str) -> str:
    paragraph = next(app.env.get_doctree(page).findall(nodes.paragraph))
    return " ".join(paragraph.astext().split())


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?]) ", text, maxsplit=1)[0]
