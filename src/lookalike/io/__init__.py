"""Opens documents in files or in memory as a `Source`; writes tables and kept rows to files, whole or not at all."""
