"""In every view a task is completed, its effect is there after a reload, and undo takes it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.browsing import families, opened, over_result, reload, show, start_again
from tests.service.running import Running

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def service() -> Iterator[Running]:
    with over_result(families(8)) as service:
        yield service


@pytest.fixture(scope="module")
def window(browser: Browser, service: Running) -> Iterator[Page]:
    with opened(browser, service) as page:
        yield page


@pytest.fixture
def page(window: Page, service: Running) -> Page:
    """The page, with nothing decided."""
    start_again(window, service)
    return window


def states(service: Running) -> dict[str, int]:
    found: dict[str, int] = service.http.get("/review/summary").json()["states"]
    return found


def said(page: Page, words: str) -> None:
    expect(page.locator(".said")).to_contain_text(words)


def test_the_summary_shows_what_was_found_and_starts_the_review(page: Page) -> None:
    expect(page.get_by_role("heading", level=1)).to_contain_text("8 clusters to review")
    expect(page.locator(".tile").first).to_contain_text("16")
    page.get_by_role("button", name="Start the review").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cluster 1 of 8")
    reload(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Cluster 1 of 8")


def test_a_bar_of_the_summary_filters_the_queue(page: Page) -> None:
    page.locator(".charts figure").last.locator(".wide rect.can-pick").nth(1).click()
    expect(page.locator(".found-line p")).to_have_text("8 clusters, 8 of them open")
    page.locator(".filters input[type=search]").fill("story-3-")
    expect(page.locator(".queue li")).to_have_count(1)
    reload(page)
    expect(page.locator(".queue li")).to_have_count(1)


def test_all_clusters_of_a_filter_are_decided_after_a_count_and_undone_at_once(page: Page, service: Running) -> None:
    show(page, "queue")
    page.get_by_role("button", name="Accept all 8").click()
    expect(page.locator(".confirm")).to_contain_text("8 clusters with 24 documents")
    assert states(service)["accepted"] == 0
    page.locator(".confirm").get_by_role("button", name="Accept all").click()
    expect(page.locator(".nothing")).to_contain_text("Every cluster has been decided")
    reload(page)
    expect(page.locator(".nothing")).to_contain_text("Every cluster has been decided")
    assert states(service) == {"open": 0, "accepted": 8, "distinct": 0, "skipped": 0}
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".queue li")).to_have_count(8)
    assert states(service)["open"] == 8


def test_a_cluster_is_accepted_with_another_survivor_and_without_a_member(page: Page, service: Running) -> None:
    show(page, "cluster")
    address = page.url
    names = page.locator(".member .name")
    second, third = names.nth(1).inner_text(), names.nth(2).inner_text()
    page.get_by_role("radio", name=f"{second} survives").check()
    page.get_by_role("checkbox", name=third).uncheck()
    said(page, "Excluded")
    expect(page.locator(".member.excluded .name")).to_have_text(third)
    page.goto(address)
    reload(page)
    expect(page.locator(".member.excluded .name")).to_have_text(third)
    page.get_by_role("checkbox", name=third).check()
    said(page, "Undone: Excluded")
    expect(page.locator(".member.excluded")).to_have_count(0)
    page.get_by_role("checkbox", name=third).uncheck()
    said(page, f"Excluded: {third}")
    page.keyboard.press("2")
    expect(page.locator(".member").nth(1)).to_have_class("member survivor")
    page.get_by_role("button", name="Accept").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Cluster 2 of 8")
    page.goto(address)
    reload(page)
    expect(page.locator(".member.survivor .name")).to_have_text(second)
    expect(page.locator(".heading")).to_contain_text("accepted")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".heading")).not_to_contain_text("accepted")
    expect(page.locator(".member.excluded .name")).to_have_text(third)
    assert states(service)["open"] == 8


def test_a_survivor_that_is_chosen_while_the_cluster_is_read_again_stays(page: Page, service: Running) -> None:
    """The answer of the service to `e` arrived after the reader had pressed `2`, and took the choice back."""
    show(page, "cluster")
    key = page.url.partition("#/cluster/")[2].partition("?")[0]
    waiting: list[Any] = []
    page.route("**/review/clusters/*", lambda route: waiting.append(route))
    names = page.locator(".member .name")
    second, third = names.nth(1).inner_text(), names.nth(2).inner_text()
    page.get_by_role("checkbox", name=third).uncheck()
    said(page, f"Excluded: {third}")
    page.keyboard.press("2")
    expect(page.locator(".member.survivor .name")).to_have_text(second)
    for _ in range(100):
        if any(f"/{key}?" in one.request.url for one in waiting):
            break
        page.wait_for_timeout(20)
    for one in [*waiting]:
        one.continue_()
    page.unroute("**/review/clusters/*")
    page.wait_for_timeout(300)
    expect(page.locator(".member.survivor .name")).to_have_text(second)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Cluster 2 of 8")
    found = service.http.get(f"/review/clusters/{key}").json()
    assert [one["id"] for one in found["members"] if one["is_survivor"]] == [second]


def test_a_comparison_marks_what_differs_and_keeps_the_right_document(page: Page, service: Running) -> None:
    show(page, "compare")
    expect(page.locator(".side").first.locator("mark").first).to_be_visible()
    sides = page.locator(".side header .id")
    right = sides.nth(1).inner_text()
    page.get_by_label("Differences only").check()
    expect(page.locator(".fold").first).to_be_visible()
    page.get_by_role("button", name="Keep right").click()
    said(page, f"{right} survives")
    expect(page.locator(".member.survivor .name")).to_have_text(right)
    reload(page)
    expect(page.locator(".member.survivor .name")).to_have_text(right)
    page.keyboard.press("u")
    said(page, "Undone")
    assert states(service)["open"] == 8


def test_the_history_undoes_an_early_decision_and_does_it_again(page: Page, service: Running) -> None:
    show(page, "cluster")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Cluster 2 of 8")
    page.keyboard.press("x")
    expect(page.get_by_role("heading", level=1)).to_have_text("Cluster 3 of 8")
    show(page, "history")
    page.get_by_role("button", name="Undo: Accepted").first.click()
    said(page, "Undone")
    assert states(service) == {"open": 7, "accepted": 0, "distinct": 1, "skipped": 0}
    reload(page)
    page.get_by_role("button", name="Redo").first.click()
    said(page, "Undone: Undo")
    assert states(service) == {"open": 6, "accepted": 1, "distinct": 1, "skipped": 0}
