"""Every implementation of the kernel, with any number of threads, agrees with the definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lookalike.kernel import Cpu
from lookalike.testing import check_kernel


@pytest.mark.parametrize("threads", [1, 3])
def test_the_kernel_agrees_with_the_definitions(path: str, threads: int) -> None:
    check_kernel(Cpu(threads), seed=threads)


MISTAKES: dict[str, Any] = {
    "sign": lambda made: made[:, ::-1],
    "copies": lambda made: np.arange(len(made)),
    "connect": lambda made: made * 0,
    "intersections": lambda made: made + 1,
    "keys_of_bits": lambda made: made ^ np.uint32(1),
}


@pytest.mark.parametrize("method", MISTAKES)
def test_a_kernel_with_a_mistake_is_detected(method: str) -> None:
    def mistaken(self: Cpu, *arguments: Any, **more: Any) -> Any:
        return MISTAKES[method](getattr(Cpu, method)(self, *arguments, **more))

    wrong = type("Wrong", (Cpu,), {method: mistaken, "name": "wrong"})
    with pytest.raises(AssertionError, match=f"^wrong: {method}"):
        check_kernel(wrong())
