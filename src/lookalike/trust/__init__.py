"""Whether to believe a result: foretold by a dry run, its recall measured, and what a test set shares with training."""
