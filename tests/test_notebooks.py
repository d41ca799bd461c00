"""The notebooks run, show what they are stored with, and are pages of the site."""

from __future__ import annotations

import inspect
import itertools
import math
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from tests.conftest import MISSING
from tests.test_docs import LINK
from tools.notebook_pages import page
from tools.notebooks import FOLDER, executed, notebooks, outputs, read, tidied

NOTEBOOKS = notebooks()
NUMBER = re.compile(r"-?\d+\.\d+")


def name(path: Path) -> str:
    return path.stem


def contents(book: Any) -> Iterator[tuple[str, str]]:
    """What a notebook shows: kinds of output and their contents."""
    for output in itertools.chain(*outputs(book)):
        yield from sorted(output.data.items()) if "data" in output else [(output.output_type, output.text)]


def same(one: str, other: str) -> bool:
    """True if two texts differ at most in the last digits of decimals, which may depend on the processor."""
    numbers = zip(NUMBER.findall(one), NUMBER.findall(other), strict=False)
    return NUMBER.sub("0.0", one) == NUMBER.sub("0.0", other) and all(
        math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-3) for a, b in numbers
    )


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_notebook_runs_and_shows_what_it_is_stored_with(path: Path) -> None:
    """The standard library, which is the corpus of one of them, is another in other versions of Python."""
    stored, new = read(path), executed(path)
    assert new.cells and len(outputs(new)) == len(outputs(stored))
    if path.stem != "a-corpus" or stored.metadata.language_info.version == sys.version.split()[0]:
        pairs = itertools.zip_longest(contents(stored), contents(new), fillvalue=("nothing", ""))
        differ = [(old, now) for old, now in pairs if old[0] != now[0] or not same(old[1], now[1])]
        assert not differ, "run make notebooks"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_stored_notebook_is_tidy_and_small(path: Path) -> None:
    """What differs from run to run would make every change of a notebook unreadable."""
    book = read(path)
    nbformat.validate(book)
    version = book.metadata.language_info.version
    again = tidied(read(path))
    again.metadata.language_info.version = version
    assert again == book
    assert path.stat().st_size < 300_000


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_the_links_of_a_notebook_lead_somewhere(path: Path) -> None:
    text = "\n".join(cell.source for cell in read(path).cells if cell.cell_type == "markdown")
    targets = [target for target, _ in LINK.findall(text) if "://" not in target]
    assert targets and all((FOLDER / target).exists() for target in targets)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name)
def test_a_notebook_is_a_page_of_the_site(path: Path) -> None:
    stub = FOLDER.parent / "docs/notebooks" / f"{path.stem}.md"
    assert f"{{include}} ../../notebooks/{path.name}" in stub.read_text(encoding="utf-8")
    twin = page(path, html=False)
    assert "<div" not in twin and "{download}" not in twin and "```py\n" in twin


def figures(**names: Any) -> dict[str, Any]:
    """The names that the figures of the theory define."""
    codes = [cell.source for cell in read(FOLDER / "theory.ipynb").cells if cell.cell_type == "code"]
    for code in codes:
        if "interact" in code:
            exec(code, names)
    return names


def test_figures_have_sliders_that_start_at_the_figure_which_is_stored() -> None:
    interact = pytest.importorskip("ipywidgets", reason=f"{MISSING}ipywidgets").interact
    found = [value for value in figures().values() if hasattr(value, "widget") and value is not interact]
    assert len(found) == 5
    for figure in found:
        *sliders, _ = figure.widget.children
        moved = {slider.description: slider.value for slider in sliders}
        assert moved.keys() == inspect.signature(figure).parameters.keys()
        assert repr(figure.widget.result) == repr(figure(**moved)) == repr(figure())


def test_figures_are_shown_without_ipywidgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each figure is shown once, with default values."""
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    shown: list[Any] = []
    figures(display=shown.append)
    assert len(shown) == 5
    assert all(hasattr(figure, "_repr_svg_") or hasattr(figure, "_repr_html_") for figure in shown)
