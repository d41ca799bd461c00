"""What can be asked: the options of each verb, and the plan they describe."""
