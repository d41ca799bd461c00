"""The review of clusters by people: what is under review, in which order, and what they decided."""
