"""Every test here holds for each implementation of the kernel."""

from tests.paths import path

__all__ = ["path"]
