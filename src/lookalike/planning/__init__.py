"""Plans: what to compute, settled from statistics of the data, with its predicted cost and an explanation."""
