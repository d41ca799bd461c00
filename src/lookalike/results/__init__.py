"""The results of verbs: their base class, pairs, clusters, matches, survivors, summaries, and saved results."""
