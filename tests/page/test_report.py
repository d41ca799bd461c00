"""A report is a page without a service: clusters open, a filter and a threshold select, and lists can be sorted."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import lookalike as la
from tests.page.browsing import families
from tests.page.test_access import EVIL, faults

pytestmark = pytest.mark.browser

FAMILIES = 30


@pytest.fixture(scope="module")
def data() -> list[dict[str, str]]:
    """Families of documents; the last one is larger than the list of its members, and one has markup in every text."""
    found = families(FAMILIES) | {f"copy-{i}": " ".join(f"same{j}" for j in range(60)) for i in range(15)}
    words = " ".join(f"evil{j}" for j in range(30))
    found |= {f"<b>{i}</b>{EVIL}": f"{EVIL} </script><!-- <script> {words} {i}\u2028" for i in range(2)}
    return [{"id": id, "text": text} for id, text in found.items()]


@pytest.fixture(scope="module", params=["dedupe", "find_pairs", "find_clusters"])
def report(request: pytest.FixtureRequest, data: list[dict[str, str]], tmp_path_factory: Any) -> Path:
    found = getattr(la, request.param)(data, id="id", threshold=0.5, shingles="words:2")
    return Path(found.report(tmp_path_factory.mktemp("reports") / "report.html"))


@pytest.fixture
def page(browser: Browser, report: Path) -> Iterator[Page]:
    """The report, without network. Fails if the console has an error or anything is loaded."""
    context = browser.new_context(viewport={"width": 1000, "height": 800}, offline=True)
    page, wrong = context.new_page(), list[str]()
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: wrong.append(asked.url) if asked.url != report.as_uri() else None)
    page.goto(report.as_uri())
    yield page
    context.close()
    assert wrong == []


def clusters(page: Page) -> Any:
    return page.locator(".clusters > li")


def test_clusters_open_and_show_their_members(page: Page) -> None:
    expect(clusters(page)).to_have_count(20)
    largest = clusters(page).first
    expect(largest.locator("summary")).to_contain_text("15 documents")
    largest.locator("summary").click()
    expect(largest.locator("ul li")).to_have_count(11)
    expect(largest.locator("ul li").last).to_have_text("and 5 more")
    expect(largest.locator("ul li").nth(1)).to_contain_text("1.000")
    largest.locator("summary").press("Enter")
    expect(largest.locator("ul li")).to_have_count(0)
    page.get_by_role("button", name="Open all").click()
    expect(page.locator(".clusters details[open]")).to_have_count(20)
    page.get_by_role("button", name="Close all").click()
    page.get_by_role("button", name="Show 12 more clusters").click()
    expect(clusters(page)).to_have_count(FAMILIES + 2)


def test_the_filter_selects_clusters_and_pairs_by_id_and_text(page: Page) -> None:
    page.get_by_role("searchbox").fill("STORY-7- story")
    expect(clusters(page)).to_have_count(1)
    expect(clusters(page)).to_contain_text("story-7-")
    page.get_by_role("searchbox").fill("evil3 onerror")
    expect(clusters(page)).to_have_count(1)
    clusters(page).locator("summary").click()
    expect(clusters(page).locator("ul")).to_contain_text("<script>")
    assert page.title() != "owned" and page.locator(".clusters b, .clusters img, .pair img").count() == 0
    page.get_by_role("searchbox").fill("no such words")
    expect(page.locator(".nothing").first).to_have_text("No cluster matches this filter and threshold.")
    expect(page.locator("article.pair")).to_have_count(0)


def test_the_threshold_hides_what_is_below(page: Page) -> None:
    before = page.locator(".reached").inner_text()
    assert before.startswith("At 0.500: ")
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator(".reached")).to_contain_text("At 1.000: ")
    expect(clusters(page)).to_have_count(1)  # the copies
    for pair in page.locator("article.pair header b").all_inner_texts():
        assert float(pair) == 1
    expect(page.locator('.wide rect.below:not([height="0"])').first).to_be_visible()
    page.keyboard.press("Home")
    expect(page.locator(".reached")).to_have_text(before)
    page.locator(".wide rect.whole").click()
    expect(page.locator(".reached")).to_contain_text("At 1.000: ")


def test_lists_are_sorted(page: Page) -> None:
    order = page.get_by_label("Order of the pairs")
    values = [float(words) for words in page.locator("article.pair header b").all_inner_texts()]
    assert values == sorted(values, reverse=True) and len(values) > 2
    order.select_option(label="least similar first")
    expect(page.locator("article.pair header b").first).to_have_text(f"{values[-1]:.4f}")
    page.get_by_label("Order of the clusters").select_option(label="by name")
    names = clusters(page).locator("summary .id").all_inner_texts()
    assert names[0].startswith("<b>0") and names[1].startswith("copy-")
    page.get_by_label("Order of the clusters").select_option(label="most similar first")
    expect(clusters(page).first).to_contain_text("copy-")


def test_the_report_has_no_fault_of_accessibility_and_fits(page: Page) -> None:
    clusters(page).first.locator("summary").click()
    for width in (320, 1000):
        page.set_viewport_size({"width": width, "height": 800})
        assert faults(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_scripts_everything_is_there(browser: Browser, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("table.groups tbody tr").count() == 10 and page.locator("article.pair").count() > 2
    assert page.locator("#live-tools").inner_text() == ""
    context.close()
