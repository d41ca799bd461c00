"""A fixture that runs every test of a folder once for each kernel path that the machine supports."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from lookalike import kernel
from lookalike.kernel.dispatch import VARIABLE

PATHS = [kernel.path()] if os.environ.get(VARIABLE) else kernel.paths()
"""Only one path if the whole suite is run with one path."""


@pytest.fixture(scope="module", autouse=True, params=PATHS)
def path(request: pytest.FixtureRequest) -> Iterator[str]:
    """The kernel path in use: "portable", "avx2" or "avx512"."""
    kernel.force(request.param)
    yield request.param
    kernel.force(None)
