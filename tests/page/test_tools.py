"""Rules, search, tuning, exports: a task is completed, its effect is there after a reload, and undo takes it back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.browsing import families, opened, over_result, reload, show, start_again
from tests.service.running import Running

pytestmark = [pytest.mark.browser, pytest.mark.slow]


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


def test_rules_choose_other_survivors_after_a_preview(page: Page, service: Running) -> None:
    show(page, "rules")
    page.get_by_label("Add a rule").select_option("last")
    page.get_by_role("button", name="Add", exact=True).click()
    while page.get_by_role("button", name="Move last up").is_enabled():
        page.get_by_role("button", name="Move last up").click()
    expect(page.get_by_role("region", name="Preview")).to_contain_text("8 clusters would get another survivor")
    first = service.http.get("/review/queue?state=all").json()["clusters"][0]
    page.get_by_role("button", name="Apply").click()
    said(page, "The rules were applied")
    reload(page)
    found = service.http.get(f"/review/clusters/{first['key']}").json()
    assert found["cluster"]["survivor"]["id"].endswith("-2") and first["survivor"]["id"].endswith("-0")
    page.get_by_role("button", name="Undo").click()
    said(page, "Undone")
    assert service.http.get(f"/review/clusters/{first['key']}").json()["cluster"]["survivor"] == first["survivor"]


def test_a_pasted_text_finds_its_neighbours(page: Page) -> None:
    show(page, "search")
    page.get_by_label("Text").fill(families(8)["story-5-1"])
    page.get_by_role("button", name="Find similar documents").click()
    expect(page.locator(".queue li").first).to_contain_text("story-5-1")
    expect(page.locator(".queue li").first).to_contain_text("1.000")
    reload(page)
    expect(page.locator(".queue li").first).to_contain_text("story-5-1")
    page.locator(".queue a").first.click()
    expect(page.locator(".members")).to_contain_text("story-5-2")


def test_tuning_shows_what_other_settings_would_find(page: Page) -> None:
    show(page, "tune")
    page.wait_for_selector(".sliders")
    recall = page.locator(".tile b").first
    page.get_by_role("slider", name="Threshold").fill("0.9")
    page.get_by_role("slider", name="Rows").fill("16")
    page.get_by_role("slider", name="Bands").fill("2")
    expect(recall).not_to_have_text("100.0 %")
    expect(recall).not_to_contain_text("99")
    reload(page)
    page.wait_for_selector(".sliders")
    expect(page.get_by_role("slider", name="Rows")).to_have_value("16")
    expect(page.locator("main > p code")).to_have_text("--threshold 0.9 --bands 2 --rows 16")
    page.get_by_role("button", name="As in this run").click()
    expect(page.get_by_role("slider", name="Threshold")).to_have_value("0.5")


def test_decisions_and_the_clean_corpus_are_saved_and_applied_again(
    page: Page, service: Running, tmp_path: Path
) -> None:
    show(page, "cluster")
    page.keyboard.press("x")
    expect(page.get_by_role("heading", level=1)).to_have_text("Cluster 2 of 8")
    show(page, "export")
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the clean corpus").click()
    assert saved.value.path().read_text(encoding="utf-8").count("\n") == 7 + 3
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save the decisions").click()
    decisions = tmp_path / "mine.jsonl"
    saved.value.save_as(decisions)
    assert [json.loads(line)["decision"] for line in decisions.read_text(encoding="utf-8").splitlines()][
        -1
    ] == "different"
    page.keyboard.press("u")
    said(page, "Undone")
    assert states(service)["open"] == 8
    page.get_by_label("A decisions file").set_input_files(decisions)
    page.get_by_role("button", name="Apply them here").click()
    expect(page.locator(".import [role=status]")).to_contain_text("applied")
    assert states(service)["distinct"] == 1
    reload(page)
    expect(page.locator(".lead")).to_contain_text("1 not duplicates")
