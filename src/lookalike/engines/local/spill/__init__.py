"""Runs that do not fit in memory: candidates are processed in batches read back from files."""
