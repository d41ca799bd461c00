"""Plots: the curve as text, as SVG without any package, as a picture, and on the caller's axes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from lookalike.errors import OutputError
from lookalike.families.base import Family
from lookalike.families.hyperplanes import Hyperplanes
from lookalike.families.minhash import MinHash
from lookalike.families.projections import GaussianLines
from tests.refusals import refused

CURVES: list[Family] = [MinHash().and_(5).or_(20), Hyperplanes(), GaussianLines(2.0).and_(3)]


@pytest.mark.parametrize("family", CURVES, ids=repr)
@pytest.mark.parametrize("ascii", [False, True])
def test_the_text_fits_a_terminal_and_prints_as_it_is(family: Family, ascii: bool) -> None:
    shown = family.plot(threshold=0.8, ascii=ascii)
    assert shown is not None and repr(shown) == str(shown)
    assert all(len(line) <= 80 for line in shown.splitlines()) and "threshold 0.8" in shown
    assert shown.isascii() == ascii


def test_a_falling_curve_has_no_gaps() -> None:
    """A curve by distance falls from 1 on the left to nearly 0 on the right, with a dot in every column."""
    shown = GaussianLines(2.0).and_(30).plot(ascii=True)
    assert shown is not None
    rows = [line[7:].ljust(64) for line in shown.splitlines()[:12]]
    assert all(any(row[x] == "*" for row in rows) for x in range(64))
    assert all(any(row[x] == "*" for x in range(64)) for row in rows)


@pytest.mark.parametrize("family", CURVES, ids=repr)
def test_the_svg_is_a_complete_file_with_light_and_dark_styles(family: Family, tmp_path: Path) -> None:
    path = tmp_path / "curve.svg"
    assert family.plot(path, threshold=0.8) is None
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    content = path.read_text(encoding="utf-8")
    assert "prefers-color-scheme: dark" in content and family.measure in content and len(content) < 20_000
    assert list(tmp_path.iterdir()) == [path]


def test_a_picture_is_drawn_by_matplotlib(tmp_path: Path) -> None:
    path = tmp_path / "curve.png"
    MinHash().plot(path, threshold=0.5)
    assert path.read_bytes().startswith(b"\x89PNG")
    with refused("not-drawable"):
        MinHash().plot(tmp_path / "curve.text")


def test_without_matplotlib_the_error_names_the_extra_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with refused("missing-extra", what="drawing .png files", package="matplotlib", extra="plot"):
        MinHash().plot(tmp_path / "curve.png")


def test_the_curve_is_drawn_on_the_axes_of_the_caller() -> None:
    from matplotlib.figure import Figure

    axes: Any = Figure().subplots()
    MinHash().and_(2).plot(axes=axes, threshold=0.5)
    line, mark = axes.get_lines()
    assert line.get_ydata()[100] == pytest.approx(0.25) and mark.get_xdata()[0] == 0.5
    assert axes.get_xlabel() == "jaccard similarity of a pair"


def test_invalid_plots_are_refused(tmp_path: Path) -> None:
    with refused("threshold-off-the-curve", low=0, high=1, value=80):
        MinHash().plot(threshold=80)
    with pytest.raises(OutputError):
        MinHash().plot(tmp_path / "no" / "curve.svg")
