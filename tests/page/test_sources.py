"""The page over an index, over a result whose input has changed, and over a cluster with many members."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

import lookalike as la
from tests.page.browsing import VIEWS, families, opened, show
from tests.service.running import over, running

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_an_index_is_reviewed_like_a_result(browser: Browser) -> None:
    with over(families(3)) as service, opened(browser, service) as page:
        for view in VIEWS:
            show(page, view)
            expect(page.locator("[role=alert]")).to_have_count(0)
        show(page, "cluster")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text("Cluster 2 of 3")
        assert service.http.get("/review/summary").json()["states"]["accepted"] == 1
        service.http.post("/documents", json={"documents": [{"id": "new", "text": "a b c d e f g"}]})
        show(page, "summary")
        page.reload()
        page.get_by_role("button", name="Read it again").click()
        expect(page.locator(".said")).to_contain_text("was read again")


def test_without_the_texts_only_scores_are_shown_and_nothing_can_be_decided(browser: Browser, tmp_path: Path) -> None:
    data = tmp_path / "in.csv"
    rows = "".join(f"{id},{text.replace(',', ' ')}\n" for id, text in families(3).items())
    data.write_text("id,text\n" + rows.replace('"', ""), encoding="utf-8")
    result = la.dedupe(data, id="id", threshold=0.5, shingles="words:2").save(tmp_path / "x.result")
    data.unlink()
    with running(Path(result)) as service, opened(browser, service) as page:
        expect(page.locator(".notice")).to_be_visible()
        for view in ("queue", "cluster", "history", "export"):
            show(page, view)
        show(page, "cluster")
        expect(page.locator(".notice")).to_be_visible()
        expect(page.get_by_role("button", name="Accept")).to_be_disabled()
        expect(page.locator(".member input[type=checkbox]").first).to_be_disabled()


def test_a_cluster_with_many_members_opens_step_by_step(browser: Browser) -> None:
    documents = families(1, members=9) | {f"copy-{i}": families(1)["story-0-0"] for i in range(150)}
    with over(documents) as service, opened(browser, service) as page:
        show(page, "cluster")
        members = page.locator(".member")
        expect(members).to_have_count(12)
        page.get_by_role("button", name="and 147 more").click()
        expect(members).to_have_count(100)
        page.get_by_role("button", name="and 59 more").click()
        expect(members).to_have_count(159)
        expect(page.get_by_role("button", name="more")).to_have_count(0)
