"""The words for markup, which the report shares with all drawings."""

from __future__ import annotations

from lookalike.drawing.markup import opening, tag, text

__all__ = ["opening", "tag", "text"]
