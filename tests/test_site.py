"""The documentation site builds without warnings and without the network; it is complete, and its links work."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag

import pytest

from tests.test_docs import LINK, headings

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(str(page.relative_to(DOCS).with_suffix("")) for page in DOCS.glob("**/*.md"))


class Elements(HTMLParser):
    """The elements of a page: tag and attributes."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str]]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, {name: value or "" for name, value in attributes}))

    def all(self, attribute: str, *tags: str) -> list[str]:
        return [values[attribute] for tag, values in self.found if attribute in values and (tag in tags or not tags)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "--fail-on-warning", "--quiet", "--builder", "html"]
    done = subprocess.run(
        [*build, "--doctree-dir", str(folder / "doctrees"), str(DOCS), str(folder / "html")],
        capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder / "html"


@pytest.fixture(scope="module")
def elements(site: Path) -> dict[Path, Elements]:
    return {path: Elements(path) for path in site.glob("**/*.html")}


def test_every_page_is_in_the_navigation_of_the_home_page(site: Path, elements: dict[Path, Elements]) -> None:
    linked = {urldefrag(link).url for link in elements[site / "index.html"].all("href", "a")}
    assert {f"{page}.html" for page in PAGES} - linked <= {"index.html"}


def test_links_anchors_and_pictures_of_the_pages_are_there(elements: dict[Path, Elements]) -> None:
    ids = {path: {*page.all("id"), ""} for path, page in elements.items()}
    broken = []
    for path, page in elements.items():
        for link in [*page.all("href"), *page.all("src")]:
            if "://" not in link and not link.startswith("data:"):
                address, anchor = urldefrag(link)
                target = (path.parent / unquote(address.partition("?")[0])).resolve() if address else path
                if not target.exists() or unquote(anchor) not in ids.get(target, {anchor}):
                    broken.append((path.name, link))
    assert broken == []


def test_pages_load_nothing_from_other_hosts(site: Path, elements: dict[Path, Elements]) -> None:
    loaded = [
        (path.name, address)
        for path, page in elements.items()
        for address in [*page.all("src"), *page.all("srcset"), *page.all("href", "link", "image", "use")]
    ]
    assert [each for each in loaded if re.match(r"(https?:)?//", each[1])] == []
    for style in site.glob("**/*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", style.read_text(encoding="utf-8")), style


def twin_links(page: Path) -> Iterator[tuple[Path, str]]:
    for target, heading in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" not in target:
            yield (page.parent / target).resolve() if target else page, heading


def test_every_page_has_a_markdown_twin_whose_links_stay_among_twins(site: Path) -> None:
    twins = {str(path.relative_to(site).with_suffix("")): path for path in site.glob("**/*.md")}
    assert sorted(twins) == PAGES
    broken = [
        (name, target.name, heading)
        for name, path in twins.items()
        for target, heading in twin_links(path)
        if not target.exists() or (heading and heading not in headings(target))
    ]
    assert broken == []
    assert "{toctree}" not in twins["index"].read_text(encoding="utf-8")


def test_llms_txt_lists_every_page(site: Path) -> None:
    text = (site / "llms.txt").read_text(encoding="utf-8")
    assert text.startswith("# lookalike\n\n> lookalike finds similar things")
    assert {target for target, _ in LINK.findall(text)} == {f"{page}.md" for page in PAGES} - {"index.md"}


@pytest.mark.browser
def test_the_search_finds_a_page_without_a_server(site: Path, tmp_path: Path, chromium: str) -> None:
    quiet = "--headless --no-sandbox --disable-gpu --no-first-run --disable-sync".split()
    quiet += "--disable-background-networking --disable-component-update --virtual-time-budget=10000".split()
    address = f"{(site / 'search.html').as_uri()}?q=minhashing"
    shown = subprocess.run(
        [chromium, *quiet, f"--user-data-dir={tmp_path / 'browser'}", "--dump-dom", address],
        capture_output=True, text=True, timeout=60,
    ).stdout  # fmt: skip
    results = shown.partition('id="search-results"')[2]
    assert "concepts/minhashing.html" in results
