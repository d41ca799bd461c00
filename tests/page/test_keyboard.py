"""Twenty clusters are reviewed with the keyboard alone, and nothing moves under the reader's hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.browsing import families, opened, over_result, reload
from tests.service.running import Running

pytestmark = pytest.mark.browser

CLUSTERS = 22


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with over_result(families(CLUSTERS, members=4)) as service:
        yield service


@pytest.fixture(scope="module")
def page(browser: Browser, service: Running) -> Iterator[Page]:
    with opened(browser, service) as page:
        yield page


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(words)


def places(page: Page) -> list[object]:
    """Returns where the buttons of decisions are."""
    found: list[object] = page.evaluate(
        "[...document.querySelectorAll('.foot button')].map(b => JSON.stringify(b.getBoundingClientRect()))"
    )
    return found


def test_twenty_clusters_are_reviewed_by_keyboard_alone(page: Page, service: Running) -> None:
    page.keyboard.press("Tab")  # to "skip to the content"
    page.keyboard.press("Enter")
    for _ in range(2):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Start the review":
            break
    page.keyboard.press("Enter")
    heading(page, f"Cluster 1 of {CLUSTERS}")
    page.wait_for_selector(".sides")
    before = places(page)
    wanted = {"accepted": 0, "distinct": 0, "skipped": 0}
    for i in range(20):
        keys, state = (("2", "Enter"), "accepted") if i % 4 == 1 else (("x",), "distinct") if i % 4 == 2 else (
            (("s",), "skipped") if i % 4 == 3 else (("ArrowRight", "e", "Enter"), "accepted")
        )  # fmt: skip
        for key in keys:
            page.keyboard.press(key)
            if key == "e":
                expect(page.locator(".member.excluded")).to_have_count(1)
                expect(page.locator(".said")).to_contain_text("Excluded")
        wanted[state] += 1
        heading(page, f"Cluster {i + 2} of {CLUSTERS}")
        assert places(page) == before
    assert service.http.get("/review/summary").json()["states"] == wanted | {"open": CLUSTERS - 20}
    page.keyboard.press("u")
    heading(page, f"Cluster 20 of {CLUSTERS}")
    expect(page.locator(".said")).to_contain_text("Undone")
    assert places(page) == before
    assert service.http.get("/review/summary").json()["states"]["open"] == CLUSTERS - 19
    reload(page)
    assert service.http.get("/review/summary").json()["states"]["open"] == CLUSTERS - 19


def test_other_keys_move_hide_and_explain(page: Page) -> None:
    page.evaluate("location.hash = '#/queue?state=all'")
    page.wait_for_selector(".queue li")
    page.keyboard.press("Enter")
    heading(page, f"Cluster 1 of {CLUSTERS}")
    page.wait_for_selector(".sides")
    page.keyboard.press("j")
    heading(page, f"Cluster 2 of {CLUSTERS}")
    page.keyboard.press("k")
    heading(page, f"Cluster 1 of {CLUSTERS}")
    page.keyboard.press("d")
    expect(page.locator(".sides")).to_have_count(0)
    page.keyboard.press("d")
    expect(page.locator(".sides")).to_have_count(1)
    page.keyboard.press("h")
    expect(page.locator(".measure .hidden-score").first).to_be_visible()
    assert "0." not in page.locator(".overview").inner_text()
    reload(page)
    expect(page.locator(".measure .hidden-score").first).to_be_visible()
    page.keyboard.press("h")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Enter")  # closes the legend, and decides nothing
    expect(page.get_by_role("dialog")).to_have_count(0)
    heading(page, f"Cluster 1 of {CLUSTERS}")
    current = page.locator(".member.current .name")
    first = current.inner_text()
    page.keyboard.press("ArrowRight")
    expect(current).not_to_have_text(first)
    assert "current" in (page.locator(".graph .node.current").get_attribute("class") or "")


def test_keys_in_a_field_are_letters(page: Page, service: Running) -> None:
    before = service.http.get("/review/history").json()["total"]
    page.evaluate("location.hash = '#/queue?state=all'")
    page.locator(".filters input[type=search]").fill("")
    page.locator(".filters input[type=search]").press_sequentially("xsu 1")
    page.wait_for_timeout(500)
    assert service.http.get("/review/history").json()["total"] == before
    page.locator(".filters input[type=search]").fill("")
