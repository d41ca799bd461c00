"""Generates the Python pages of docs/reference (`python -m tools.python_reference`)."""
