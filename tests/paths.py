"""A fixture that runs every test of a folder once for each implementation of the kernel that the machine has."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from lookalike import kernel
from lookalike.kernel.dispatch import VARIABLE

PATHS = [kernel.path()] if os.environ.get(VARIABLE) else kernel.paths()
"""Where the whole suite is made to take one path, so are these tests."""


@pytest.fixture(scope="module", autouse=True, params=PATHS)
def path(request: pytest.FixtureRequest) -> Iterator[str]:
    """The implementation in use: "portable", "avx2" or "avx512"."""
    kernel.force(request.param)
    yield request.param
    kernel.force(None)
