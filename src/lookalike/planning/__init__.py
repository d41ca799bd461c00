"""Plans: what to compute, and how. Settings left open are resolved from statistics of the data."""
