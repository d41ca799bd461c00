"""Curves → pictures: lines of text for a terminal, SVG for a page; neither needs another package."""
