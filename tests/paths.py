"""A fixture that runs every test of a folder once for each implementation of the kernel that the machine has."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lookalike import kernel


@pytest.fixture(scope="module", autouse=True, params=kernel.paths())
def path(request: pytest.FixtureRequest) -> Iterator[str]:
    """The implementation in use: "portable", "avx2" or "avx512"."""
    kernel.force(request.param)
    yield request.param
    kernel.force(None)
