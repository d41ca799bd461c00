"""Normalises texts using pinned Unicode rules, cuts them into shingles with positions, and compares two texts."""
