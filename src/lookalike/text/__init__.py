"""Texts: normalised by pinned Unicode rules, cut into shingles with their positions, compared two at a time."""
