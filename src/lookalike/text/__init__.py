"""Normalise texts by pinned Unicode rules, cut them into shingles with positions, and compare two texts."""
