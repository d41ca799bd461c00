"""Engines carry out plans. All engines give the same answer, and each is imported only when it is used.

`registry.py` lists the engines, and each engine's folder declares its options.
"""

from lookalike.engines.registry import engine

__all__ = ["engine"]
