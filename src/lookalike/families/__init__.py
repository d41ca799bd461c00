"""The theory: what a hash family promises, how AND and OR sharpen it, and how bands and rows are chosen."""

from lookalike.families.amplify import Banded
from lookalike.families.tuning import choose_bands

__all__ = ["Banded", "choose_bands"]
