"""Checks: a forecast before a run, the measured recall of a result, and the overlap of test and training data."""
