"""Engines carry out plans. All engines give the same result. Each engine is imported only when it is used.

`registry.py` declares the engines with their options.
"""

from lookalike.engines.registry import engine

__all__ = ["engine"]
