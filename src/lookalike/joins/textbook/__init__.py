"""Four indexes that find pairs of highly similar sets (MMDS, chapter 3), for teaching."""
