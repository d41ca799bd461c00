"""The figures of the concept pages match the formulas, are small, and are used on a page."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tools.figures import FOLDER, figures

PAGES = [page.read_text(encoding="utf-8") for page in FOLDER.parent.glob("*.md")]
DRAWN = figures()


@pytest.mark.parametrize("name", DRAWN)
def test_a_figure_is_current_small_complete_and_used(name: str) -> None:
    content = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
    assert content == DRAWN[name], "run make docs"
    assert len(content.encode()) < 100_000
    ElementTree.fromstring(content)
    assert any(f"](figures/{name}.svg)" in page for page in PAGES)


def test_there_are_no_other_figures() -> None:
    assert {Path(path).stem for path in FOLDER.iterdir()} == DRAWN.keys()
