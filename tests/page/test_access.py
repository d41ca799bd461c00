"""The page can be used with screen readers, on any width, in light and dark, and hostile texts stay texts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.page.browsing import VIEWS, families, opened, over_result, show
from tests.service.running import Running

pytestmark = pytest.mark.browser

EVIL = (
    "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"><b>{{7*7}}</b> javascript:x"
)

NAMES = (
    f"{EVIL}",
    "../../etc/passwd",
    "a/b?c=d#e&f=%2F%00",
    "\u202ereversed\u202c and \u200bhidden",
    "'\"`; DROP TABLE--",
)

ALL = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def hostile() -> dict[str, str]:
    """Clusters of which texts and ids are markup, paths and control characters."""
    common = " ".join(f"word{i}" for i in range(40))
    found = families(3)
    for i, name in enumerate(NAMES):
        found[name] = f"{EVIL} {common} number{i} \u202e\u0000\u001b[31m ]]> <!-- ${{1+1}} \ufeff"
    return found


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with over_result(hostile()) as service:
        yield service


def faults(page: Page) -> list[str]:
    found = Axe().run(page, options={"runOnly": ALL}).response["violations"]
    return [
        f"{one['id']}: {node['html'][:120]} {node['failureSummary'][:300]}" for one in found for node in one["nodes"]
    ]


def test_hostile_texts_and_ids_stay_texts(browser: Browser, service: Running) -> None:
    with opened(browser, service) as page:
        for view in VIEWS:
            show(page, view)
            assert "owned" not in page.title()
        page.evaluate("location.hash = '#/queue?state=all'")
        page.wait_for_selector(".queue li")
        key = service.http.get("/review/queue", params={"order": "size"}).json()["clusters"][0]["key"]
        page.evaluate("key => { location.hash = `#/cluster/${key}`; }", key)
        page.wait_for_selector(".sides")
        assert page.locator(".member").count() == len(NAMES)
        assert "<script>" in page.locator(".members").inner_text() and "<img" in page.locator(".sides").inner_text()
        assert page.locator("#app script, #app img[src=x], .members b, .text b").count() == 0
        page.keyboard.press("Enter")
        expect(page.locator(".said")).to_contain_text("Accepted")
        assert page.title() != "owned"
        page.keyboard.press("u")
        expect(page.locator(".said")).to_contain_text("Undone")


def test_the_review_of_a_cluster_has_no_fault_of_accessibility(browser: Browser, service: Running) -> None:
    with opened(browser, service) as page:
        show(page, "cluster")
        assert faults(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 800, 1440])
def test_every_view_fits_and_has_no_fault_of_accessibility(
    browser: Browser, service: Running, width: int, scheme: str
) -> None:
    with opened(browser, service, width, scheme) as page:
        found = {}
        for view in VIEWS:
            show(page, view)
            found[view] = faults(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, view
        page.keyboard.press("?")
        found["legend"] = faults(page)
        assert {view: some for view, some in found.items() if some} == {}
