"""Opens documents in files or in memory as a `Source`, and writes tables and kept rows to files."""
