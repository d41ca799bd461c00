"""The browser of the tests of a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.page.browsing import started


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with started(chromium) as browser:
        yield browser
