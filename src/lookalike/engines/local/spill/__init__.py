"""The stages of a run whose data does not fit into memory: candidates are written to files and processed in batches."""
