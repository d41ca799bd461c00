"""Checks: a forecast before a run, an audit of its recall, and a search for test data in training data."""
