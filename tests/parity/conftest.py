"""Runs every test of this folder with each implementation of the kernel."""

from tests.paths import path

__all__ = ["path"]
