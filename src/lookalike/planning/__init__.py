"""Plans: what to compute and how. They are resolved from statistics of the data, and can predict costs and explain."""
