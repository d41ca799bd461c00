"""The files of the page insert no markup, load nothing from elsewhere, and belong together."""

from __future__ import annotations

import re
from importlib.resources import files

import pytest

from lookalike.report.templating import render_page
from lookalike.service.routes.page import SHARED, STATIC, static_files

FILES = {name: path.read_text(encoding="utf-8") for name, path in (static_files() | SHARED).items()}

SCRIPTS = sorted(name for name in FILES if name.endswith(".js"))

MARKUP = re.compile(
    r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|createContextualFragment|DOMParser|srcdoc"
    r"|\beval\(|new Function|setTimeout\(['\"`]|\.setAttribute\(['\"](?:style|on)"
)
"""Ways to turn a text of a corpus into markup or a program."""


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_insert_texts_and_never_markup(name: str) -> None:
    assert not MARKUP.findall(FILES[name])


@pytest.mark.parametrize("name", sorted(FILES))
def test_nothing_is_loaded_from_another_host(name: str) -> None:
    addresses = re.findall(r"(?:https?:)?//[a-z0-9.-]+\.[a-z]{2,}[^\s\"']*", FILES[name])
    assert [each for each in addresses if each != "http://www.w3.org/2000/svg"] == []


def test_the_start_page_has_no_inline_script_and_no_inline_style() -> None:
    page = FILES["index.html"]
    assert re.findall(r"<script(?! type=\"module\" src=\"/page/[\w.]+\"></script>)", page) == []
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", page)
    linked = re.findall(r"(?:src|href)=\"/page/([^\"]+)\"", page)
    assert {"app.js", "page.css", "charts.css"} <= set(linked) <= set(FILES)


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_import_is_a_file_that_exports_these_names(name: str) -> None:
    for words, target in re.findall(r"^import (.+?) from \"([^\"]+)\";$", FILES[name], re.MULTILINE):
        found = ((STATIC / name).parent / target).resolve().relative_to(STATIC.resolve()).as_posix()
        exported = set(re.findall(r"^export (?:async )?(?:function|const|class|let) (\w+)", FILES[found], re.MULTILINE))
        exported |= {
            each.strip()
            for one in re.findall(r"^export {(.+)};$", FILES[found], re.MULTILINE)
            for each in one.split(",")
        }
        if words.startswith("{"):
            assert {one.strip() for one in words.strip("{} ").split(",")} - exported == set(), (name, target)


def test_every_file_is_short_enough_to_read() -> None:
    assert {name: text.count("\n") for name, text in FILES.items() if text.count("\n") > 400} == {}


def test_reports_and_the_page_share_their_colours_and_charts() -> None:
    shared = FILES["charts.css"]
    assert shared == (files("lookalike.drawing") / "style.css").read_text(encoding="utf-8")
    assert shared.strip() in render_page(
        "records", title="x", lead="x", tiles=[], sections=[], matching=None, warnings=[]
    )
    drawn = set(re.findall(r"svg \.([a-z]+)", shared))
    assert {"bar", "grid", "base", "line", "area", "mark", "dot", "break"} <= drawn
