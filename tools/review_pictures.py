"""Takes the pictures of docs/tutorial/review.md and of the report.

A service is started on a deduplication of the functions of Python, and its page is opened.

    python tools/review_pictures.py

It needs Chromium, and the packages of the extra `dev`. The pictures have 128 colours, so that they are small.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from playwright.sync_api import Page, sync_playwright

import lookalike as la

ROOT = Path(__file__).parents[1]
PICTURES = ROOT / "docs" / "_static"
COLOURS = 128
WIDTH, HEIGHT = 1200, 760

SWITCHES = "--no-sandbox --disable-gpu --no-first-run --disable-background-networking --disable-sync".split()


def main() -> None:
    chromium = next(path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name)))
    with TemporaryDirectory() as folder, served(Path(folder)) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=SWITCHES)
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(address)
        page.locator(".tiles").wait_for()
        take_all(page)
        take_report(page, Path(folder) / "report.html")
        browser.close()


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Runs `lookalike serve` on a deduplication of the functions, as `make demo` does, and yields its address."""
    data = folder / "functions.jsonl"
    subprocess.run([sys.executable, str(ROOT / "examples" / "stdlib.py"), str(data)], check=True)
    found = la.dedupe(data, id="id", threshold=0.8, keep="longest")
    found.report(folder / "report.html")
    result = found.save(folder / "functions.result")
    command = [sys.executable, "-m", "lookalike", "serve", str(result), "--port", "0", "--quiet"]
    service = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert service.stdout is not None
        yield service.stdout.readline().strip()
    finally:
        service.terminate()
        service.communicate()


def take_all(page: Page) -> None:
    page.get_by_text(re.compile("Measuring the clusters")).wait_for(state="detached", timeout=120_000)
    take(page, "summary")
    go(page, "#/queue", ".queue li")
    take(page, "queue")
    go(page, "#/queue?state=all&order=size", ".queue li")
    page.keyboard.press("Enter")
    page.locator(".sides").wait_for()
    take(page, "cluster")
    page.get_by_role("link", name="Compare on a page of its own").click()
    page.locator(".compared").wait_for()
    take(page, "compare")
    go(page, "#/rules", ".decides")
    page.get_by_label("Add a rule").select_option("shortest")
    page.get_by_role("button", name="Add", exact=True).click()
    take(page, "rules")
    go(page, "#/tune", ".sliders")
    take(page, "tune")
    go(page, "#/queue", ".queue li")
    for i, key in enumerate(("Enter", "Enter", "x", "s", "Enter")):
        page.keyboard.press("Enter") if i == 0 else None
        page.get_by_role("heading", level=1, name=re.compile(f"^Cluster {i + 1} ")).wait_for()
        page.keyboard.press(key)
    page.get_by_role("heading", level=1, name=re.compile("^Cluster 6 ")).wait_for()
    go(page, "#/history", ".history li")
    take(page, "history")


def take_report(page: Page, report: Path) -> None:
    """Takes a picture of a report: a cluster that is open, and the threshold moved up a little."""
    text = report.read_text(encoding="utf-8").replace(f"{report.parent}/", "")  # the title has the path of the input
    report.write_text(text, encoding="utf-8")
    page.goto(report.as_uri())
    page.set_viewport_size({"width": 1000, "height": 2150})
    page.locator(".clusters summary").first.click()
    page.get_by_role("slider").press("ArrowRight")
    page.get_by_label("Order of the clusters").select_option(label="largest first")
    take(page, "report")


def go(page: Page, address: str, wanted: str) -> None:
    page.evaluate("address => { location.hash = address; }", address)
    page.locator(wanted).first.wait_for()


def take(page: Page, name: str) -> None:
    """Takes a picture of what the window shows, without a focus ring."""
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    page.mouse.move(WIDTH - 5, HEIGHT // 2)
    page.wait_for_timeout(600)
    path = PICTURES / ("report.png" if name == "report" else f"review-{name}.png")
    page.screenshot(path=path)
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
