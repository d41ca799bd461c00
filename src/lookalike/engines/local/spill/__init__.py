"""The part of a run that does not fit into memory: candidates are written to files and processed in batches."""
