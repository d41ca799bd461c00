"""Whether to believe a result: its recall measured, and what a test set shares with a training set."""
