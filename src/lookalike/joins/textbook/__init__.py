"""Four indexes for sets of high similarity (MMDS, chapter 3), for teaching. Each builds on the one before."""
