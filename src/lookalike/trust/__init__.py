"""Checks of a result: a forecast before the run, its measured recall, and overlap of test and training data."""
