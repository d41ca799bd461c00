"""Assertions about errors, by code and values. Only tests/notices compares sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from lookalike.errors import LookalikeError
from lookalike.notices import Notice


@contextmanager
def refused(code: str, **values: Any) -> Iterator[pytest.ExceptionInfo[LookalikeError]]:
    """Asserts that the block raises the error with this code, and that the error has at least these values."""
    with pytest.raises(LookalikeError) as caught:
        yield caught
    check(caught.value, code, **values)


def check(error: LookalikeError | Notice | None, code: str, **values: Any) -> None:
    """Asserts that an error has this code, and at least these values."""
    assert error is not None, f"nothing was refused; expected {code}"
    assert error.code == code, f"{error.code}: {error}"
    assert values.items() <= dict(error.values).items(), dict(error.values)
