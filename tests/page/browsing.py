"""A browser that opens the page of a running service. Chromium reaches nothing but this machine."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

import lookalike as la
from tests.service.running import Running, running

SWITCHES = (
    "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)  # fmt: skip

READY = "#content h1"

VIEWS = ("summary", "queue", "cluster", "compare", "rules", "history", "search", "tune", "export")


@contextmanager
def started(chromium: str) -> Iterator[Browser]:
    """Starts the browser. It must be closed before other tests run an event loop."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=SWITCHES)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def opened(browser: Browser, service: Running, width: int = 1280, scheme: Any = "light") -> Iterator[Page]:
    """Opens the address that the service prints. Fails if the console has an error, or another host was asked."""
    context = browser.new_context(viewport={"width": width, "height": 860}, color_scheme=scheme, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(10_000)
    wrong: list[str] = []

    def note(words: str) -> None:
        wrong.append(words)

    page.on("console", lambda message: note(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: note(str(error)))
    page.on("request", lambda asked: None if is_own(asked.url, service) else note(asked.url))
    try:
        page.goto(service.prepared.address)
        page.wait_for_selector(READY)
        yield page
    finally:
        context.close()
    if wrong:
        pytest.fail(f"the console or the network of the browser: {wrong}")


def is_own(address: str, service: Running) -> bool:
    return address.startswith((f"{service.url}/", "data:", f"blob:{service.url}/"))


def show(page: Page, view: str) -> None:
    """Opens a view and waits until it has its data."""
    if view in ("cluster", "compare"):
        page.evaluate("location.hash = '#/summary'")
        page.get_by_role("button", name="the review").click()
        page.wait_for_selector(".sides, .notice")
        if view == "compare":
            page.get_by_role("link", name="Compare on a page of its own").click()
            page.wait_for_selector(".compared")
        return
    page.evaluate("view => { location.hash = `#/${view}`; }", view)
    page.wait_for_selector(f".top [aria-current]:text-is('{view.capitalize()}')")
    expect(page.locator("#content")).not_to_contain_text("Loading…")


def reload(page: Page) -> None:
    page.reload()
    page.wait_for_selector(READY)
    expect(page.locator("#content")).not_to_contain_text("Loading…")


def start_again(page: Page, service: Running) -> None:
    """Undoes all decisions, forgets what the browser stored, and opens the summary."""
    while service.http.post("/review/undo", json={}).status_code == 200:
        pass
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.goto(f"{service.url}/#/summary")
    reload(page)


WORDS = (Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8").split()


def families(clusters: int, members: int = 3) -> dict[str, str]:
    """Returns documents in clusters, by id. Every member of a cluster has one other word."""
    chooser = random.Random(1)
    found = {}
    for i in range(clusters):
        words = [f"{chooser.choice(WORDS)}{i}" for _ in range(60)]
        for j in range(members):
            own = [*words[: 10 + 5 * j], f"changed{j}", *words[11 + 5 * j :]]
            found[f"story-{i}-{j}"] = " ".join(own)
    return found


@contextmanager
def over_result(documents: dict[str, str]) -> Iterator[Running]:
    """Runs a service over the saved result of a deduplication of these documents."""
    with TemporaryDirectory() as folder:
        data = Path(folder) / "stories.jsonl"
        lines = (json.dumps({"id": id, "text": text}) + "\n" for id, text in documents.items())
        data.write_text("".join(lines), encoding="utf-8")
        result = la.dedupe(data, id="id", threshold=0.5, shingles="words:2", keep="first")
        with running(Path(result.save(Path(folder) / "stories.result"))) as service:
            yield service
