"""Errors as tests see them: by code and values. Sentences are the business of tests/notices alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from lookalike.errors import LookalikeError
from lookalike.notices import Notice


@contextmanager
def refused(code: str, **values: Any) -> Iterator[pytest.ExceptionInfo[LookalikeError]]:
    """The block must raise the error with this code; the values given must be among the error's own."""
    with pytest.raises(LookalikeError) as caught:
        yield caught
    check(caught.value, code, **values)


def check(error: LookalikeError | Notice | None, code: str, **values: Any) -> None:
    """That an error has this code, and at least these values."""
    assert error is not None, f"nothing was refused; expected {code}"
    assert error.code == code, f"{error.code}: {error}"
    assert values.items() <= dict(error.values).items(), dict(error.values)
