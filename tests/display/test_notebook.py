"""A notebook, executed: what each cell shows."""

from __future__ import annotations

from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from tests.display.pages import Page

CELLS = {
    "setup": """
import lookalike as la
from lookalike.display import progress as module
module.PATIENCE = 1000  # on a slow machine, progress would be another output
texts = {"<b>one</b>": "the cat sat on the mat today", "two": "The cat sat on the mat, today!", "three": "a dog"}
rows = [{"id": name, "text": text} for name, text in texts.items()]
""",
    "pairs": "pairs = la.find_pairs(rows, id='id', shingles='words:2'); pairs",
    "clusters": "pairs.clusters()",
    "dedupe": "la.dedupe(rows, id='id', shingles='words:2')",
    "forecast": "la.forecast(rows, id='id')",
    "plan": "la.Plan(threshold=0.8)",
    "explain": "la.Plan(threshold=0.8).explain()",
    "family": "la.MinHash().and_(5).or_(20)",
    "plot": "la.MinHash().and_(5).or_(20).plot(threshold=0.8)",
    "curve": "la.MinHash().curve()",
    "show": "pairs.show()",
    "comparison": "la.compare(*list(texts.values())[:2])",
    "progress": """
import time
from lookalike.display import progress as module
module.PATIENCE, module.INTERVAL = 0, 0.02
with module.watching(None) as progress:
    for done in range(10):
        progress("sign <", done, 10)
        time.sleep(0.05)
""",
}


@pytest.fixture(scope="module")
def outputs() -> dict[str, list[Any]]:
    """The outputs of each cell of a notebook that was executed by a real kernel."""
    cells = [nbformat.v4.new_code_cell(code) for code in CELLS.values()]  # type: ignore[no-untyped-call]
    book = nbformat.v4.new_notebook(cells=cells)  # type: ignore[no-untyped-call]
    NotebookClient(book, timeout=120, kernel_name="python3").execute()
    return {name: cell.outputs for name, cell in zip(CELLS, book.cells, strict=True)}


def shown(outputs: list[Any]) -> dict[str, str]:
    """What the only output of a cell shows, by media type."""
    (output,) = outputs
    assert output.output_type == "execute_result"
    return dict(output.data)


@pytest.mark.parametrize("name", ["pairs", "clusters", "dedupe", "forecast", "plan", "family", "comparison"])
def test_a_value_shows_a_card(outputs: dict[str, list[Any]], name: str) -> None:
    data = shown(outputs[name])
    page = Page.of(data["text/html"])
    assert page.harmless and "\n" not in data["text/plain"], "where there is no HTML, one line"


def test_show_displays_texts_once(outputs: dict[str, list[Any]]) -> None:
    data = shown(outputs["show"])
    assert "what is in one text only is marked" in data["text/plain"] and Page.of(data["text/html"]).harmless


def test_pairs_show_ids_as_they_are(outputs: dict[str, list[Any]]) -> None:
    page = Page.of(shown(outputs["pairs"])["text/html"])
    assert page.cells == ["left", "right", "similarity", "<b>one</b>", "two", "1"]


def test_an_explanation_is_printed_as_in_a_terminal(outputs: dict[str, list[Any]]) -> None:
    data = shown(outputs["explain"])
    assert data.keys() == {"text/plain"} and "\n\nA pair of similarity s becomes" in data["text/plain"]


@pytest.mark.parametrize("name", ["plot", "curve"])
def test_curves_are_drawn(outputs: dict[str, list[Any]], name: str) -> None:
    data = shown(outputs[name])
    assert data["image/svg+xml"].startswith("<svg ") and "text/plain" in data


def test_progress_is_one_output_that_is_empty_at_the_end(outputs: dict[str, list[Any]]) -> None:
    """Each update replaces the same output; what is saved with the notebook is the last one."""
    (output,) = outputs["progress"]
    assert output.output_type == "display_data" and dict(output.data) == {"text/html": "", "text/plain": ""}
