"""A report on records without a service: entities can be searched and sorted, and nothing in them becomes markup."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

import lookalike as la
from tests.apps.resolve.people import people
from tests.page.test_access import EVIL, faults

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module", params=["resolve", "link"])
def report(request: pytest.FixtureRequest, tmp_path_factory: Any) -> Any:
    rows, _ = people(200, 80)
    rows = [{"id": f"p{i}", **row} for i, row in enumerate(rows)]
    evil = {**rows[0], "surname": f"zz{EVIL}</script>", "phone": "01234"}
    rows += [{**evil, "id": f"<b>{i}</b>{EVIL}"} for i in range(2)]
    tables = [rows] if request.param == "resolve" else [rows[:140] + rows[-1:], rows[140:-1]]
    found = getattr(la, request.param)(*tables, id="id")
    return found.report(tmp_path_factory.mktemp("reports") / "report.html"), found


@pytest.fixture
def page(browser: Browser, report: Any) -> Iterator[Page]:
    """The report, without network. Fails if the console has an error or anything is loaded."""
    context = browser.new_context(viewport={"width": 1000, "height": 800}, offline=True)
    page, wrong = context.new_page(), list[str]()
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda asked: wrong.append(asked.url) if asked.url != report[0].as_uri() else None)
    page.goto(report[0].as_uri())
    yield page
    context.close()
    assert wrong == []


def test_all_entities_can_be_searched_by_ids_and_values(page: Page, report: Any) -> None:
    _, found = report
    total = len(found) if len(found.records) > 1 else len(found.clusters)
    cards = page.locator("#live-entities .card")
    expect(cards).to_have_count(20)
    expect(page.get_by_role("status")).to_contain_text(f"{total} of {total}")
    match = found.matches.to_pylist()[len(found) // 2]
    page.get_by_role("searchbox").fill(f"{match['left']} {match['right']}".upper())
    expect(cards.first).to_contain_text(match["left"])
    page.get_by_role("searchbox").fill("zz </script>")
    expect(cards).to_have_count(1)
    expect(cards).to_contain_text("</script>")
    page.get_by_role("searchbox").fill("nobody at all")
    expect(cards).to_have_count(0)
    page.get_by_role("searchbox").fill("")
    page.get_by_role("button", name="Show more").click()
    expect(cards).to_have_count(min(total, 120))


def test_entities_can_be_sorted_by_certainty(page: Page) -> None:
    page.get_by_role("combobox").select_option("least")
    shown = [float(words.rsplit(" ", 1)[1]) for words in page.locator("#live-entities .card p.small").all_inner_texts()]
    assert shown == sorted(shown) and len(shown) == 20


def test_the_page_is_accessible_and_charts_are_drawn(page: Page) -> None:
    assert faults(page) == []
    assert page.locator("section svg").count() >= 8
