"""The notes' four indexes for sets of high similarity, each on the one before: length, prefix, position, suffix."""
