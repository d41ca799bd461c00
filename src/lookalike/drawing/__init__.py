"""Draws curves as lines of text for a terminal, or as SVG for a page, without other packages."""
